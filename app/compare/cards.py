"""Cards and sidebar of the Compare page."""

from collections.abc import Callable
from typing import Any

import panel as pn
import param

from app.compare.method_map import CAPTION, HEAD, OPENS_ON, shipped_map, spoken_of
from app.compare.race_problems import switch_rows
from app.compare.race_words import NOT_RUN, PAPER_EMPTY, TABLES_EMPTY
from app.plots import cost_growth, method_map, paper_figure_one, race
from app.state.compare import CORESET, PROBLEMS, RARER, USUAL, CompareState
from app.state.live_menu import stream_labels
from app.widgets.choices import RunButtons
from app.widgets.figure_card import FigureCard, FigureView
from app.widgets.knob_slider import KnobSlider
from app.widgets.page_shell import PageSidebar, Section
from app.widgets.param_controls import menu, segmented, switches
from sampler.racing import FigureOne

Acts = dict[str, Callable]


TALL = "max(420px, .58 * var(--lab-room))"
FIGURES = {"race": "chart", "paper": "paper", "tables": "tables"}
"""View -> area of its figure."""


def layout_of(view: str, opened: bool) -> str:
    """Return the grid of a view: its figure and text, the table below, the other figures last.

    The map of methods is at the top before the first request, and at the bottom afterwards.
    """
    head = FIGURES[view]
    left, right = (figure for figure in FIGURES.values() if figure != head)
    rows = [([head] * 8 + ["text"] * 4, TALL), (["table"] * 12, "auto"), ([left] * 6 + [right] * 6, "400px")]
    which = [(["map"] * 12, "max(480px, .72 * var(--lab-room))"), (["which"] * 12, "auto")]
    rows = which + rows if opened else rows + which
    areas = " ".join(f'"{" ".join(row)}"' for row, _ in rows)
    return ("grid-template-columns: repeat(12, minmax(0, 1fr));"
            f" grid-template-rows: {' '.join(tall for _, tall in rows)}; grid-template-areas: {areas}")


def map_card(acts: Acts) -> FigureCard:
    """Return the map of methods, with a choice of the dimension."""
    table = shipped_map()
    dims = [[str(dim), str(dim) if k else f"d = {dim}"] for k, dim in enumerate(table.dims)]
    return FigureCard(
        [FigureView(method_map(table, OPENS_ON), 540)], acts=acts, label=HEAD[0], heads=[HEAD], segments=[["dim", dims]],
        chosen={"dim": str(OPENS_ON)}, exports=["csv", "png", "svg"], filename="which-to-use",
        caption=CAPTION + table.words, spoken=spoken_of(table, OPENS_ON))


def race_card(acts: Acts) -> FigureCard:
    """Return the card of the race."""
    return FigureCard(
        [FigureView(race({}), 340)], acts=acts, label="Accuracy against cost", heads=[["Accuracy against cost", ""]],
        segments=[["against", [["evaluations", "Evaluations"], ["seconds", "Seconds"], ["t", "t"]]],
                  ["scale", [["log", "Log"], ["linear", "Linear"]]]],
        exports=["csv", "png", "svg"], filename="compare-race", empty=NOT_RUN, button="Compare")


def paper_card(acts: Acts) -> FigureCard:
    """Return the card of LMV's Figure 1."""
    steps = CompareState.param.steps.objects
    return FigureCard(
        [FigureView(paper_figure_one(None, FigureOne.printed), 340)], acts=acts, label="Figure 1 of the paper",
        heads=[["The paper’s Figure 1", ""]],
        segments=[["steps", [[str(s), f"{s:,}" + (" steps" if s == steps[0] else "")] for s in steps]]],
        exports=["csv", "png", "svg"], filename="compare-figure-1", caption=PAPER_EMPTY)


def tables_card(acts: Acts) -> FigureCard:
    """Return the card of the measured tables."""
    return FigureCard(
        [FigureView(cost_growth({}), 340)], acts=acts, label="Evaluations against T", heads=[["Evaluations against T", ""]],
        segments=[["table", [["online", "As data arrive"], ["fixed", "Cold start"]]]],
        exports=["csv", "png", "svg"], filename="compare-tables", empty=TABLES_EMPTY, button="Measure the tables")


OTHERS = [["paper", "The paper’s Figure 1", "Eight data sets, 1,000 runs of the last epoch, next to the printed numbers"],
          ["tables", "The papers’ tables", "Evaluations to reach one accuracy against T, slopes fitted"]]
LABELS = {"race": "Compare", "paper": "Run Figure 1", "tables": "Measure"}


class CompareSidebar(param.Parameterized):
    """Widgets of a state; `offered` is an optional coreset as a problem."""

    offered = param.Parameter(None, doc="Coreset posterior from the Coreset page.")

    def __init__(self, state: CompareState, run: Callable[[], None], cancel: Callable[[], None],
                 view: Callable[[str], None], **params: Any) -> None:
        super().__init__(**params)
        values = state.param
        problems = pn.bind(lambda coreset: {choice.label: key for key, choice in PROBLEMS.items()}
                           | ({coreset.label: CORESET} if coreset else {}), self.param.offered)
        self.problem = menu(values.problem, problems,
                            choose=lambda key: state.choose_problem(key, self.offered))
        self.stream = menu(values.stream, pn.bind(streams, values.problem),
                           visible=pn.bind(lambda problem: problem != CORESET, values.problem))
        self.samplers, self.others = (
            switches(values.samplers, pn.bind(lambda *changed, keys=keys: switch_rows(state.frozen(), keys), values.problem,
                                              values.eta0, values.coreset), label=label)
            for label, keys in (("Samplers", USUAL), ("More samplers", RARER)))
        self.budget = segmented(values.budget, {"Evaluations": "evaluations", "Seconds": "seconds"})
        self.knobs = {name: KnobSlider.from_param(values[name], grouped=True) for name in state.knobs()}
        for name in ("evaluations", "seconds"):
            self.knobs[name].visible = pn.bind(lambda budget, name=name: budget == name, values.budget)
        self.buttons = RunButtons(run, cancel, view, others=OTHERS, label=pn.bind(LABELS.get, values.view),
                                  pressed=pn.bind(lambda view: "" if view == "race" else view, values.view))
        self.view = PageSidebar([
            Section("Problem", [self.problem, self.stream]),
            Section("Samplers", [self.samplers], more=[self.others], more_words=f"{len(RARER)} more samplers",
                    unfolded=not {*RARER}.isdisjoint(state.samplers)),
            Section("Run", [self.buttons]),
            Section("Budget", [self.budget, self.knobs["evaluations"], self.knobs["seconds"]]),
            Section("Knobs", [self.knobs[name] for name in ("t", "eta0", "batch_size", "chains", "seed")])])


def streams(problem: str) -> dict[str, str]:
    """Return label -> key for the stream menu."""
    labels = stream_labels(PROBLEMS[problem].problem.kind if problem in PROBLEMS else "")
    if problem == "logistic21":
        labels = {"As the paper’s Figure 1": labels.pop("As the paper")} | labels
    return labels
