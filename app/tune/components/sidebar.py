"""The sidebar of the Tune page: data, ranges, how cells are judged, and the buttons that run it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import panel as pn
import param

from app.background_job import JobUpdate
from app.state.tune import ALGORITHMS, BOTH, KINDS, REFERENCES, TuneState, eta0_values, i_max_values
from app.tune import sweep_words
from app.tune.components.batches import Batches
from app.tune.components.range_slider import RangeSlider
from app.tune.example_streams import EXAMPLES
from app.tune.file_choice import FileChoice
from app.tune.kept_files import plain_name
from app.tune.result import TuneResult
from app.user_data import Given
from app.widgets.controls import menu, segmented
from app.widgets.knob_slider import KnobSlider
from app.widgets.run_buttons import RunButtons
from app.widgets.sidebar import PageSidebar, Section
from app.widgets.switch_list import SwitchList

OTHER_KINDS = {"oracle": "your own", "gaussian_mean": "mean, built in"}
"""Kinds of problems that only a notebook or the command line can give -> words."""


class TuneSidebar(param.Parameterized):
    """Controls made from a state. `sweep()` and `cancel()` are called by the buttons, `show_batch(b)` by chips."""

    loaded_kind = param.String("", doc="Kind of the problem that is shown; empty before there is one.")
    refused = param.String("", doc="Why the preconditioned algorithm is not for the problem shown; empty where it is.")

    def __init__(self, state: TuneState, given: Callable[[], Given | None], sweep: Callable[[], None],
                 cancel: Callable[[], None], show_batch: Callable[[int], None]) -> None:
        super().__init__()
        self._state, known = state, state.param
        self.file = FileChoice(state.bring)
        self.data = menu(known.data, pn.bind(partial(_streams, given), known.data), partial(state.choose, "data"))
        self.kind = menu(known.kind, pn.bind(_kinds, known.kind, known.data, self.param.loaded_kind),
                         partial(state.choose, "kind"))
        self.reference = menu(known.reference, {said: key for key, said in REFERENCES.items()})
        self.algorithm = segmented(
            known.algorithm, {words[0].upper() + words[1:]: name for name, words in ALGORITHMS.items()},
            partial(state.choose, "algorithm"), label="", spoken="Algorithm", css_classes=["swept-algorithm"],
            refused=pn.bind(_refused, self.param.refused))
        self.ranges = {"eta0": RangeSlider.from_param(known.eta0, eta0_values),
                       "whitened_eta0": RangeSlider.from_param(known.whitened_eta0, eta0_values),
                       "i_max": RangeSlider.from_param(known.i_max, i_max_values)}
        self.knobs = {name: KnobSlider.from_param(known[name])
                      for name in ("acceptance_radius", "whitened_radius", "chains", "rows")}
        for one, left_out in ((self.ranges["eta0"], "preconditioned"), (self.knobs["acceptance_radius"], "preconditioned"),
                              (self.ranges["whitened_eta0"], "saga-ld"), (self.knobs["whitened_radius"], "saga-ld")):
            one.visible = pn.bind(lambda swept, left_out: swept != left_out, known.algorithm, left_out)
        self.batches = Batches(state, show_batch, lambda said: self.sweep.param.update(note=said))
        self.early = SwitchList(state.choose, label="Giving up", active=pn.bind(lambda on: ["prune"] * on, known.prune),
                                rows=[["prune", known.prune.label, "", "", ""]])
        self.run = RunButtons(sweep, cancel, label="Sweep")
        whose = {name: pn.pane.HTML(f"<b style='font-size:12px'>{words[0].upper()}{words[1:]}</b>", margin=0,
                                    visible=pn.bind(lambda swept: swept == BOTH, known.algorithm))
                 for name, words in ALGORITHMS.items() if name != BOTH}
        self.sweep = Section("Sweep", [
            self.algorithm, whose["saga-ld"], self.ranges["eta0"], self.knobs["acceptance_radius"], whose["preconditioned"],
            self.ranges["whitened_eta0"], self.knobs["whitened_radius"], self.ranges["i_max"], self.batches,
            self.knobs["chains"], self.early])
        score = Section("Score", [self.knobs["rows"], self.reference], note=pn.bind(sweep_words.judged_rows, known.rows))
        self.view = PageSidebar([Section("Your problem", [self.data, self.kind, self.file.picker, self.file.dialog]),
                                 self.sweep, score, Section("", [self.run])])

    def show(self, result: TuneResult) -> None:
        """Show what depends on a result: its kind of problem, and the batch looked at."""
        if result.stream.source == self._state.frozen().source:
            self.param.update(loaded_kind=result.stream.kind, refused=result.stream.unpreconditioned)
        self.batches.shown = result.looked_at.batch_size

    def show_progress(self, update: JobUpdate, result: TuneResult | None, workers: int, cluster: bool) -> None:
        """Show how the sweep stands."""
        run, count = self.run, "" if result is None else f"{len(result.finished)} of {result.total} cells"
        run.show(update, count)
        label = "Sweep" if result is None or not result.finished else "Sweep again" if result.whole else "Go on"
        says = update.words if not update.done else ""
        if result is not None and (update.done or update.words in ("trying settings", "looking on")):
            says = sweep_words.about_sweep(result, workers, cluster)
        fraction = len(result.finished) / result.total if result is not None and update.done else run.fraction
        run.param.update(label="Sweep here" if result is not None and result.shipped else label, words=says,
                         running=not update.done, fraction=fraction)


def _refused(words: str) -> dict[str, str]:
    """Choice of algorithm -> why it cannot be made."""
    return {name: words for name in ALGORITHMS if name != "saga-ld" and words}


def _streams(given: Callable[[], Given | None], data: str) -> dict[str, str]:
    """Words -> key of each stream that can be chosen."""
    found = {example.label: example.key for example in EXAMPLES.values()}
    own = given()
    if own is not None:
        found[own.label] = "given"
    elif data == "given":
        found["your own problem"] = "given"
    if data.startswith("file-"):
        found[plain_name(data.removeprefix("file-"))] = data
    return found


def _kinds(kind: str, data: str, loaded: str) -> dict[str, str]:
    """Words -> kind; the one the data ask for has the empty kind."""
    natural = loaded if not kind else ""
    if natural and natural not in KINDS:
        return {OTHER_KINDS.get(natural, natural): ""}
    if data == "given":
        return {KINDS.get(natural, "as given"): ""}
    found = {said: "" if key == natural else key for key, said in KINDS.items()}
    return found if kind or natural else {"as the data say": "", **found}
