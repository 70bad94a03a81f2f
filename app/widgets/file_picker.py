"""A file of the user's own: chosen or dropped, kept on disk until the page closes."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import param

from app.widgets.unknown_rows import UnknownRows, without_unknown
from app.widgets.upload import Upload, UploadComponent


class FilePicker(UploadComponent):
    """`got(path)` is called when a whole file has arrived, `dropped()` when the user takes it away.

    Parameters
    ----------
    largest
        Bytes a file may have.
    beyond
        What to do with a larger one, a sentence.
    """

    _source = "file_picker"

    label = param.String("A file of your own")
    button = param.String("", doc="Words of the button; empty: that it may be dropped.")
    anywhere = param.Boolean(False, doc="Whether a file may be dropped anywhere on the page.")
    named = param.Boolean(True, doc="Whether the file stays: its name is shown, with a button that takes it away.")
    hint = param.String("", doc="What it may be.")
    name_ = param.String("", doc="Name of the present file; empty for none.")
    words = param.String("", doc="What is known of it.")
    error = param.String("")
    offer = param.String("", doc="What may be left out of the file, words of a button; empty: nothing.")
    accept = param.String(".csv,.txt,.tsv,.data,.libsvm,.svm,text/*,.gz,.bz2,.zst", doc="Kinds of file that are offered.")

    def __init__(self, got: Callable[[Path], None], dropped: Callable[[], None], largest: int, beyond: str,
                 **params: Any) -> None:
        self._got, self._dropped, self.largest, self.beyond = got, dropped, largest, beyond
        self._directory: Path | None = None
        self._unknown: UnknownRows | None = None
        super().__init__(self._own_folder, sizing_mode="stretch_width", margin=0, **params)

    def _own_folder(self) -> Path:
        self._forget()
        self._directory = Path(tempfile.mkdtemp(prefix="exit-time-lab-"))
        return self._directory

    def coming(self, name: str) -> None:
        """Show the name of what is on its way."""
        self.param.update(name_=name if self.named else "", words="", error="", offer="")

    def arrived(self, upload: Upload) -> None:
        """Hand the file over under its own name, and offer to leave out rows whose response is unknown."""
        path = upload.keep(self._directory / upload.name)
        self._unknown = found = without_unknown(path)
        self._got(path)
        if found is not None:
            self.offer = (f"Leave out the {found.count:,} row{'s' if found.count > 1 else ''} of {path.name} whose"
                          f" {found.column} is “{found.value}”")

    def on_leave_out(self) -> None:
        """Take the file without the rows whose response is unknown."""
        found, self._unknown, self.offer = self._unknown, None, ""
        if found is not None:
            self._got(found.rest)

    def refused(self, name: str, words: str) -> None:
        """Say why a file was not taken; the one before stays."""
        self.error = words

    def on_away(self) -> None:
        """Take the file away again."""
        self.close()
        self.param.update(name_="", words="", error="", offer="")
        self._unknown = None
        self._dropped()

    def close(self) -> None:
        """Delete what is on disk."""
        self.stop_upload()
        self._forget()

    def _forget(self) -> None:
        if self._directory is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(self._directory)
        self._directory = None
