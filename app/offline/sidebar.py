"""`OfflineSidebar`: the Offline page's knobs, bound to its state, and the user's file."""

from collections.abc import Callable
from pathlib import Path

import panel as pn
import param

from app.glossary import term_name
from app.jobs.background_job import JobUpdate
from app.offline.likelihood_race_job import BEYOND, LARGEST, OwnFile
from app.own_data.file_columns import ColumnControls
from app.own_data.file_picker import FilePicker
from app.plots.looks import sampler_look
from app.plots.offline import NAMES
from app.state.live_menu import coordinate_names
from app.state.offline import DIMS, LADDER, OfflineState
from app.state.offline_races import GAUSSIAN, LIKELIHOOD, PAPER_ROWS, SAMPLERS, RaceState, steps_between
from app.visit import Visit
from app.widgets.choices import RunButtons, Segments
from app.widgets.knob_slider import KnobSlider
from app.widgets.page_shell import PageSidebar, Section
from app.widgets.param_controls import axes_menu, menu, segmented, switches
from sampler.racing import PAPER_DATA

NOTES = {
    LADDER: "Offline SAGA-LD (LMV Algorithm 3): β doubles from rung to rung.",
    GAUSSIAN: "Zou, Xu and Gu, Figures 1 and 2.",
    LIKELIHOOD: "Zou, Xu and Gu, Figures 3 and 4, on a stream, their data or your own data.",
}
TARGETS = {"Logistic, d = 2": "plane", "Logistic, d = 21": "many"}
PAPER = "paper"
CHOOSE = "Choose a file below; it runs immediately."


