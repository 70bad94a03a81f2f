"""`TuneSidebar`: data, ranges, batches, scoring and run buttons of the Tune page."""

from collections.abc import Callable
from functools import partial

import panel as pn
import param

from app.glossary import term_name
from app.jobs.background_job import JobUpdate
from app.js.component import LabComponent
from app.state.parameters.advised_knob import KnobRange
from app.state.tune import ALGORITHMS, BATCHES, BOTH, KINDS, REFERENCES, TuneState, eta0_values, i_max_values
from app.state.user_data import UserData
from app.tune import sweep_words
from app.tune.file_choice import FileChoice
from app.tune.kept_files import plain_name
from app.tune.result import TuneResult
from app.tune.tuning_rows import EXAMPLES
from app.visit import Visit
from app.widgets.choices import RunButtons, SwitchList
from app.widgets.knob_slider import KnobSlider, NumberEntry
from app.widgets.page_shell import PageSidebar, Section
from app.widgets.param_controls import menu, segmented


class RangeSlider(NumberEntry):
    """Slider of a `KnobRange` of a page's state; sets it with `state.put_range`."""

    value = param.List([], allow_refs=True, doc="Smallest and largest value; empty if not set yet.")
    count = param.String("", allow_refs=True, doc="Number of values in the range.")

    @classmethod
    def from_param(cls, knob: KnobRange, values: Callable[[tuple], tuple], **params: object) -> "RangeSlider":
        """Return the slider of a range such as ``state.param.eta0``; `values` returns the values in a range."""
        low, high = knob.bounds
        return cls(knob, value=pn.bind(lambda pair: list(pair or ()), knob), words=knob.label, help=knob.doc,
                   term=term_name(knob.label.split(",")[0]), low=low, high=high,
                   count=pn.bind(lambda pair: "" if pair is None else f"{len(values(pair))}", knob),
                   symbol=knob.symbol, whole=knob.whole, css_classes=[f"range-{knob.name}"],
                   sizing_mode="stretch_width", margin=0, **params)

    def on_range(self, low: float | str, high: float | str) -> None:
        """Set both ends from slider or text; invalid ends are reported and leave the range unchanged."""
        self._put(self._knob.owner.put_range, low, high)
        self.send_msg({"value": self.value})


FIRST = "Run as advised"
OFFERED = 3
"""Number of batch sizes offered at a time."""


class Batches(LabComponent):
    """Chips of a state's batch sizes.

    Parameters
    ----------
    state
        State of the page.
    show
        Called with the batch size to display.
    refused
        Called with the reason if a batch size is refused, else with an empty string.
    """

    swept = param.List([], allow_refs=True, doc="Batch sizes in the sweep, ascending.")
    offered = param.List([], allow_refs=True, doc="Batch sizes that can be added.")
    shown = param.Integer(0, doc="Batch size of the map.")

    def __init__(self, state: TuneState, show: Callable[[int], None], refused: Callable[[str], None],
                 **params: object) -> None:
        self._state, self._show, self._refused = state, show, refused
        batches = state.param.batches
        offered = pn.bind(lambda swept: [b for b in BATCHES if b not in (swept or BATCHES)][:OFFERED], batches)
        super().__init__(swept=pn.bind(lambda swept: list(swept or ()), batches), offered=offered,
                         sizing_mode="stretch_width", margin=0, **params)

    def on_add(self, batch: int) -> None:
        """Add a batch size to the sweep."""
        try:
            self._state.add_batch(int(batch))
            self._refused("")
        except ValueError as wrong:
            self._refused(str(wrong))

    def on_remove(self, batch: int) -> None:
        """Remove a batch size from the sweep."""
        self._state.remove_batch(int(batch))
        self._refused("")

    def on_show(self, batch: int) -> None:
        """Display the cells of a batch size."""
        self._show(int(batch))


OTHER_KINDS = {"oracle": "your own", "gaussian_mean": "mean, built in"}
"""Kind of problem, for problems from a notebook or the command line only -> label."""


