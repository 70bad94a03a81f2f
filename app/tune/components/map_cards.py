"""The map of settings, one row of it, and what accuracy costs: cards that show a result and tell which cell is tapped."""

from __future__ import annotations

from collections.abc import Callable

from app.plots import lines
from app.state.tune import ALGORITHMS, CellKey
from app.tune import sweep_words
from app.tune.components.figures import cost_figures, map_figure, slice_figure
from app.tune.result import TuneResult
from app.widgets.figure_card import FigureCard
from app.widgets.figure_view import FigureView

WAITING = "Measuring the curvature …"
HEIGHTS = (380, 220, 200, 200)
"""Pixels of each figure on a narrow screen."""
BEFORE = "Comes with the first cells."
"""Where a card has nothing to show yet: axes without curves would say something false."""
WAITING_WORDS = f"<p class='soft'>{BEFORE}</p>"


class MapCards:
    """`chosen(key)` is called when a cell or a dot is tapped, `step(by)` by the arrows, `csv()` by the CSV button.

    `result` is what is drawn first, where it is known: figures drawn empty would be drawn twice.
    """

    def __init__(self, chosen: Callable[[CellKey], None], step: Callable[[int], None], csv: Callable[[], str],
                 dark: bool = False, result: TuneResult | None = None) -> None:
        empty = lines([], "step size η₀", "accuracy", xlim=(0.0, 1.0), ylim=(0.0, 1.0))
        first = [empty] * 4 if result is None else [map_figure(result), slice_figure(result), *cost_figures(result)]
        self.map_view, self.slice_view, *self.cost_views = (
            FigureView(figure, height, dark, chosen=lambda key: chosen(CellKey(*key)))
            for figure, height in zip(first, HEIGHTS, strict=True))
        self.map = FigureCard([self.map_view], acts={"step": step, "csv": csv}, label="Accuracy for each setting",
                              heads=[["Accuracy for each setting", ""]], exports=["csv", "png", "svg"], filename="sweep",
                              stepped="step size", empty=WAITING)
        self.slice = FigureCard([self.slice_view], label="Accuracy along a row", heads=[["Along the row", ""]],
                                exports=["png", "svg"], filename="sweep-row", empty=BEFORE)
        self.cost = FigureCard(self.cost_views, row=True, label="What accuracy costs", exports=["png", "svg"],
                               filename="sweep-cost", heads=[["What accuracy costs", ""], ["Accuracy", ""], ["Memory", ""]],
                               empty=BEFORE)

    def clear(self) -> None:
        """Take a result on other data off; the words of a beginning stand in its place."""
        for card, words in ((self.map, WAITING), (self.slice, BEFORE), (self.cost, BEFORE)):
            card.param.update(empty=words, caption="", spoken="", stepper="")

    def show(self, result: TuneResult) -> None:
        """Draw a result about the cell looked at."""
        key = result.looked_at
        eta0, i_max, batch, algorithm = key
        spoken = sweep_words.spoken(result, key)
        self.map_view.show(map_figure(result), spoken)
        self.slice_view.show(slice_figure(result))
        for figure, drawn in zip(self.cost_views, cost_figures(result), strict=True):
            figure.show(drawn)
        self.cost.param.update(caption=sweep_words.about_cost(result), empty="")
        plane = f", b = {batch}" if len(result.config.batches) > 1 else ""
        head = f"Accuracy for each setting{plane}"
        if len(result.forecasts) > 1 or algorithm != "saga-ld":
            head += f", {ALGORITHMS[algorithm]}"
        self.map.param.update(heads=[[head, "measured; lines: predicted"]], stepper=f"η₀ = {eta0:g}", spoken=spoken,
                              caption=sweep_words.LEGEND, empty="")
        self.slice.param.update(heads=[[f"Along the row i<sub>max</sub> = {i_max:,}", sweep_words.SLICE_LEGEND]], empty="")

    def restyle(self, dark: bool) -> None:
        """Change theme."""
        self.map.restyle(dark)
        self.slice.restyle(dark)
        self.cost.restyle(dark)
