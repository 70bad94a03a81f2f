"""A person's file: taken, read in a thread of its own, read again when another column is wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.background_job import BackgroundJob
from app.coreset.files import OwnData, read
from app.coreset.kinds import KINDS
from app.widgets.file_picker import FilePicker

LARGEST = 50_000_000
"""Bytes a file may have here: a page draws at most some 200,000 rows of it."""


class FileDesk:
    """``took(own)`` is called once a file was read; what is wrong with one is said under the button.

    The runs go on meanwhile, and stay as they are when the file cannot be read.
    """

    def __init__(self, took: Callable[[OwnData], None]) -> None:
        self._took, self._number = took, 0
        self._file: Path | None = None
        self.kind = "gaussian"  #: model that files are read for
        self.response: str | None = None
        self.standardise = True
        self.own: OwnData | None = None
        self.worker = BackgroundJob("coreset-file")
        self.picker = FilePicker(self.take, self._away, LARGEST, "Take a part of it: a coreset wants no more rows.",
                                 accept=".csv,.tsv,.txt,.parquet")

    def take(self, path: Path) -> None:
        """Read a new file."""
        self._file, self.response = path, None
        self.read()

    def _away(self) -> None:
        """Forget a file that was taken away; the runs on it stay."""
        self._file = None
        self.worker.cancel()

    def read(self) -> None:
        """Read the file, perhaps again."""
        if self._file is None:
            return
        path, kind, self._number = self._file, KINDS[self.kind], self._number + 1
        number, response, standardise = self._number, self.response, self.standardise
        self.picker.param.update(words="Reading it.", error="")
        self.worker.start(lambda control: read(path.name, path.read_bytes(), kind, number, response, standardise,
                                               lambda: control.stopped))

    def tick(self) -> None:
        """Look whether a file was read."""
        update = self.worker.take()
        if update is None or not update.done:
            return
        self.picker.param.update(words="", error=update.error)
        if update.value is not None and not update.error:
            self.own = update.value
            self._took(update.value)

    def close(self) -> None:
        """End the worker thread and forget the file."""
        self._file = self.own = None
        self.worker.close()
        self.picker.close()
