"""All live figures of the page: what a picture changes, sizes, theme."""

from __future__ import annotations

import numpy as np

from app.coreset.charts.lines import Curve, Level, LinesChart, Mark
from app.coreset.charts.points import PointsChart
from app.coreset.methods import METHODS, name_of
from app.coreset.numbers import short
from app.coreset.picture import CoresetPicture, Trace


class ScoresChart(LinesChart):
    """Average squared z-scores."""

    name, what, x_label = "coreset-scores", "z², Eq. 6", ""
    compact_right = 118
    below = 10


class SpreadChart(LinesChart):
    """Coreset over full-data posterior variance."""

    name, what = "coreset-spread", "variance ratio"
    compact_right = 118


class HotStartChart(LinesChart):
    """Statistic of the hot-start test at each check."""

    name, what = "coreset-hot-start", "statistic"
    right, compact_right = 96, 94


class NormsChart(LinesChart):
    """Gradient norms."""

    name, what = "coreset-norms", "‖gradient‖"
    left, right = 50, 96


class RatesChart(LinesChart):
    """Effective rates: median over weights, band from 10 to 90 %."""

    name, what = "coreset-rates", "rate, median"
    left, right = 50, 96


class SumsChart(LinesChart):
    """Sum of the weights over N."""

    name, what = "coreset-sums", "Σw / N"
    left, right, least_decades = 50, 96, 0.5


class Sheet:
    """Built once; `show` replaces data."""

    def __init__(self) -> None:
        self.scores = ScoresChart()
        self.spread = SpreadChart(self.scores.x_range)
        self.hot, self.norms, self.rates, self.sums = HotStartChart(), NormsChart(), RatesChart(), SumsChart()
        self.points = PointsChart()
        self.scores.figure.xaxis[0].visible = False
        self.charts = (self.scores, self.spread, self.hot, self.norms, self.rates, self.sums, self.points)
        self.dark = False
        self._picture: CoresetPicture | None = None

    def show(self, picture: CoresetPicture) -> None:
        """Draw a picture on every chart."""
        self._picture = picture
        config, traces = picture.config, [trace for trace in picture.traces if trace.t]
        end = float(max([config.iterations, *(trace.t for trace in traces)]))
        both, focus = config.hot == "both", config.shown
        passed = [mark for mark in (_passed(trace, both) for trace in traces) if mark is not None]
        floor = None
        if picture.floor is not None:
            floor = Level(*picture.floor, f"floor {short(picture.floor_at(end))}")
        start = 10.0 if end > 500 else 1.0
        self.scores.show_curves(
            [_curve(trace, trace.iterations, trace.z, both, trace.key == focus, short(trace.score)) for trace in traces],
            end, floor, passed, start)
        one = Level(np.array([start, end]), np.ones(2), "full data" if not self.spread.compact else "1")
        self.spread.show_curves(
            [_curve(trace, trace.iterations, trace.variance, both, trace.key == focus, short(trace.spread))
             for trace in traces], end, one, (), start)
        self.norms.show_curves([_curve(trace, trace.iterations, trace.norms, both, trace.key == focus) for trace in traces],
                               end, None, (), 1.0)
        self.sums.show_curves([_curve(trace, trace.iterations, trace.sums, both, trace.key == focus) for trace in traces],
                              end, one._replace(x=np.array([1.0, end]), label="1"), (), 1.0)
        self.rates.show_curves([_rates(trace, both, trace.key == focus) for trace in traces], end, None, (), 1.0)
        self._show_hot(traces, both, picture)
        self.points.show(picture.background, picture.points)

    def _show_hot(self, traces: list[Trace], both: bool, picture: CoresetPicture) -> None:
        waited = [trace for trace in traces if trace.key.hot and len(trace.checks)]
        last = max((float(trace.checks[-1, 0]) for trace in waited), default=100.0)
        curves, marks = [], []
        same = len(waited) > 1 and _same(waited)
        for trace in waited[:1] if same else waited:
            at, statistic = trace.statistic.T
            curve = _curve(trace, at, np.maximum(statistic, 1e-3), False, trace.key == picture.config.shown)
            curves.append(curve._replace(name="every optimizer", label="all", token="acc", text="acctx") if same else curve)
            for t, value in trace.checks:
                over = trace.hot_at is not None and t == trace.hot_at
                token = "ref" if not over else "acc" if trace.passed else "esc"
                words = "checked" if not over else "passed" if trace.passed else "never passed; trained from here on"
                marks.append(Mark(t, max(float(value), 1e-3), token, words, True))
        threshold = picture.config.threshold
        end = max(1.3 * last, 100.0)
        self.hot.show_curves(curves, end,
                             Level(np.array([8.0, end]), np.full(2, threshold), f"threshold {threshold:g}"), marks, 8.0,
                             (threshold / 3, threshold * 3))

    def fit_scores(self, width: float, height: float, compact: bool) -> None:
        """Share the first card's room between z-scores and variance ratio."""
        self._fit((self.scores, 0.6 * height or (240.0 if compact else 330.0)),
                  (self.spread, 0.4 * height or (190.0 if compact else 250.0)), compact=compact)

    def fit_one(self, name: str):  # noqa: ANN201
        """Return what fits one chart into its card."""
        def fit(width: float, height: float, compact: bool) -> None:
            self._fit((getattr(self, name), height or (230.0 if compact else 280.0)), compact=compact)

        return fit

    def _fit(self, *sizes: tuple, compact: bool) -> None:
        for chart, height in sizes:
            changed = chart.compact != compact
            chart.resize(height, compact)
            if changed and self._picture is not None:
                self.show(self._picture)

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self.dark = dark
        for chart in self.charts:
            chart.restyle(dark)


def _curve(trace: Trace, x: np.ndarray, y: np.ndarray, both: bool, bold: bool, number: str = "") -> Curve:
    method, name = METHODS[trace.key.optimizer], name_of(trace.key, both)
    label = method.short + (", cold" if both and not trace.key.hot else "")
    return Curve(x, np.where(y > 0, y, np.nan), name, f"{label} {number}".strip(), method.token, method.text, method.width,
                 not trace.key.hot and both, bold, method.dotted)


def _rates(trace: Trace, both: bool, bold: bool) -> Curve:
    low, middle, high = trace.rates.T
    curve = _curve(trace, trace.rate_iterations, middle, both, bold)
    return curve._replace(low=np.where(low > 0, low, np.nan), high=high)


def _passed(trace: Trace, both: bool) -> Mark | None:
    """A diamond on the z-score where the weights began to be trained."""
    if not trace.hot_at or trace.hot_at > trace.t:
        return None
    at = int(np.searchsorted(trace.iterations, trace.hot_at))
    words = "hot start passed" if trace.passed else "hot start gave up"
    token = METHODS[trace.key.optimizer].token
    return Mark(trace.hot_at, float(trace.z[min(at, trace.z.size - 1)]), token, f"{name_of(trace.key, both)}: {words}")


def _same(traces: list[Trace]) -> bool:
    """Whether the warm-ups are one: same seed and no training yet, so every optimizer's is."""
    first = traces[0].checks
    return all(trace.checks.shape == first.shape and np.array_equal(trace.checks, first) for trace in traces)
