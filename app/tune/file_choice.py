"""`FileChoice`: a file of the user's from its arrival until its rows are used: kept, previewed, its choices settled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.background_job import BackgroundJob
from app.tune.components.data_dialog import DataDialog
from app.tune.file_options import FileOptions
from app.tune.file_preview import preview
from app.tune.kept_files import keep_upload
from app.widgets.file_picker import FilePicker
from sampler.atomic_file import why_not_written
from sampler.streams import LARGEST_UPLOAD

BEYOND = "A file of any size is read from its path: python -m sampler tune /path/to/{name}"


class FileChoice:
    """A file picker and the dialog that opens on its file. `bring(data=, kind=, ...)` is called with what was settled.

    Files are kept and looked at in a job, so that nobody else's page waits for a large one; `look` shows what it has.
    """

    def __init__(self, bring: Callable[..., None]) -> None:
        self._bring = bring
        self.kept, self.options = "", FileOptions()
        self.worker = BackgroundJob("tune-file")
        self._using = False  #: whether the rows are wanted as soon as the choices have been looked at
        self.picker = FilePicker(self.take, lambda: None, LARGEST_UPLOAD, BEYOND, button="Your own file …", anywhere=True,
                                 named=False, hint="CSV, libsvm or Parquet, at most 200 MB.",
                                 accept=".csv,.tsv,.txt,.data,.parquet,.pq,.svm,.libsvm,.xlsx,.xls,.gz,.bz2,.zst")
        self.dialog = DataDialog(self.choose, self.use)

    def take(self, path: Path) -> None:
        """Keep a file that has arrived, and show it."""
        self.picker.words, self.kept, self.options = f"Looking at {path.name}.", "", FileOptions()
        self.worker.start(lambda handle: preview(_keep(path)))

    def open(self, kept: str, options: FileOptions | None = None) -> None:
        """Show a kept file."""
        self.kept, self.options = kept, options or FileOptions()
        self._preview()

    def _preview(self) -> None:
        kept, options = self.kept, self.options
        self.worker.start(lambda handle: preview(kept, options))

    def look(self) -> None:
        """Show what the job has found."""
        update = self.worker.take()
        if update is None or not update.done:
            return
        self.picker.words = ""
        using, self._using = self._using, False
        if update.error:
            self.picker.error = update.error
            return
        self.kept = update.value.kept
        self.dialog.show(update.value)
        if using:
            self.use()

    def choose(self, field: str, value: Any) -> None:
        """Take a choice; what was found for the file before stands until it is changed."""
        if field == "kind":
            self.options = self.options.replace(kind=str(value), positive=None)
        elif field == "response":
            self.options = self.options.replace(kind="", response=str(value), positive=None, features=None)
        elif field == "positive":
            self.options = self.options.replace(kind="", positive=str(value) or None)
        elif field == "features":
            self.options = self.options.replace(features=tuple(map(str, value)) or None)
        elif field in ("intercept", "scale"):
            self.options = self.options.replace(**{field: bool(value)})
        if self.kept:
            self._preview()

    def use(self) -> None:
        """Settle on what the dialog shows, once it shows what was chosen last."""
        self._using = not self.worker.settled
        if self._using:
            return
        shown = self.dialog.shown
        if self.kept and shown is not None and not shown.error:
            options = shown.options
            self._bring(data=f"file-{self.kept}", kind=options.kind, response=options.response, positive=options.positive,
                        features=options.features, intercept=options.intercept, scale=options.scale)
            self.dialog.open = False

    def close(self) -> None:
        """End the job's thread, and delete what has come of a file that was not kept."""
        self.worker.close()
        self.picker.close()


def _keep(path: Path) -> str:
    try:
        return keep_upload(path)
    except OSError as wrong:
        raise ValueError(f"{path.name} could not be kept on the server ({why_not_written(wrong)}); then try again. "
                         + BEYOND.format(name=path.name)) from None
    except ValueError as wrong:
        raise ValueError(f"{path.name} could not be kept ({wrong}). {BEYOND.format(name=path.name)}") from None
