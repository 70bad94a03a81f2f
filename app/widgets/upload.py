"""`UploadComponent`: a component that takes a file of the user's in pieces and keeps it on disk."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import param

from app.allowance import Allowance
from app.handover import session
from app.widgets.component import LabComponent
from sampler.atomic_file import why_not_written
from sampler.streams import check_upload

PIECE = 1 << 20
"""Bytes of one piece."""
MOST_COLUMNS = 1000
"""Columns of a text file, told by its first line: a file has to be looked at, and each column of it, before it is used."""
ALL_UPLOADS = 60, 1.0
"""Files that all visits of a server may send one after the other, and that come back each second."""
_OF_ALL = Allowance(*ALL_UPLOADS)


class Upload:
    """One file on its way in.

    Parameters
    ----------
    name
        As the browser says; its last part is kept, fit for a disk.
    size
        Bytes announced.
    folder
        Where it is written, under a name of its own until `keep` or `drop`.
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

    @property
    def share(self) -> float:
        """Share of it that has arrived, in [0, 1]."""
        return self.written / self.size

    @property
    def whole(self) -> bool:
        """Whether all of it has arrived."""
        return self.written == self.size

    def keep(self, path: Path) -> Path:
        """Move the file to a path on the same disk; return it."""
        self.path = self.path.replace(path)
        return self.path

    def drop(self) -> None:
        """Delete the file."""
        with suppress(OSError):
            self.path.unlink()


class UploadComponent(LabComponent):
    """Base of components whose script calls `uploader(model)` of `upload.js`.

    A subclass sets `largest` (bytes) and `beyond` (what to do with a larger file, a sentence), and says what follows:
    `coming(name)`, `arrived(upload)` and `refused(name, words)`. `fraction` is how much has arrived.
    """

    _scripts: ClassVar[tuple[str, ...]] = ("upload.js",)

    fraction = param.Number(None, allow_None=True, doc="Of the file that has arrived, in [0, 1].")
    piece = param.Integer(PIECE, doc="Bytes of one piece.")

    largest: int
    beyond: str

    __abstract = True

    def __init__(self, folder: Callable[[], Path], **params: Any) -> None:
        self._folder = folder
        self._upload: Upload | None = None
        self._number = 0
        super().__init__(**params)

    def coming(self, name: str) -> None:
        """A file is on its way."""

    def arrived(self, upload: Upload) -> None:
        """A whole file is there, in `upload.path`: it belongs to the subclass now."""
        raise NotImplementedError

    def refused(self, name: str, words: str) -> None:
        """A file was not taken."""
        raise NotImplementedError

    def on_begin(self, upload: int, name: str, size: int) -> None:
        """Take the name and size of a file, and ask for its first piece if it will do."""
        self.stop_upload()
        name, size = file_name(str(name)), int(size)
        mine = session().uploads
        wait = max(mine.wait, _OF_ALL.wait)
        if wait:
            who = "you sent" if mine.wait else "all visitors sent"
            self.refused(name, f"{name} was not taken: {who} many files one after the other. Choose it again in "
                               f"{math.ceil(wait)} second{'s' if wait > 1 else ''}.")
            return
        mine.note()
        _OF_ALL.note()
        if size <= 0:
            self.refused(name, f"{name} is empty; choose another file.")
        elif size > self.largest:
            self.refused(name, f"{name} has {_megabytes(size)}; here a file may have {_megabytes(self.largest)}."
                               f" {self.beyond.format(name=name)}")
        else:
            try:
                self._upload, self._number = Upload(name, size, self._folder()), int(upload)
            except (OSError, ValueError) as wrong:
                words = why_not_written(wrong) if isinstance(wrong, OSError) else str(wrong)
                self.refused(name, f"{name} was not taken, as the server cannot keep files: {words}.")
                return
            self.fraction = 0.0
            self.coming(name)
            self._ask()

    def on_piece(self, upload: int, at: int, data: bytes) -> None:
        """Take a piece; ask for the next, or hand the file over."""
        coming = self._upload
        if coming is None or int(upload) != self._number or int(at) != coming.written:
            return
        try:
            if not coming.written:
                self._refuse_wide(coming.name, check_upload(coming.name, bytes(data)))
            coming.add(bytes(data))
        except ValueError as wrong:
            self._give_up(f"{str(wrong).removeprefix('source: ')}.")
            return
        except OSError as wrong:
            self._give_up(f"{coming.name} could not be kept on the server ({why_not_written(wrong)}); then try again.")
            return
        if coming.whole:
            self._upload, self.fraction = None, None
            self.arrived(coming)
        elif not len(data):
            self._give_up(f"{coming.name} came in part only ({coming.written:,} of {coming.size:,} bytes); try again.")
        else:
            self.fraction = coming.share
            self._ask()

    def _refuse_wide(self, name: str, head: bytes) -> None:
        first = head.lstrip().partition(b"\n")[0]
        columns = 1 + max(first.count(separator) for separator in (b",", b";", b"\t", b"|"))
        if columns > MOST_COLUMNS and not name.lower().endswith((".parquet", ".pq")):
            raise ValueError(f"{name} has {columns:,} columns; here a file may have {MOST_COLUMNS:,}: keep those that matter"
                             ", or read it by its path (python -m sampler tune PATH)")

    def on_unreadable(self, upload: int) -> None:
        """Give up a file that the browser could not read."""
        if self._upload is not None and int(upload) == self._number:
            self._give_up(f"{self._upload.name} could not be read; is it still there?")

    def stop_upload(self) -> None:
        """Forget a file under way."""
        if self._upload is not None:
            self._upload.drop()
        self._upload, self.fraction = None, None

    def _give_up(self, words: str) -> None:
        name = self._upload.name
        self.stop_upload()
        self.refused(name, words)

    def _ask(self) -> None:
        self._send_msg({"upload": self._number, "at": self._upload.written})


def file_name(name: str) -> str:
    """Return the last part of a file's name, fit for a disk."""
    last = re.sub(r"[^\w .()+-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1])[-100:]
    return last.lstrip(". ") or "file"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size:,} bytes"