class TuneSidebar(param.Parameterized):
    """Controls of a state; buttons call `first()`, `sweep()` and `cancel()`, chips `show_batch(b)`."""

    loaded_kind = param.String("", doc="Kind of the displayed problem; empty before the first.")
    refused = param.String("", doc="Why the preconditioned algorithm does not support this problem; empty if it does.")

    def __init__(self, state: TuneState, user_data: Callable[[], UserData | None], first: Callable[[], None],
                 sweep: Callable[[], None], cancel: Callable[[], None], show_batch: Callable[[int], None],
                 visit: Visit | None = None) -> None:
        super().__init__()
        self._state, params = state, state.param
        self.file = FileChoice(state.set_source, visit)
        self.data = menu(params.data, pn.bind(partial(_streams, user_data), params.data), partial(state.choose, "data"))
        self.kind = menu(params.kind, pn.bind(_kinds, params.kind, params.data, self.param.loaded_kind),
                         partial(state.choose, "kind"))
        self.reference = menu(params.reference, {words: key for key, words in REFERENCES.items()})
        self.algorithm = segmented(
            params.algorithm, {words[0].upper() + words[1:]: name for name, words in ALGORITHMS.items()},
            partial(state.choose, "algorithm"), label="", spoken="Algorithm", css_classes=["swept-algorithm"],
            refused=pn.bind(lambda words: dict.fromkeys(("preconditioned", BOTH), words) if words else {},
                            self.param.refused))
        self.ranges = {"eta0": RangeSlider.from_param(params.eta0, eta0_values),
                       "whitened_eta0": RangeSlider.from_param(params.whitened_eta0, eta0_values),
                       "i_max": RangeSlider.from_param(params.i_max, i_max_values)}
        self.knobs = {name: KnobSlider.from_param(params[name])
                      for name in ("acceptance_radius", "whitened_radius", "chains", "rows")}
        for one, left_out in ((self.ranges["eta0"], "preconditioned"), (self.knobs["acceptance_radius"], "preconditioned"),
                              (self.ranges["whitened_eta0"], "saga-ld"), (self.knobs["whitened_radius"], "saga-ld")):
            one.visible = pn.bind(lambda swept, left_out: swept != left_out, params.algorithm, left_out)
        self.batches = Batches(state, show_batch, lambda words: self.sweep.param.update(note=words))
        self.early = SwitchList(state.choose, label="Giving up", active=pn.bind(lambda on: ["prune"] * on, params.prune),
                                rows=[["prune", params.prune.label, "", "", ""]])
        self.run = RunButtons(first, cancel, lambda key: sweep(), label=FIRST, others=_sweeps("Sweep"))
        heads = {name: pn.pane.HTML(f"<b style='font-size:12px'>{words[0].upper()}{words[1:]}</b>", margin=0,
                                    visible=pn.bind(lambda swept: swept == BOTH, params.algorithm))
                 for name, words in ALGORITHMS.items() if name != BOTH}
        self.sweep = Section("Sweep", [
            self.algorithm, heads["saga-ld"], self.ranges["eta0"], self.knobs["acceptance_radius"], heads["preconditioned"],
            self.ranges["whitened_eta0"], self.knobs["whitened_radius"], self.ranges["i_max"], self.batches,
            self.knobs["chains"], self.early])
        score = Section("Score", [self.knobs["rows"], self.reference], note=pn.bind(
            lambda rows: "" if rows is None else f"Accuracy, t = {rows // 2:,} … {rows:,}", params.rows))
        self.view = PageSidebar([Section("Your problem", [self.data, self.kind, self.file.picker, self.file.dialog]),
                                 self.sweep, score, Section("", [self.run])])

    def show(self, result: TuneResult) -> None:
        """Update the controls that depend on a result: kind of problem and selected batch size."""
        if result.stream.source == self._state.frozen().source:
            self.param.update(loaded_kind=result.stream.kind, refused=result.stream.unpreconditioned)
        self.batches.shown = result.looked_at.batch_size

    def show_progress(self, update: JobUpdate, result: TuneResult | None, workers: int, cluster: bool,
                      advised: bool = False) -> None:
        """Display the progress of the sweep, or of the advised setting's runs."""
        run = self.run
        run.show(update, sweep_words.progress_count(result, advised, update.done))
        label = "Sweep" if result is None or not result.finished else "Sweep again" if result.whole else "Go on"
        words = update.words if not update.done else ""
        if result is not None and (update.done or update.words in ("trying settings", "running elsewhere")):
            words = sweep_words.about_sweep(result, workers, cluster)
        done = result is not None and update.done and not advised
        fraction = len(result.finished) / result.config.cells if done else run.fraction
        label = "Sweep here" if result is not None and result.shipped else label
        run.param.update(others=_sweeps(label), words=words, running=not update.done, fraction=fraction)


def _sweeps(label: str) -> list[list[str]]:
    """Return the second button, which starts the sweep."""
    return [["sweep", label, "Try all settings of the map, if the advised one is not safe or to find a cheaper one"]]


def _streams(user_data: Callable[[], UserData | None], data: str) -> dict[str, str]:
    """Return label -> key of the available streams."""
    streams = {example.label: example.key for example in EXAMPLES.values()}
    own = user_data()
    if own is not None and not data.startswith("file-"):  # else it is the file itself
        streams[own.label] = "given"
    elif data == "given":
        streams["your own problem"] = "given"
    if data.startswith("file-"):
        streams[plain_name(data.removeprefix("file-"))] = data
    return streams


def _kinds(kind: str, data: str, loaded: str) -> dict[str, str]:
    """Return label -> kind; the kind inferred from the data is the empty string."""
    natural = loaded if not kind else ""
    if natural and natural not in KINDS:
        return {OTHER_KINDS.get(natural, natural): ""}
    if data == "given":
        return {KINDS.get(natural, "as defined"): ""}
    kinds = {words: "" if key == natural else key for key, words in KINDS.items()}
    return kinds if kind or natural else {"from the data": "", **kinds}
