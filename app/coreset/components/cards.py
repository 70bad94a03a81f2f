"""The cards of figures of the Coreset page, with their titles and captions."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from app.coreset import words
from app.coreset.charts.paper import PaperSheet
from app.coreset.charts.sheet import Sheet
from app.widgets.figure_card import FigureCard

Acts = dict[str, Callable]


def scores_card(sheet: Sheet, acts: Acts) -> FigureCard:
    """Z-scores and the variance ratio."""
    return FigureCard(
        [sheet.scores.figure, sheet.spread.figure], sheet.fit_scores, acts, label="Z-scores and variance ratio",
        heads=[["Average squared z-score", "Eq. 6, of the second half of all draws so far"],
               ["Posterior variance ratio", "coreset ÷ full data, which the z-score does not see"]],
        exports=["csv", "png"], filename="coreset-scores", caption=words.reading(None))


def points_card(sheet: Sheet, acts: Acts) -> FigureCard:
    """Coreset points over the data."""
    return FigureCard(
        [sheet.points.figure], sheet.fit_one("points"), acts, label="Coreset points and their weights",
        heads=[["The coreset", ""]], segments=[["view", [["response", "as modelled"], ["principal", "principal axes"]]]],
        chosen={"view": "response"}, exports=["png"], filename="coreset-points", caption=words.points_reading(None))


def hot_card(sheet: Sheet) -> FigureCard:
    """The hot-start statistic."""
    return FigureCard(
        [sheet.hot.figure], sheet.fit_one("hot"), label="Hot-start statistic",
        heads=[["Hot start", "have the chains settled?"]], exports=["png"], filename="coreset-hot-start")


def small_card(sheet: Sheet, name: str, title: str, subtitle: str, caption: str) -> FigureCard:
    """One of the three figures of the second row."""
    return FigureCard([getattr(sheet, name).figure], sheet.fit_one(name), label=title, heads=[[title, subtitle]],
                      exports=["png"], filename=f"coreset-{name}", caption=caption)


class PaperCard(FigureCard):
    """Six figures, three in a row, one in a row on a phone."""

    _stylesheets: ClassVar[list[str]] = [*FigureCard._stylesheets, (
        ".row .stack{grid-template-columns:repeat(3,minmax(0,1fr));align-content:start}"
        "@media (max-width:719.98px){.row .stack{grid-template-columns:minmax(0,1fr)}}"
        ".proof i{font-style:normal;font-weight:700;letter-spacing:-1px;margin-right:3px}")]


def paper_card(sheet: PaperSheet, acts: Acts) -> PaperCard:
    """The paper's figure chosen, a panel a model."""
    return PaperCard([panel.figure for panel in sheet.panels], sheet.fit, acts, row=True, label="The paper’s figure",
                     heads=[["", ""]] * 7, exports=["csv", "png"], filename="hot-dog-figure")
