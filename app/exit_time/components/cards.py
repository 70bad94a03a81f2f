"""The six cards of figures of the Exit time page, with their titles and captions."""

from __future__ import annotations

from collections.abc import Callable

from app.exit_time import result_words as words
from app.exit_time.figures import ExitFigures
from app.exit_time.process_words import process_caption
from app.exit_time.promise_words import promise_caption
from app.glossary import marked
from app.widgets.figure_card import FigureCard

Acts = dict[str, Callable]
NOTHING_LIVE = ("Nothing has been left here by the Live page in this session. Let it run and come back, or run its"
                " default here to epoch 256.")


def crowd_card(figures: ExitFigures, acts: Acts) -> FigureCard:
    """Paths and survival."""
    return FigureCard(
        [figures.paths, figures.survival], acts=acts, label="Chains and their survival",
        heads=[["Chains through one epoch", ""],
               ["Share still inside the ball", marked("[[survival]] P(no exit by step i), and what each bound says stays")]],
        segments=[["distance", [["square", "squared distance"], ["plain", "distance"]]]], chosen={"distance": "square"},
        exports=["csv", "png", "svg"],
        filename="exit-time-survival", caption=words.reading(None) + words.FORMULA)


def sums_card(figures: ExitFigures, acts: Acts) -> FigureCard:
    """Pull, drift and martingale of one chain."""
    return FigureCard(
        [figures.sums], acts=acts, label="Three sums of one chain",
        heads=[["Three sums make the change", "÷ r²"]], exports=["png", "svg"], filename="exit-time-three-sums",
        caption=words.splitting(None))


def pushes_card(figures: ExitFigures) -> FigureCard:
    """Mean push of the noise on the square and on the distance."""
    return FigureCard(
        [figures.square, figures.plain], row=True, label="Why the square",
        heads=[["Why the square", "mean push of the noise a step ÷ 2η"], [marked("[[Squared distance]]"), ""],
               ["Distance", ""]],
        exports=["png", "svg"], filename="exit-time-why-the-square", caption=words.pushing(None))


def process_card(figures: ExitFigures) -> FigureCard:
    """The exponential supermartingale of some chains."""
    return FigureCard(
        [figures.process], label="The exponential, a process of its own",
        heads=[["The exponential, a process of its own", marked("a [[supermartingale]], over its stopping level")]],
        exports=["png", "svg"], filename="exit-time-supermartingale", caption=process_caption(None))


def promise_card(figures: ExitFigures) -> FigureCard:
    """What the theorem promises of a sample of this epoch, and what is so."""
    return FigureCard(
        [figures.promise], label="What the theorem promises, what is so",
        heads=[["What the theorem promises, what is so",
                marked("[[total variation]] of the sample’s law from π, by the epoch’s length")]],
        exports=["png", "svg"], filename="exit-time-promise", caption=promise_caption(None))


def good_card(figures: ExitFigures, acts: Acts) -> FigureCard:
    """Good events of Live's run."""
    return FigureCard(
        [figures.good], acts=acts, label="Measured on Live runs",
        heads=[["Measured on Live’s run", marked("[[good events]]")]], empty=NOTHING_LIVE, button="Run Live’s default here",
        exports=["png", "svg"], filename="exit-time-good-events")
