"""`FileChoice`: a file of the user's from its arrival until its rows are used: kept, previewed, its choices settled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.tune.components.data_dialog import DataDialog
from app.tune.file_options import FileOptions
from app.tune.file_preview import preview
from app.tune.kept_files import keep_upload
from app.widgets.file_picker import FilePicker
from sampler.streams import LARGEST_UPLOAD

BEYOND = "A file of any size is read from its path: python -m sampler tune /path/to/{name}"


class FileChoice:
    """A file picker and the dialog that opens on its file. `bring(data=, kind=, ...)` is called with what was settled."""

    def __init__(self, bring: Callable[..., None]) -> None:
        self._bring = bring
        self.kept, self.options = "", FileOptions()
        self.picker = FilePicker(self.take, lambda: None, LARGEST_UPLOAD, BEYOND, button="Your own file …", anywhere=True,
                                 named=False, hint="CSV, libsvm or Parquet, at most 200 MB.",
                                 accept=".csv,.tsv,.txt,.data,.parquet,.pq,.svm,.libsvm,.xlsx,.xls")
        self.dialog = DataDialog(self.choose, self.use)

    def take(self, path: Path) -> None:
        """Keep a file that has arrived, and show it."""
        try:
            self.open(keep_upload(path))
        except (OSError, ValueError) as wrong:
            self.picker.error = f"{path.name} could not be kept ({wrong}); try again, or use its path."

    def open(self, kept: str, options: FileOptions | None = None) -> None:
        """Show a kept file."""
        self.kept, self.options = kept, options or FileOptions()
        self.dialog.show(preview(kept, self.options))

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
            self.dialog.show(preview(self.kept, self.options))

    def use(self) -> None:
        """Settle on what the dialog shows."""
        shown = self.dialog.shown
        if self.kept and shown is not None and not shown.error:
            options = shown.options
            self._bring(data=f"file-{self.kept}", kind=options.kind, response=options.response, positive=options.positive,
                        features=options.features, intercept=options.intercept, scale=options.scale)
            self.dialog.open = False

    def close(self) -> None:
        """Delete what has come of a file that was not kept."""
        self.picker.close()
