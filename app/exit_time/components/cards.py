"""The four cards of figures of the Exit time page, with their titles and captions."""

from __future__ import annotations

from collections.abc import Callable

from app.exit_time import words
from app.exit_time.charts.sheet import Sheet
from app.widgets.figure_card import FigureCard

Acts = dict[str, Callable]
NOTHING_LIVE = ("Nothing has been left here by the Live page in this session. Let it run and come back, or run its"
                " default here to epoch 256.")


def crowd_card(sheet: Sheet, acts: Acts) -> FigureCard:
    """Paths and survival."""
    return FigureCard(
        [sheet.paths.figure, sheet.survival.figure], sheet.fit_crowd, acts, label="Chains and their survival",
        heads=[["Chains through one epoch", ""],
               ["Share still inside the ball", "survival P(no exit by step i), and what each bound promises"]],
        segments=[["distance", [["square", "squared distance"], ["plain", "distance"]]]], chosen={"distance": "square"},
        exports=["csv", "png"],
        filename="exit-time-survival", caption=words.reading(None) + words.FORMULA)


def sums_card(sheet: Sheet, acts: Acts) -> FigureCard:
    """Pull, drift and martingale of one chain."""
    return FigureCard(
        [sheet.sums.figure], sheet.fit_sums, acts, label="Three sums of one chain",
        heads=[["Three sums make the change", "÷ r²"]], exports=["png"], filename="exit-time-three-sums",
        caption=words.splitting(None))


def pushes_card(sheet: Sheet) -> FigureCard:
    """Mean push of the noise on the square and on the distance."""
    return FigureCard(
        [sheet.square.figure, sheet.plain.figure], sheet.fit_pushes, row=True, label="Why the square",
        heads=[["Why the square", "mean push of the noise a step ÷ 2η"], ["Squared distance", ""], ["Distance", ""]],
        exports=["png"], filename="exit-time-why-the-square", caption=words.pushing(None))


def good_card(sheet: Sheet, acts: Acts) -> FigureCard:
    """Good events of Live's run."""
    return FigureCard(
        [sheet.good.figure], sheet.fit_good, acts, label="Measured on Live runs",
        heads=[["Measured on Live’s run", "good events"]], empty=NOTHING_LIVE, button="Run Live’s default here",
        exports=["png"], filename="exit-time-good-events")
