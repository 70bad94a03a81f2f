"""A file of the person's own: chosen or dropped, sent in pieces, kept on disk until the page closes."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import param

from app.widgets.component import LabComponent

PIECE = 1 << 20
"""Bytes of one piece."""


class FilePicker(LabComponent):
    """`got(path)` is called when a whole file has arrived, `dropped()` when the person takes it away.

    Parameters
    ----------
    largest
        Bytes a file may have.
    beyond
        What to do with a larger one, a sentence.
    """

    _source = "file_picker"

    label = param.String("A file of your own")
    hint = param.String("", doc="What it may be.")
    name_ = param.String("", doc="Name of the present file; empty for none.")
    words = param.String("", doc="What is known of it.")
    error = param.String("")
    fraction = param.Number(None, allow_None=True, doc="Of it that has arrived.")
    accept = param.String(".csv,.txt,.tsv,.data,.libsvm,.svm,text/*", doc="Kinds of file that are offered.")
    piece = param.Integer(PIECE)

    def __init__(self, got: Callable[[Path], None], dropped: Callable[[], None], largest: int, beyond: str,
                 **params: Any) -> None:
        self._got, self._dropped, self._largest, self._beyond = got, dropped, largest, beyond
        self._folder: Path | None = None
        self._path: Path | None = None
        self._size = self._written = self._upload = 0
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_begin(self, upload: int, name: str, size: int) -> None:
        """Take the name and size of a file, and ask for its first piece if it will do."""
        name, size = tidy(str(name)), int(size)
        if size > self._largest:
            self.param.update(error=f"{name} has {size / 1e6:,.0f} MB; here a file may have {self._largest / 1e6:,.0f} MB."
                              f" {self._beyond}", fraction=None)
            return
        if size == 0:
            self.param.update(error=f"{name} is empty; choose another file.", fraction=None)
            return
        self._forget()
        self._folder = Path(tempfile.mkdtemp(prefix="exit-time-lab-"))
        self._path, self._size, self._written, self._upload = self._folder / name, size, 0, int(upload)
        self._path.touch()
        self.param.update(name_=name, words="", error="", fraction=0.0)
        self._ask()

    def on_piece(self, upload: int, at: int, data: bytes) -> None:
        """Take a piece; ask for the next, or hand the file over."""
        if int(upload) != self._upload or int(at) != self._written or self._path is None:
            return
        data = bytes(data)[:self._size - self._written]
        with self._path.open("ab") as file:
            file.write(data)
        self._written += len(data)
        if self._written < self._size and data:
            self.fraction = self._written / self._size
            self._ask()
            return
        self.fraction = None
        self._got(self._path)

    def on_away(self) -> None:
        """Take the file away again."""
        self._forget()
        self.param.update(name_="", words="", error="", fraction=None)
        self._dropped()

    def close(self) -> None:
        """Delete what is on disk."""
        self._forget()

    def _ask(self) -> None:
        self._send_msg({"upload": self._upload, "at": self._written})

    def _forget(self) -> None:
        if self._folder is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(self._folder)
        self._folder = self._path = None
        self._upload = 0


def tidy(name: str) -> str:
    """Return the last part of a file's name, fit for a disk."""
    last = re.sub(r"[^\w .()+-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1])[-100:]
    return last.lstrip(". ") or "file"
