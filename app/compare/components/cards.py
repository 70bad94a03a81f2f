"""The cards of figures of the Compare page, and how they stand under each view."""

from __future__ import annotations

from collections.abc import Callable

from app.compare.charts.scene_panel import ScenePanel
from app.compare.config import STEPS
from app.compare.papers_words import PAPER_EMPTY, TABLES_EMPTY
from app.widgets.figure_card import FigureCard

Acts = dict[str, Callable]


def _layout(head: str, left: str, right: str) -> str:
    return (f"grid-template: '{head} {head}' max(400px, 57cqh) 'table text' max(300px, 43cqh - 12px)"
            f" '{left} {right}' 372px / minmax(0, 790fr) minmax(0, 346fr)")


LAYOUTS = {"race": _layout("chart", "paper", "tables"), "paper": _layout("paper", "chart", "tables"),
           "tables": _layout("tables", "chart", "paper")}
"""View -> grid: its own figure first, table and words below it, the other figures last."""


def chart_card(panel: ScenePanel, acts: Acts) -> FigureCard:
    """The race."""
    return FigureCard(
        [panel.figure], panel.fit, acts, label="Accuracy against cost", heads=[["Accuracy against cost", ""]],
        segments=[["against", [["evaluations", "Evaluations"], ["seconds", "Seconds"], ["t", "t"]]],
                  ["scale", [["log", "Log"], ["linear", "Linear"]]]],
        exports=["csv", "png"], filename="compare-race")


def paper_card(panel: ScenePanel, acts: Acts) -> FigureCard:
    """Figure 1 of LMV."""
    return FigureCard(
        [panel.figure], panel.fit, acts, label="Figure 1 of the paper",
        heads=[["The paper’s Figure 1", "points: data sets; diamonds: as printed"]],
        segments=[["steps", [[str(s), f"{s:,}" + (" steps" if s == STEPS[0] else "")] for s in STEPS]]],
        exports=["csv", "png"], filename="compare-figure-1", caption=PAPER_EMPTY)


def tables_card(panel: ScenePanel, acts: Acts) -> FigureCard:
    """The tables as measurements."""
    return FigureCard(
        [panel.figure], panel.fit, acts, label="Evaluations against T",
        heads=[["Evaluations against T", ""]],
        segments=[["table", [["online", "As data arrive"], ["fixed", "Cold start"]]]],
        exports=["csv", "png"], filename="compare-tables", empty=TABLES_EMPTY, button="Measure the tables")
