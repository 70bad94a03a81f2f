"""`FilePicker`: upload of a user's file in pieces, stored on disk until the page closes."""

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
"""Size of one piece, in bytes."""
MOST_COLUMNS = 1000
"""Maximum number of columns of a text file, by its first line: every column is inspected before use."""
ALL_UPLOADS = 60, 1.0
"""Rate limit of uploads of all visits together: bucket size, and files restored per second."""


class AllUploads(Allowance):
    """Rate limit of all visits of a server together."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(*ALL_UPLOADS, clock)


class Upload:
    """One file being uploaded.

    Parameters
    ----------
    name
        Name sent by the browser; its last part is kept and sanitised.
    size
        Announced size in bytes.
    folder
        Folder of the file, under a temporary name until it is complete.
    """

    def __init__(self, name: str, size: int, folder: Path) -> None:
        self.name, self.size, self.written = file_name(name), size, 0
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".coming-", delete=False) as file:
            self.path = Path(file.name)

    def add(self, data: bytes) -> None:
        """Write a piece; bytes beyond the announced size are discarded."""
        data = data[:self.size - self.written]
        with self.path.open("ab") as file:
            file.write(data)
        self.written += len(data)


class FilePicker(LabComponent):
    """Button and drop zone for a file, with error messages.

    Parameters
    ----------
    got
        Called with the path of a complete file.
    dropped
        Called when the user removes the file.
    largest
        Maximum file size in bytes.
    beyond
        Advice for a larger file, a sentence.
    named
        Whether the file is kept: its name is displayed with a button that removes it.
    """

    label = param.String("A file of your own")
    button = param.String("", doc="Label of the button; empty: the hint about dropping a file.")
    anywhere = param.Boolean(False, doc="Whether the whole page is a drop zone.")
    offered = param.String("", doc="Name of a file loaded on another page, for a second button.")
    hint = param.String("", doc="Accepted formats.")
    name_ = param.String("", doc="Name of the current file; empty for none.")
    words = param.String("", doc="Content of the file.")
    error = param.String("")
    accept = param.String(".csv,.txt,.tsv,.data,.libsvm,.svm,.parquet,.pq,text/*,.xlsx,.xls,.gz,.bz2,.zst,.xz",
                          doc="Accepted file types.")
    fraction = param.Number(None, allow_None=True, doc="Received fraction of the file, in [0, 1].")
    piece = param.Integer(PIECE, doc="Size of one piece, in bytes.")

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
        """Check the name and size of a file and request its first piece."""
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
            self._request_piece()

    def on_piece(self, upload: int, at: int, data: bytes) -> None:
        """Store a piece; request the next one, or pass on the complete file under its own name."""
        coming = self._upload
        if coming is None or int(upload) != self._number or int(at) != coming.written:
            return
        try:
            if not coming.written:
                _refuse_wide(coming.name, check_upload(coming.name, bytes(data)))
            coming.add(bytes(data))
        except SourceError as wrong:
            self._abort(f"{wrong.words()}.")
            return
        except OSError as wrong:
            self._abort(f"{coming.name} could not be kept on the server ({why_not_written(wrong)}); then try again.")
            return
        if coming.written == coming.size:
            self._upload, self.fraction = None, None
            self._got(coming.path.replace(self._directory / coming.name))
        elif not len(data):
            self._abort(f"{coming.name} came in part only ({coming.written:,} of {coming.size:,} bytes); try again.")
        else:
            self.fraction = coming.written / coming.size
            self._request_piece()

    def on_unreadable(self, upload: int) -> None:
        """Abort the upload of a file that the browser could not read."""
        if self._upload is not None and int(upload) == self._number:
            self._abort(f"{self._upload.name} could not be read; is it still there?")

    def on_away(self) -> None:
        """Remove the file."""
        self.close()
        self.param.update(name_="", words="", error="")
        self._dropped()

    def offer_loaded(self) -> None:
        """Offer the file loaded on another page, unless it is already used here."""
        name = self._visit.file[0] if self._visit.file is not None else ""
        self.offered = "" if name == self.name_ else name

    def on_offered(self) -> None:
        """Use the file loaded on another page, through a symbolic link."""
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
        """Return whether a file of this size is accepted; set the error if not."""
        if size > self.largest:
            self.error = (f"{name} has {_megabytes(size)}; here a file may have {_megabytes(self.largest)}."
                          f" {self.beyond.format(name=name)}")
        return size <= self.largest

    # The file on disk

    def close(self) -> None:
        """Delete the file on disk."""
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
        self._directory = self._upload = self.fraction = None

    def stop_upload(self) -> None:
        """Abort the current upload and delete its folder."""
        if self._upload is not None:
            self.close()

    def _new_folder(self) -> Path:
        self.close()
        self._directory = Path(tempfile.mkdtemp(prefix="exit-time-lab-"))
        return self._directory

    def _abort(self, words: str) -> None:
        self.stop_upload()
        self.error = words

    def _request_piece(self) -> None:
        self.send_msg({"upload": self._number, "at": self._upload.written})


def _refuse_wide(name: str, head: bytes) -> None:
    first = head.lstrip().partition(b"\n")[0]
    columns = 1 + max(first.count(separator) for separator in (b",", b";", b"\t", b"|"))
    if columns > MOST_COLUMNS and not name.lower().endswith((".parquet", ".pq")):
        raise SourceError("source", f"{name} has {columns:,} columns; here a file may have {MOST_COLUMNS:,}: keep those that"
                          " matter, or read it by its path (python -m sampler tune PATH)")


def file_name(name: str) -> str:
    """Return the last part of a file name, sanitised for a file system."""
    last = re.sub(r"[^\w .()+-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1])[-100:]
    return last.lstrip(". ") or "file"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size:,} bytes"
