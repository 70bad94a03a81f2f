"""A file of the user's from its arrival until its rows are used: kept, previewed, its choices settled; for Tune and Live."""

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

BEYOND = "A file of any size is read from its path: python -m sampler tune /path/to/{name}"
AFRESH: dict[str, dict[str, Any]] = {
    "kind": {"positive": None}, "positive": {"kind": ""}, "response": {"kind": "", "positive": None, "features": None}}
"""Choice -> what is left to the data again when it is made."""


class DataDialog(LabComponent):
    """Shows a `FilePreview`; `choose(field, value)` and `use()` are called when the user does."""

    open = param.Boolean(False)
    name_ = param.String("", doc="Of the file.")
    columns = param.List([])
    rows = param.List([])
    response = param.String("")
    features = param.List([])
    levels = param.Dict({}, doc="Column that holds words -> how many different ones; 0: too many for a category.")
    classes = param.List([], doc="[value, words] of each class of the response that may mean 1; an empty value: no choice.")
    positive = param.String("", doc="The one that means 1; empty: not chosen.")
    kind = param.String("")
    kinds = param.List([[key, words] for key, words in KINDS.items()], doc="[key, words] of each gradient.")
    intercept = param.Boolean(True)
    scale = param.Boolean(False)
    says = param.List([], doc="Sentences about what becomes of the rows.")
    error = param.String("")
    note = param.String("Kept in the cache folder of the computer that serves this page, for a reload; only this page’s link"
                        " finds it.", doc="Where the rows stay.")

    def __init__(self, choose: Callable[[str, Any], None], use: Callable[[], None], **params: Any) -> None:
        self._choose, self._use = choose, use
        self.shown: FilePreview | None = None
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def show(self, preview: FilePreview) -> None:
        """Show a file in the dialog."""
        self.shown, config = preview, preview.config
        self.param.update(
            open=True, name_=preview.name, columns=list(preview.columns), rows=[list(row) for row in preview.rows],
            response=config.response or "", features=list(config.features or ()), kind=config.kind,
            intercept=config.intercept, scale=bool(config.scale), says=preview.words, error=preview.error,
            levels={name: len(values) for name, values in preview.levels.items()}, positive=config.positive or "",
            classes=[[value, words] for words, value in class_options(preview.classes, config.positive).items()]
            if preview.classes else [])

    def on_choose(self, field: str, value: Any) -> None:
        """Take a choice about the file."""
        self._choose(str(field), value)

    def on_use(self) -> None:
        """Take the data."""
        self._use()

    def on_close(self) -> None:
        """Leave everything as it was."""
        self.open = False


class FileChoice:
    """A file picker and the dialog that opens on its file. `bring(data=, kind=, ...)` is called with what was settled.

    Files are kept and looked at in a job, so that nobody else's page waits for a large one.
    """

    def __init__(self, bring: Callable[..., None], visit: Visit | None = None) -> None:
        self._bring = bring
        self.config: TuneConfig | None = None  #: the file and the choices about it; None before there is one
        self.worker = BackgroundJob("tune-file", self._show, visit=visit)
        self._using = False  #: whether the rows are wanted as soon as the choices have been looked at
        self.picker = FilePicker(self.take, lambda: None, LARGEST_UPLOAD, BEYOND, visit, button="Your own file …",
                                 anywhere=True, named=False, hint="CSV, libsvm or Parquet, at most 200 MB.")
        self.dialog = DataDialog(self.choose, self.use)

    def take(self, path: Path) -> None:
        """Keep a file that has arrived, and show it."""
        self.picker.words, self.config = f"Looking at {path.name}.", None
        self.worker.start(lambda handle: preview(TuneConfig(data=f"file-{_keep(path)}")))

    def open(self, config: TuneConfig) -> None:
        """Show a kept file with these choices."""
        self.config = config
        self.worker.start(lambda handle: preview(config))

    def _show(self, update: JobUpdate) -> None:
        """Show what the job has found."""
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
        """Take a choice; what was found for the file before stands until it is changed."""
        if self.config is None or field not in CHOICES:
            return
        if field == "features":
            value = tuple(map(str, value)) or None
        elif field in ("intercept", "scale"):
            value = bool(value)
        else:
            value = str(value) or ("" if field == "kind" else None)
        self.open(self.config.replace(**{**AFRESH.get(field, {}), field: value}))

    def use(self) -> None:
        """Settle on what the dialog shows, once it shows what was chosen last."""
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
    """`take(user_data)` is called once the rows are read; from then on the other pages may have them too."""

    def __init__(self, take: Callable[[UserData], None], visit: Visit) -> None:
        self._take, self._visit, self._config = take, visit, TuneConfig()
        self.choice = FileChoice(self._bring, visit)
        self.reading = BackgroundJob("live-file", self._show, visit=visit)
        self.workers = [self.choice.worker, self.reading]
        self.items = [self.choice.picker, self.choice.dialog]

    def _bring(self, **choices: Any) -> None:
        """Read the rows that the dialog has settled."""
        self._config = config = TuneConfig(**choices)
        self.choice.picker.words = "Reading it."
        self.reading.start(lambda handle: load(config))

    def _show(self, update: JobUpdate) -> None:
        if not update.done:
            return
        self.choice.picker.param.update(words="", error=update.error)
        if update.value is not None and not update.error:
            offer(self._visit, self._config, update.value)
            self._take(update.value.user_data)
