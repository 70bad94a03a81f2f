"""`FilePicker`: a file of the user's, chosen or dropped, that comes in pieces and is kept on disk until the page closes."""

from __future__ import annotations

import math
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import param

from app.js.component import LabComponent
from app.visit import SERVER, Allowance, Visit
from sampler.atomic_file import why_not_written
from sampler.streams import SourceError, check_upload

PIECE = 1 << 20
"""Bytes of one piece."""
MOST_COLUMNS = 1000
"""Columns of a text file, by its first line: each column of a file is looked at before it is used."""
ALL_UPLOADS = 60, 1.0
"""Files that all visits of a server may send one after the other, and that come back each second."""


class AllUploads(Allowance):
    """Of all visits of a server together."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(*ALL_UPLOADS, clock)


class Upload:
    """One file on its way in.

    Parameters
    ----------
    name
        As the browser says; its last part is kept, fit for a disk.
    size
        Bytes announced.
    folder
        Where it is written, under a name of its own until it is whole.
    """

    def __init__(self, name: str, size: int, folder: Path) -> None:
        self.name, self.size, self.written = file_name(name), size, 0
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".coming-", delete=False) as file:
            self.path = Path(file.name)

    def add(self, data: bytes) -> None:
        """Write a piece; what goes beyond the size announced is cut off."""
        data = data[:self.size - self.written]
        with self.path.open("ab") as file:
            file.write(data)
        self.written += len(data)


class FilePicker(LabComponent):
    """A button and a place to drop a file, with what is wrong with it.

    Parameters
    ----------
    got
        Called with the path of a whole file that has arrived.
    dropped
        Called when the user takes it away.
    largest
        Bytes a file may have.
    beyond
        What to do with a larger one, a sentence.
    named
        Whether the file stays: its name is shown, with a button that takes it away.
    """

    label = param.String("A file of your own")
    button = param.String("", doc="Words of the button; empty: that it may be dropped.")
    anywhere = param.Boolean(False, doc="Whether a file may be dropped anywhere on the page.")
    offered = param.String("", doc="Name of a file that another page has loaded, which a second button takes.")
    hint = param.String("", doc="What it may be.")
    name_ = param.String("", doc="Name of the present file; empty for none.")
    words = param.String("", doc="What the file holds.")
    error = param.String("")
    accept = param.String(".csv,.txt,.tsv,.data,.libsvm,.svm,.parquet,.pq,text/*,.xlsx,.xls,.gz,.bz2,.zst,.xz",
                          doc="Kinds of file that are offered.")
    fraction = param.Number(None, allow_None=True, doc="Of the file that has arrived, in [0, 1].")
    piece = param.Integer(PIECE, doc="Bytes of one piece.")

    def __init__(self, got: Callable[[Path], None], dropped: Callable[[], None], largest: int, beyond: str,
                 visit: Visit | None = None, named: bool = True, **params: Any) -> None:
        self._got, self._dropped, self.largest, self.beyond, self._named = got, dropped, largest, beyond, named
        self._visit = visit or SERVER.alone
        self._directory: Path | None = None
        self._upload: Upload | None = None
        self._number = 0
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    # Messages of the browser

    def on_begin(self, upload: int, name: str, size: int) -> None:
        """Take the name and size of a file, and ask for its first piece if it will do."""
        self.stop_upload()
        name, size = file_name(str(name)), int(size)
        mine, all_visits = self._visit.uploads, self._visit.server.part(AllUploads)
        wait = max(mine.wait, all_visits.wait)
        if wait:
            who = "you sent" if mine.wait else "all visitors sent"
            self.error = (f"{name} was not taken: {who} many files one after the other. Choose it again in "
                          f"{math.ceil(wait)} second{'s' if wait > 1 else ''}.")
            return
        mine.note()
        all_visits.note()
        if size <= 0:
            self.error = f"{name} is empty; choose another file."
        elif self._fits(name, size):
            try:
                self._upload, self._number = Upload(name, size, self._new_folder()), int(upload)
            except (OSError, ValueError) as wrong:
                words = why_not_written(wrong) if isinstance(wrong, OSError) else str(wrong)
                self.error = f"{name} was not taken, as the server cannot keep files: {words}."
                return
            self.param.update(name_=name if self._named else "", words="", error="", fraction=0.0)
            self._ask()

    def on_piece(self, upload: int, at: int, data: bytes) -> None:
        """Take a piece; ask for the next, or hand the file over under its own name."""
        coming = self._upload
        if coming is None or int(upload) != self._number or int(at) != coming.written:
            return
        try:
            if not coming.written:
                _refuse_wide(coming.name, check_upload(coming.name, bytes(data)))
            coming.add(bytes(data))
        except SourceError as wrong:
            self._give_up(f"{wrong.words()}.")
            return
        except OSError as wrong:
            self._give_up(f"{coming.name} could not be kept on the server ({why_not_written(wrong)}); then try again.")
            return
        if coming.written == coming.size:
            self._upload, self.fraction = None, None
            self._got(coming.path.replace(self._directory / coming.name))
        elif not len(data):
            self._give_up(f"{coming.name} came in part only ({coming.written:,} of {coming.size:,} bytes); try again.")
        else:
            self.fraction = coming.written / coming.size
            self._ask()

    def on_unreadable(self, upload: int) -> None:
        """Give up a file that the browser could not read."""
        if self._upload is not None and int(upload) == self._number:
            self._give_up(f"{self._upload.name} could not be read; is it still there?")

    def on_away(self) -> None:
        """Take the file away again."""
        self.close()
        self.param.update(name_="", words="", error="")
        self._dropped()

    def offer_loaded(self) -> None:
        """Offer the file that another page has loaded; the one taken here already is not."""
        name = self._visit.file[0] if self._visit.file is not None else ""
        self.offered = "" if name == self.name_ else name

    def on_offered(self) -> None:
        """Take the file that another page has loaded, by a link to where it is kept."""
        if self._visit.file is None:
            return
        name, path = file_name(self._visit.file[0]), self._visit.file[1]
        self.stop_upload()
        try:
            if not self._fits(name, path.stat().st_size):
                return
            link = self._new_folder() / name
            link.symlink_to(path)
        except OSError as wrong:
            self.error = f"{name} was not taken ({why_not_written(wrong)}); choose the file itself."
            return
        self.param.update(name_=name, words="", error="", offered="")
        self._got(link)

    def _fits(self, name: str, size: int) -> bool:
        """Return whether a file of so many bytes may be taken; say why where it may not."""
        if size > self.largest:
            self.error = (f"{name} has {_megabytes(size)}; here a file may have {_megabytes(self.largest)}."
                          f" {self.beyond.format(name=name)}")
        return size <= self.largest

    # The file on disk

    def close(self) -> None:
        """Delete what is on disk."""
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
        self._directory = self._upload = self.fraction = None

    def stop_upload(self) -> None:
        """Forget a file under way: it lies alone in its folder."""
        if self._upload is not None:
            self.close()

    def _new_folder(self) -> Path:
        self.close()
        self._directory = Path(tempfile.mkdtemp(prefix="exit-time-lab-"))
        return self._directory

    def _give_up(self, words: str) -> None:
        self.stop_upload()
        self.error = words

    def _ask(self) -> None:
        self.send_msg({"upload": self._number, "at": self._upload.written})


def _refuse_wide(name: str, head: bytes) -> None:
    first = head.lstrip().partition(b"\n")[0]
    columns = 1 + max(first.count(separator) for separator in (b",", b";", b"\t", b"|"))
    if columns > MOST_COLUMNS and not name.lower().endswith((".parquet", ".pq")):
        raise SourceError("source", f"{name} has {columns:,} columns; here a file may have {MOST_COLUMNS:,}: keep those that"
                          " matter, or read it by its path (python -m sampler tune PATH)")


def file_name(name: str) -> str:
    """Return the last part of a file's name, fit for a disk."""
    last = re.sub(r"[^\w .()+-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1])[-100:]
    return last.lstrip(". ") or "file"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size:,} bytes"
