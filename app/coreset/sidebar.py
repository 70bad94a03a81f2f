"""`CoresetSidebar`: controls of the Coreset page; `FileChoice`: the user's file, read in a background thread."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import param

from app.coreset.models import SOURCES, OwnColumns, OwnData, columns_of, read
from app.glossary import term_name
from app.jobs.background_job import BackgroundJob, JobHandle, JobUpdate
from app.own_data.file_columns import ColumnControls
from app.own_data.file_picker import FilePicker
from app.plots.looks import optimizer_look
from app.state.coreset import MODELS, OPTIMIZERS, PRESETS, RATES, CoresetState
from app.visit import Visit
from app.widgets.choices import PresetButtons, RunButtons, Segments
from app.widgets.knob_slider import KnobSlider
from app.widgets.page_shell import PageSidebar, Section
from app.widgets.param_controls import menu, segmented, switch, switches

LARGEST = 50_000_000
"""Maximum file size in bytes; the page uses at most some 200,000 rows."""

GUESSED = "by its name, or the last"


class FileChoice(param.Parameterized):
    """The user's file; ``took(own)`` is called after it has been read, errors are displayed below the button.

    The current runs continue while a file is read and if it is invalid.
    """

    model = param.String("gaussian", doc="Key of the model of the files.")
    own = param.Parameter(None, doc="The last file read, an `OwnData`.")
    wanted = param.Boolean(False, doc="Whether a file is in use or requested.")
    columns = param.Parameter(OwnColumns(), doc="Choices of columns of the file, an `OwnColumns`.")
    standardise = param.Boolean(True, label="Standardise features")

    def __init__(self, took: Callable[[OwnData], None], visit: Visit | None = None, **params: Any) -> None:
        super().__init__(**params)
        self._took = took
        self._file: Path | None = None
        self.worker = BackgroundJob("coreset-file", self._show, visit=visit)
        self.picker = FilePicker(self.take, self._on_removal, LARGEST, "Use a part of the rows.", visit,
                                 hint=pn.bind(lambda model: f"CSV, libsvm, Parquet: {SOURCES[model].requires}; max. 50 MB.",
                                              self.param.model))
        self.chosen = ColumnControls(self.read, "response")
        scaling = switch(self.param.standardise, visible=pn.bind(bool, self.chosen.param.responses))
        self.view = pn.Column(self.picker, *self.chosen.items, scaling, margin=0, sizing_mode="stretch_width",
                              visible=self.param.wanted)

    def take(self, path: Path) -> None:
        """Read a new file."""
        self._file = path
        self.chosen.begin()
        self.read()

    def _on_removal(self) -> None:
        """Clear the removed file; runs on it are kept."""
        self._file = None
        self.worker.cancel()
        self.columns = OwnColumns()

    @param.depends("columns", "model", watch=True)
    def _offer(self) -> None:
        """Offer the choices of columns of the file for this model."""
        columns = self.columns if self.columns.model_key == self.model else OwnColumns()
        responses = {GUESSED: ""} | {name: name for name in columns.responses}
        self.chosen.offer(responses if columns.responses else {}, columns.words, columns.classes)

    @param.depends("standardise", watch=True)
    def read(self) -> None:
        """Read the current file with the chosen options."""
        if self._file is None:
            return
        path, model, standardise, chosen = self._file, self.model, self.standardise, self.chosen
        response, categories, positive = chosen.response or None, tuple(chosen.encoded), chosen.positive or None

        def job(handle: JobHandle) -> tuple[OwnColumns, OwnData | None]:
            data = path.read_bytes()
            columns = columns_of((path.name, data), model, response)
            handle.publish((columns, None))  # choices of columns, also if the file is not yet valid
            return columns, read(path.name, data, model, response, standardise, lambda: handle.stopped,
                                 categories=categories, positive=positive, columns=columns)

        self.picker.param.update(words="Reading the file.", error="")
        self.worker.start(job)

    def _show(self, update: JobUpdate) -> None:
        """Display the result or the error of the reading, and offer the choices of columns."""
        if not update.done:
            return
        self.picker.param.update(words="", error=update.error)
        if update.value is None or self._file is None:
            return
        self.columns, own = update.value
        if own is not None and not update.error:
            self.own = own
            self._took(own)

    def close(self) -> None:
        """Delete the file."""
        self._file = self.own = None
        self.picker.close()


class CoresetSidebar:
    """Controls of the page; `choose(name, value)`, `preset(key)`, `run()` and `cancel()` are called on user actions."""

    def __init__(self, state: CoresetState, files: FileChoice, *, choose: Callable[[str, Any], None],
                 preset: Callable[[str], None], run: Callable[[], None], cancel: Callable[[], None]) -> None:
        values = state.param

        def one_of(name: str, **options: str) -> Any:
            return segmented(values[name], {words.replace("_", " "): value for words, value in options.items()},
                             partial(choose, name))

        self.knobs = {name: KnobSlider.from_param(values[name], grouped=True) for name in state.knobs()}
        self.model = menu(values.model, {shape.label: key for key, shape in MODELS.items()}, partial(choose, "model"))
        self.data = Segments(partial(choose, "data"), label="", value=state.data,
                             options=[["generated", "generated"], ["file", "your file"]])
        pn.bind(self._show_source, values.data, files.param.wanted, watch=True)
        self.optimizers = switches(values.optimizers, [[key, look.name, *look.sign, "", "", term_name(look.name)]
                                                       for key in OPTIMIZERS for look in [optimizer_look(key)]],
                                   partial(choose, "optimizers"))
        self.kernel = one_of("kernel", exact="exact", with_memory="ar")
        self.runner = RunButtons(run, cancel)
        self.presets = PresetButtons(preset, presets=[[p.key, p.label, p.hint] for p in PRESETS.values()])
        self.about = Section("Model", [self.model, self.data, *self._k("n", "dim"), files.view])
        self.rules = Section("Optimizers", [self.optimizers, *self._k("reach", "adam_rate", "adam_constant", "guess")])
        self._hide_unused_knobs(state)
        self.view = PageSidebar([
            self.about, Section("Run", [self.runner]),
            self.rules,
            Section("Coreset MCMC", self._k("size", "subsample", "chains", "iterations", "seed")),
            Section("Start", [one_of("hot", on="on", off="off", both="both"),
                              one_of("start", usual="default", near="near", far="far"), self.kernel,
                              *self._k("threshold", "cap")]),
            Section("Pictures to try", [self.presets])])

    def _k(self, *names: str) -> list[KnobSlider]:
        return [self.knobs[name] for name in names]

    def _show_source(self, data: str, wanted: bool) -> None:
        """Mark "your file" also while one is requested."""
        self.data.value = "file" if wanted else data

    def _hide_unused_knobs(self, state: CoresetState) -> None:
        """Bind the visibility of knobs to their use by the configuration."""
        values = state.param
        for name in ("n", "dim"):
            self.knobs[name].visible = pn.bind(lambda data: data != "file", values.data)
        self.knobs["dim"].words = pn.bind(lambda model: MODELS[model].dim_words, values.model)
        for name in set(RATES.values()):
            self.knobs[name].visible = pn.bind(
                lambda chosen, name=name: any(RATES.get(key) == name for key in chosen), values.optimizers)
        for name in ("threshold", "cap"):
            self.knobs[name].visible = pn.bind(lambda hot: hot != "off", values.hot)
        self.kernel.visible = pn.bind(lambda model: model == "gaussian", values.model)
