"""The cards of the Tune page."""

from __future__ import annotations

from collections.abc import Callable

from app.tune.charts.sheet import TuneSheet
from app.widgets.figure_card import FigureCard
from app.widgets.text_card import TextCard

WAITING = "Measuring the curvature …"


def map_card(sheet: TuneSheet, acts: dict[str, Callable]) -> FigureCard:
    """The map of all settings."""
    return FigureCard([sheet.map.figure], sheet.fit_map, acts, label="Accuracy for each setting",
                      heads=[["Accuracy for each setting", ""]], exports=["csv", "png"], filename="sweep",
                      stepped="step size", empty=WAITING)


def slice_card(sheet: TuneSheet) -> FigureCard:
    """One row of the map."""
    return FigureCard([sheet.slice.figure], sheet.fit_slice, {}, label="Accuracy along a row",
                      heads=[["Along the row", ""]], exports=["png"], filename="sweep-row")


def watch_card(sheet: TuneSheet) -> FigureCard:
    """What the stream itself says, with no truth known."""
    return FigureCard([sheet.score.figure, sheet.calibration.figure], sheet.fit_watch, {}, row=True,
                      label="With no truth known",
                      heads=[["With no truth known", "this setting run once as in production, judged by the stream alone"],
                             ["Log score of rows foretold", ""], ["Calibration", ""]],
                      exports=["png"], filename="sweep-watch")


def advice_card() -> TextCard:
    """Where to start, and what the formula takes for granted."""
    return TextCard(title="Advisor")
