"""Figures of the page, and the survival curves as CSV."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.csv_text import result_columns
from app.exit_time.bound_curves import CURVES
from app.exit_time.job import ExitResult
from app.exit_time.promise import GoodEventsSoFar
from app.exit_time.result_words import promise_spoken
from app.plots import bounds, exit_process, good_events, lines, paths, promise, pushes, sums, survival
from app.plots.exit_steps import SHARE, TOP
from app.plots.exit_time import DISTANCE, LENGTH, STAY, STEP
from app.plots.lines import Lines
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
        self.good = FigureView(lines([], "epoch t, log scale", "share of chains", logx=True, xlim=(1, 2)), 240)

    def show(self, result: ExitResult) -> None:
        """Draw what the result has so far."""
        config, crowd = result.config, result.crowd
        self._result = result
        self._show_paths(result)
        self.survival.show(survival_figure(result))
        if result.sums is not None:
            self.sums.show(split_figure(result))
        if result.process is not None:
            self.process.show(exit_process(result.process))
        if result.promise is not None:
            self.promise.show(promise(result.promise), promise_spoken(result.promise))
        for view, squared in ((self.square, True), (self.plain, False)):
            view.show(pushes(crowd.pushes, config.dim, config.radius, squared=squared))

    def set_squared(self, squared: bool) -> None:
        """Draw squared distances, or distances."""
        self.squared = squared
        if self._result is not None:
            self._show_paths(self._result)

    def show_good_events(self, events: GoodEventsSoFar) -> None:
        """Draw how many of Live's chains have kept to the good events."""
        self.good.show(good_events(events.epochs, events.escape, events.reset_epochs, events.reset))

    def _show_paths(self, result: ExitResult) -> None:
        config = result.config
        lift = 2 * config.step_size * config.dim / config.radius**2
        self.paths.show(paths(result.crowd, squared=self.squared, lift=lift, picked=result.sums, end=config.steps))


def split_figure(result: ExitResult) -> Lines:
    """Return the running sums of the chain that is split."""
    split = result.sums
    return sums(split.parts, radius=result.config.radius, chain=split.chain, left=split.left)


def survival_figure(result: ExitResult) -> Lines:
    """Return the share of chains still inside, the comparison walk's, and what each bound says stays."""
    crowd, curves, config = result.crowd, result.bounds, result.config
    exits = {name: values for name, values in curves.exits.items() if name != "local" or config.curvature > 0}
    figure = bounds(exits, steps=curves.steps, measured=crowd.inside, batch=curves.batch)
    if crowd.free is not None:
        figure = survival(crowd.free, "the free walk itself" if crowd.same else "free walk", "reference") * figure
    return figure * survival(crowd.inside)


def survival_csv(result: ExitResult | None) -> str:
    """Return one row a step: share inside, its band, the comparison walk, what each bound bounds."""
    if result is None or result.crowd is None:
        return ""
    crowd, bounds = result.crowd, result.bounds
    inside = crowd.inside
    columns = {"step": inside.steps, "inside": inside.share, "band_low": inside.low, "band_high": inside.high}
    if crowd.free is not None:
        columns["free_walk"] = crowd.free.share
    if bounds is not None:
        for name in CURVES:
            stays = bounds.stays(name)
            if stays is not None:
                columns[name] = np.interp(inside.steps, bounds.steps, stays)
    return result_columns(columns)