class OfflineSidebar(param.Parameterized):
    """Knobs of the page's state, and the user's file, which is not part of links.

    Parameters
    ----------
    state
        State of the page.
    buttons
        View -> its buttons.
    use_file
        Called with the user's file to run the likelihood race on it, with None to return to the stream.
    """

    asking = param.Boolean(False, doc="Whether the file picker is displayed and no file has been chosen.")

    def __init__(self, state: OfflineState, buttons: dict[str, RunButtons],
                 use_file: Callable[[OwnFile | None], None], visit: Visit | None = None) -> None:
        super().__init__()
        self.state, self._use_file = state, use_file
        self.own: OwnFile | None = None  #: the user's file
        self.columns = ColumnControls(self._take_choices, "label column")
        self._likelihood, self._words_before = buttons[LIKELIHOOD], ""
        self.knobs: dict[str, KnobSlider] = {}
        self.picker = FilePicker(self._on_file, self._on_removal, LARGEST, BEYOND, visit,
                                 hint="CSV, libsvm or Parquet, two classes, or one against the others; at most 100 MB."
                                      " Deleted when the page closes.")
        self.source = Segments(self._choose_source, label="",
                               options=[["generated", "generated"], [PAPER, "paper’s"], ["file", "my own file"]])
        self.paper = Segments(state.nll.take, label="", spoken="data set of the paper", options=[[k, k] for k in PAPER_ROWS])
        self._show_source(state.nll.source)
        state.nll.param.watch(lambda event: self._show_source(event.new), "source")
        about = Section("Experiment", [segmented(state.param.view, {
            "Ladder": LADDER, "Gaussian": GAUSSIAN, "Likelihood": LIKELIHOOD}, label="")], self._to_own_file,
            action="your own file", hint="Race the SVRG-LD family on a file of your own",
            note=pn.bind(NOTES.get, state.param.view))
        self.view = PageSidebar([about, *self._ladder(buttons[LADDER]), *self._race(GAUSSIAN, buttons[GAUSSIAN], ["n"], []),
                                 *self._race(LIKELIHOOD, buttons[LIKELIHOOD], [], ["prior_precision"], self._data())])

    def _knobs(self, view: str, *names: str) -> list[KnobSlider]:
        state, made = self.state.part(view), []
        for name in names:
            own = {"css_classes": [f"knob-{view}-{name}"]}
            if name == "anchor_every":
                own["default"] = pn.bind(steps_between, state.param.anchor_batch, state.param.batch_size)
            elif name == "anchor_batch":
                own["default"] = pn.bind(lambda n, rows: max(1, (rows or n) // 5), state.param.n, state.param.rows)
            made.append(KnobSlider.from_param(state.param[name], grouped=True, **own))
            self.knobs[f"{view}-{name}"] = made[-1]
        return made

    def _hidden(self, view: str) -> param.rx:
        return pn.bind(lambda front: front != view, self.state.param.view)

    def _ladder(self, buttons: RunButtons) -> list[Section]:
        ladder, hidden = self.state.ladder, self._hidden(LADDER)
        target = menu(ladder.param.target, TARGETS, ladder.choose_target)
        names = pn.bind(lambda target: coordinate_names(DIMS[target], DIMS[target] > 2), ladder.param.target)
        axes = axes_menu(ladder.param.axes, names)
        axes.visible = pn.bind(lambda target: DIMS[target] > 2, ladder.param.target)
        return [
            Section("", [buttons], hidden=hidden), Section("Target", [target, axes], hidden=hidden),
            Section("Algorithm 3", self._knobs(LADDER, "terms", "eta0", "batch_size", "i_max"), ladder.to_defaults,
                    action="defaults", hint="Reset the ladder's knobs", hidden=hidden),
            Section("Chains", self._knobs(LADDER, "start", "chains", "seed"), hidden=hidden)]

    def _race(self, view: str, buttons: RunButtons, first: list[str], last: list[str],
              data: list[Section] | None = None) -> list[Section]:
        race: RaceState = self.state.part(view)
        hidden = self._hidden(view)
        best = "each its best" if view == GAUSSIAN else "from curvature"
        knobs = [*self._knobs(view, *first, "passes", "batch_size", "anchor_batch"),
                 segmented(race.param.every, {"B/b": "auto", "my own": "own"}), *self._knobs(view, "anchor_every"),
                 segmented(race.param.step, {best: "best", "one for all": "common"}),
                 *self._knobs(view, "step_size", *last, "chains", "seed")]
        looks = {key: sampler_look(key, NAMES) for key in SAMPLERS}
        rows = [[key, look.name, *look.sign, "", "", term_name(look.name)] for key, look in looks.items()]
        return [Section("", [buttons], hidden=hidden), *(data or []),
                Section("Samplers", [switches(race.param.samplers, rows)], hidden=hidden),
                Section("Run", knobs, race.to_defaults, action="defaults", hint="Reset the knobs", hidden=hidden)]

    def _data(self) -> list[Section]:
        filed = pn.bind(lambda source, asking: source == "file" or asking, self.state.nll.param.source, self.param.asking)
        front = self.state.param.view
        return [
            Section("Data", [self.source], hidden=self._hidden(LIKELIHOOD)),
            Section("", [self.paper], note=pn.bind(self._paper_words, self.state.nll.param.source),
                    hidden=pn.bind(lambda view, source, asking: view != LIKELIHOOD or source not in PAPER_ROWS or asking,
                                   front, self.state.nll.param.source, self.param.asking)),
            Section("", self._knobs(LIKELIHOOD, "n", "dim"),
                    hidden=pn.bind(lambda view, filed, source: view != LIKELIHOOD or filed or source in PAPER_ROWS, front,
                                   filed, self.state.nll.param.source)),
            Section("", [self.picker, *self.columns.items, *self._knobs(LIKELIHOOD, "train")],
                    hidden=pn.bind(lambda view, filed: view != LIKELIHOOD or not filed, front, filed))]

    # The user's file

    def _to_own_file(self) -> None:
        self.state.view = LIKELIHOOD
        self._choose_source("file")
        self.source.value = "file"

    def _choose_source(self, value: str) -> None:
        if value == "file" and self.own is None:  # no file yet: only display the picker
            if not self.asking:
                self.asking, self._words_before, self._likelihood.words = True, self._likelihood.words, CHOOSE
            return
        self.asking = False
        if self._likelihood.words == CHOOSE:
            self._likelihood.words = self._words_before
        here = next((name for name in PAPER_ROWS if PAPER_DATA[name].here), "mushrooms")
        self.state.nll.take((self.paper.value or here) if value == PAPER else value)

    def _show_source(self, source: str) -> None:
        self.source.value = PAPER if source in PAPER_ROWS else source
        if source in PAPER_ROWS:
            self.paper.value = source

    @staticmethod
    def _paper_words(source: str) -> str:
        if source not in PAPER_ROWS:
            return ""
        data = PAPER_DATA[source]
        if not data.here:
            return f"{data.where[0].upper()}{data.where[1:].rpartition(', and')[0]}, and choose it under “my own file”."
        return f"{data.train:,} training rows, {data.test:,} test rows, {data.columns} features (Table 2)."

    def _on_file(self, path: Path) -> None:
        self.asking = False
        self.columns.begin(OwnFile(path).columns.response)
        self._run_on(OwnFile(path, self.columns.response))

    def _on_removal(self) -> None:
        self.own, self.asking = None, False
        self.columns.begin()
        self.columns.offer({}, {}, ())
        self._use_file(None)

    def _take_choices(self) -> None:
        """Run on the file with the chosen label, categories and positive class."""
        chosen = self.columns
        self._run_on(OwnFile(self.own.path, chosen.response, tuple(chosen.encoded), chosen.positive))

    def _run_on(self, own: OwnFile) -> None:
        self.own = own
        names = own.columns.names
        labels = {f"{name} (last)" if name == names[-1] else name: name for name in names}
        self.columns.offer(labels, own.columns.words, own.columns.classes)
        self._use_file(own)

    def show_file(self, update: JobUpdate) -> None:
        """Display the worker's description of the file or its error."""
        own = self.own
        self.picker.param.update(words=own.words(), error=update.error if own.table is None or update.error else "")
