"""The cards of figures of the Coreset page, with their titles and captions."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from app.coreset import run_words
from app.glossary import marked
from app.plots import (
    coreset_norms,
    coreset_panel,
    coreset_points,
    coreset_rates,
    coreset_scores,
    coreset_sums,
    coreset_variance,
    hot_start,
)
from app.state.coreset import MODELS
from app.widgets.figure_card import FigureCard
from app.widgets.figure_view import FigureView

Acts = dict[str, Callable]
EXPORTS = ["png", "svg"]


def scores_card(acts: Acts) -> FigureCard:
    """Z-scores and the variance ratio."""
    return FigureCard(
        [FigureView(coreset_scores({}), 240, share=0.6), FigureView(coreset_variance({}), 190, share=0.4)], acts=acts,
        label="Z-scores and variance ratio",
        heads=[[marked("Average squared [[z-score]]"), "Eq. 6, of the second half of all draws so far"],
               [marked("Posterior [[variance ratio]]"), "coreset ÷ full data, which the z-score does not see"]],
        exports=["csv", *EXPORTS], filename="coreset-scores", caption=run_words.reading(None))


def points_card(acts: Acts) -> FigureCard:
    """Coreset points over the data."""
    nothing = np.empty(0)
    return FigureCard(
        [FigureView(coreset_points(nothing, nothing, nothing), 280)], acts=acts, label="Coreset points and their weights",
        heads=[["The coreset", ""]], segments=[["view", [["response", "as modelled"], ["principal", "principal axes"]]]],
        chosen={"view": "response"}, exports=EXPORTS, filename="coreset-points", caption=run_words.points_reading(None))


def hot_card() -> FigureCard:
    """The hot-start statistic."""
    return FigureCard([FigureView(hot_start({}), 230)], label="Hot-start statistic",
                      heads=[[marked("[[Hot start]]"), "have the chains settled?"]], exports=EXPORTS,
                      filename="coreset-hot-start")


SMALL = {
    "norms": (coreset_norms, "Gradient norms", "medians, log scale",
              "Large at first where the chains start far from where they belong: that is what the hot start waits out."),
    "rates": (coreset_rates, "Effective rates", "a weight’s step ÷ its gradient",
              "Median over the weights; the band holds 80 % of them. Where it has no width, one rate serves all."),
    "sums": (coreset_sums, "Sum of weights ÷ N", "1: as much data as there are",
             "Above 1 the coreset claims more data than there are, and its posterior is too narrow."),
}
"""Name -> figure, title, subtitle, caption."""


def small_card(name: str) -> FigureCard:
    """One of the three figures of the third row."""
    figure, title, subtitle, caption = SMALL[name]
    return FigureCard([FigureView(figure({}), 230)], label=title, heads=[[title, subtitle]], exports=EXPORTS,
                      filename=f"coreset-{name}", caption=caption)


class PaperCard(FigureCard):
    """Six figures, three in a row, one in a row on a phone."""

    _stylesheets: ClassVar[list[str]] = [*FigureCard._stylesheets, (
        ".row .stack{grid-template-columns:repeat(3,minmax(0,1fr));align-content:start}"
        "@media (max-width:719.98px){.row .stack{grid-template-columns:minmax(0,1fr)}}"
        ".proof i{font-style:normal;font-weight:700;letter-spacing:-1px;margin-right:3px}")]


def paper_card(acts: Acts) -> PaperCard:
    """The paper's figure chosen, a panel a model."""
    return PaperCard([FigureView(coreset_panel((), y=""), 210, share=0.5) for _ in MODELS], acts=acts, row=True,
                     label="The paper’s figure", heads=[["", ""]] * 7, exports=["csv", *EXPORTS],
                     filename="hot-dog-figure")
