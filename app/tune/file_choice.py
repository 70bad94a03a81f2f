"""`FileChoice`: upload, preview and reading options of a user's file; `OwnFile`: the same for Live."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import param

from app.jobs.background_job import BackgroundJob, JobUpdate
from app.js.component import LabComponent
from app.own_data.file_columns import class_options
from app.own_data.file_picker import FilePicker
from app.state.tune import CHOICES, KINDS, TuneConfig
from app.state.user_data import UserData
from app.tune.file_plan import FilePreview, preview
from app.tune.kept_files import keep_upload
from app.tune.tuning_rows import load, offer
from app.visit import Visit
from sampler.atomic_file import why_not_written
from sampler.streams import LARGEST_UPLOAD

BEYOND = "The command line reads files of any size: python -m sampler tune /path/to/{name}"
RESETS: dict[str, dict[str, Any]] = {
    "kind": {"positive": None}, "positive": {"kind": ""}, "response": {"kind": "", "positive": None, "features": None}}
"""Option -> dependent options that are reset when it is set."""


class DataDialog(LabComponent):
    """Dialog with a `FilePreview`; user actions call `choose(field, value)` and `use()`."""

    open = param.Boolean(False)
    name_ = param.String("", doc="Name of the file.")
    columns = param.List([])
    rows = param.List([])
    response = param.String("")
    features = param.List([])
    levels = param.Dict({}, doc="Text column -> number of levels; 0: too many for a category.")
    classes = param.List([], doc="[value, label] of each response class that can be coded as 1; empty: default.")
    positive = param.String("", doc="Class coded as 1; empty: not chosen.")
    kind = param.String("")
    kinds = param.List([[key, words] for key, words in KINDS.items()], doc="[key, label] of each model.")
    intercept = param.Boolean(True)
    scale = param.Boolean(False)
    says = param.List([], doc="Sentences on the processing of the rows.")
    error = param.String("")
    note = param.String("Stored in the cache folder of this page’s server, for a reload; accessible only through this"
                        " page’s link.", doc="Note on storage.")

    def __init__(self, choose: Callable[[str, Any], None], use: Callable[[], None], **params: Any) -> None:
        self._choose, self._use = choose, use
        self.shown: FilePreview | None = None
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def show(self, preview: FilePreview) -> None:
        """Open the dialog on a file."""
        self.shown, config = preview, preview.config
        self.param.update(
            open=True, name_=preview.name, columns=list(preview.columns), rows=[list(row) for row in preview.rows],
            response=config.response or "", features=list(config.features or ()), kind=config.kind,
            intercept=config.intercept, scale=bool(config.scale), says=preview.words, error=preview.error,
            levels={name: len(values) for name, values in preview.levels.items()}, positive=config.positive or "",
            classes=[[value, words] for words, value in class_options(preview.classes, config.positive).items()]
            if preview.classes else [])

    def on_choose(self, field: str, value: Any) -> None:
        """Set an option."""
        self._choose(str(field), value)

    def on_use(self) -> None:
        """Use the data."""
        self._use()

    def on_close(self) -> None:
        """Close the dialog without changes."""
        self.open = False


class FileChoice:
    """File picker and the dialog for its file; calls `bring(data=, kind=, ...)` with the final options.

    Files are stored and previewed in a background job, so that large files do not block other pages.
    """

    def __init__(self, bring: Callable[..., None], visit: Visit | None = None) -> None:
        self._bring = bring
        self.config: TuneConfig | None = None  #: file and options; None before the first preview
        self.worker = BackgroundJob("tune-file", self._show, visit=visit)
        self._using = False  #: whether to use the rows once the preview is up to date
        self.picker = FilePicker(self.take, lambda: None, LARGEST_UPLOAD, BEYOND, visit, button="Your own file …",
                                 anywhere=True, named=False, hint="CSV, libsvm or Parquet, at most 200 MB.")
        self.dialog = DataDialog(self.choose, self.use)

    def take(self, path: Path) -> None:
        """Store an uploaded file and open the dialog on it."""
        self.picker.words, self.config = f"Reading {path.name} …", None
        self.worker.start(lambda handle: preview(TuneConfig(data=f"file-{_keep(path)}")))

    def open(self, config: TuneConfig) -> None:
        """Open the dialog on a stored file with these options."""
        self.config = config
        self.worker.start(lambda handle: preview(config))

    def _show(self, update: JobUpdate) -> None:
        """Display the preview computed by the job."""
        if not update.done:
            return
        self.picker.words = ""
        using, self._using = self._using, False
        if update.error:
            self.picker.error = update.error
            return
        self.config = self.config or TuneConfig(data=update.value.config.data)
        self.dialog.show(update.value)
        if using:
            self.use()

    def choose(self, field: str, value: Any) -> None:
        """Set an option and update the preview; other options keep their values, except `RESETS`."""
        if self.config is None or field not in CHOICES:
            return
        if field == "features":
            value = tuple(map(str, value)) or None
        elif field in ("intercept", "scale"):
            value = bool(value)
        else:
            value = str(value) or ("" if field == "kind" else None)
        self.open(self.config.replace(**{**RESETS.get(field, {}), field: value}))

    def use(self) -> None:
        """Use the options in the dialog, after the preview of the latest ones is finished."""
        self._using = not self.worker.settled
        shown = self.dialog.shown
        if not self._using and self.config is not None and shown is not None and not shown.error:
            self._bring(**{name: getattr(shown.config, name) for name in ("data", *CHOICES)})
            self.dialog.open = False


def _keep(path: Path) -> str:
    try:
        return keep_upload(path)
    except OSError as wrong:
        raise ValueError(f"{path.name} could not be kept on the server ({why_not_written(wrong)}); then try again. "
                         + BEYOND.format(name=path.name)) from None
    except ValueError as wrong:
        raise ValueError(f"{path.name} could not be kept ({wrong}). {BEYOND.format(name=path.name)}") from None


class OwnFile:
    """File upload of Live: calls `take(user_data)` with the rows, which are then also offered to the other pages."""

    def __init__(self, take: Callable[[UserData], None], visit: Visit) -> None:
        self._take, self._visit, self._config = take, visit, TuneConfig()
        self.choice = FileChoice(self._bring, visit)
        self.reading = BackgroundJob("live-file", self._show, visit=visit)
        self.workers = [self.choice.worker, self.reading]
        self.items = [self.choice.picker, self.choice.dialog]

    def _bring(self, **choices: Any) -> None:
        """Read the rows with the final options."""
        self._config = config = TuneConfig(**choices)
        self.choice.picker.words = "Reading the rows …"
        self.reading.start(lambda handle: load(config))

    def _show(self, update: JobUpdate) -> None:
        if not update.done:
            return
        self.choice.picker.param.update(words="", error=update.error)
        if update.value is not None and not update.error:
            offer(self._visit, self._config, update.value)
            self._take(update.value.user_data)
