"""The cards of figures of the Compare page, and how they stand under each view."""

from __future__ import annotations

from collections.abc import Callable

from app.compare.paper_words import PAPER_EMPTY, TABLES_EMPTY
from app.compare.race_words import NOT_RUN
from app.plots import cost_growth, paper_figure_one, race
from app.state.compare import CompareState
from app.widgets.figure_card import FigureCard
from app.widgets.figure_view import FigureView
from sampler.racing import FigureOne

Acts = dict[str, Callable]


def _layout(head: str, left: str, right: str) -> str:
    return ("grid-template-columns: repeat(12, minmax(0, 1fr));"
            " grid-template-rows: max(420px, .58 * var(--lab-room)) auto 400px;"
            f' grid-template-areas: "{" ".join([head] * 8 + ["text"] * 4)}" "{" ".join(["table"] * 12)}"'
            f' "{" ".join([left] * 6 + [right] * 6)}"')


LAYOUTS = {"race": _layout("chart", "paper", "tables"), "paper": _layout("paper", "chart", "tables"),
           "tables": _layout("tables", "chart", "paper")}
"""View -> grid: its own figure and what it says, the table under them, the other figures last."""


def race_card(acts: Acts) -> FigureCard:
    """The race."""
    return FigureCard(
        [FigureView(race({}), 340)], acts=acts, label="Accuracy against cost", heads=[["Accuracy against cost", ""]],
        segments=[["against", [["evaluations", "Evaluations"], ["seconds", "Seconds"], ["t", "t"]]],
                  ["scale", [["log", "Log"], ["linear", "Linear"]]]],
        exports=["csv", "png", "svg"], filename="compare-race", empty=NOT_RUN, button="Compare")


def paper_card(acts: Acts) -> FigureCard:
    """Figure 1 of LMV."""
    steps = CompareState.param.steps.objects
    return FigureCard(
        [FigureView(paper_figure_one(None, FigureOne.as_printed()), 340)], acts=acts, label="Figure 1 of the paper",
        heads=[["The paper’s Figure 1", ""]],
        segments=[["steps", [[str(s), f"{s:,}" + (" steps" if s == steps[0] else "")] for s in steps]]],
        exports=["csv", "png", "svg"], filename="compare-figure-1", caption=PAPER_EMPTY)


def tables_card(acts: Acts) -> FigureCard:
    """The tables as measurements."""
    return FigureCard(
        [FigureView(cost_growth({}), 340)], acts=acts, label="Evaluations against T", heads=[["Evaluations against T", ""]],
        segments=[["table", [["online", "As data arrive"], ["fixed", "Cold start"]]]],
        exports=["csv", "png", "svg"], filename="compare-tables", empty=TABLES_EMPTY, button="Measure the tables")
