"""Figures of the page, and the survival curves as CSV."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.csv_text import result_columns
from app.exit_time.drawings import drawings_of, drawn_paths, survival_columns
from app.exit_time.job import ExitResult
from app.exit_time.promise import GoodEventsSoFar
from app.exit_time.result_words import promise_spoken
from app.plots import good_events, lines
from app.plots.exit_drawings import DISTANCE, LENGTH, STAY, STEP, good_drawing
from app.plots.exit_step_drawings import SHARE, TOP
from app.plots.lines import as_lines
from app.widgets.figure_card import FigureView, align

PATHS_SHARE = 0.535
"""Of the height of the first card, what the paths take."""


class ExitFigures:
    """Shown empty at first. `chosen(chain)` is called when a path or a ring is tapped."""

    def __init__(self, chosen: Callable[[int], None]) -> None:
        self.squared = True  #: whether paths are squared distances
        self._result: ExitResult | None = None
        ticks = [(0.0, "0"), (1.0, "r²")]  # words of their own from the start, or later ones are not taken
        empty = lines([], STEP, "squared distance ÷ r²", ylim=(0.0, TOP), yticks=ticks)
        self.paths = FigureView(empty, 250, PATHS_SHARE, chosen=chosen)
        self.survival = FigureView(lines([], STEP, STAY, compared=True), 280, 1 - PATHS_SHARE)
        align(self.paths, self.survival)
        self.paths.plot.state.xaxis[0].visible = False  # the survival's, right below, is the same
        self.sums = FigureView(lines([], "step i", "sum ÷ r²", compared=True), 250)
        push = "distance from the mode ÷ r", "mean push ÷ 2η"
        self.square, self.plain = (FigureView(lines([], *push), 240) for _ in range(2))
        self.process = FigureView(lines([], STEP, SHARE, logy=True, ylim=(0.1, 2.0)), 260)
        self.promise = FigureView(lines([], LENGTH, DISTANCE, compared=True, ylim=(0.0, 1.04)), 260)
        self.good = FigureView(as_lines(good_drawing(np.empty(0), np.empty(0), (), None)), 240)

    def show(self, result: ExitResult) -> None:
        """Draw what the result has so far."""
        self._result = result
        for name, drawing in drawings_of(result, self.squared).items():
            words = promise_spoken(result.promise) if name == "promise" else ""
            getattr(self, name).show(as_lines(drawing), words)

    def set_squared(self, squared: bool) -> None:
        """Draw squared distances, or distances."""
        self.squared = squared
        if self._result is not None:
            self.paths.show(as_lines(drawn_paths(self._result, squared)))

    def show_good_events(self, events: GoodEventsSoFar) -> None:
        """Draw how many of Live's chains have kept to the good events."""
        self.good.show(good_events(events.epochs, events.escape, events.reset_epochs, events.reset))


def survival_csv(result: ExitResult | None) -> str:
    """Return one row a step, `survival_columns`, as CSV text."""
    return "" if result is None or result.crowd is None else result_columns(survival_columns(result))
