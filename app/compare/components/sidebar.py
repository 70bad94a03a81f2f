"""The Compare page's sidebar: problem, samplers, buttons, budget, knobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param

from app.compare.sampler_names import switch_rows
from app.state.compare import CORESET, PROBLEMS, CompareState
from app.state.problem_menu import stream_labels
from app.widgets.controls import menu, segmented, switches
from app.widgets.knob_slider import KnobSlider
from app.widgets.run_buttons import RunButtons
from app.widgets.sidebar import PageSidebar, Section

OTHERS = [["paper", "The paper’s Figure 1", "Eight data sets, 1,000 runs of the last epoch, beside the printed numbers"],
          ["tables", "The papers’ tables", "Evaluations to reach one accuracy against T, slopes fitted"]]
LABELS = {"race": "Compare", "paper": "Run Figure 1", "tables": "Measure"}


class CompareSidebar(param.Parameterized):
    """Widgets of a state; `offered` is the coreset that can be raced on, if any."""

    offered = param.Parameter(None, doc="Coreset posterior that the Coreset page left.")

    def __init__(self, state: CompareState, run: Callable[[], None], cancel: Callable[[], None],
                 view: Callable[[str], None], **params: Any) -> None:
        super().__init__(**params)
        values = state.param
        self.problem = menu(values.problem, pn.bind(problems, self.param.offered),
                            choose=lambda key: state.choose_problem(key, self.offered))
        self.stream = menu(values.stream, pn.bind(streams, values.problem),
                           disabled=pn.bind(lambda problem: problem == CORESET, values.problem))
        self.samplers = switches(values.samplers, pn.bind(
            lambda *changed: switch_rows(state.frozen()), values.problem, values.eta0, values.coreset))
        self.budget = segmented(values.budget, {"Evaluations": "evaluations", "Seconds": "seconds"})
        self.knobs = {name: KnobSlider.from_param(values[name], grouped=True) for name in state.knobs()}
        for name in ("evaluations", "seconds"):
            self.knobs[name].visible = pn.bind(lambda budget, name=name: budget == name, values.budget)
        self.buttons = RunButtons(run, cancel, view, others=OTHERS, label=pn.bind(LABELS.get, values.view),
                                  pressed=pn.bind(lambda view: "" if view == "race" else view, values.view))
        self.view = PageSidebar([
            Section("Problem", [self.problem, self.stream]),
            Section("Samplers", [self.samplers]),
            Section("Run", [self.buttons]),
            Section("Budget", [self.budget, self.knobs["evaluations"], self.knobs["seconds"]]),
            Section("Knobs", [self.knobs[name] for name in ("t", "eta0", "batch_size", "chains", "seed")])])


def problems(coreset: Any) -> dict[str, str]:
    """Return words -> key of the problem menu."""
    return {choice.label: key for key, choice in PROBLEMS.items()} | ({coreset.label: CORESET} if coreset else {})


def streams(problem: str) -> dict[str, str]:
    """Return words -> key of the stream menu."""
    found = stream_labels(PROBLEMS[problem].kind if problem in PROBLEMS else "")
    if problem == "logistic21":
        found = {"As the paper’s Figure 1": found.pop("As the paper")} | found
    return found
