"""Figures of coreset MCMC: errors of its draws against the full-data posterior during training, and the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import numpy as np

from app.number_words import short
from app.plots.axis_ticks import log_limits, plain_ticks
from app.plots.lines import Line, Lines, checked, lines
from app.plots.looks import Look, optimizer_look

TIME = "iteration t, log scale"


def measures(run: object) -> SimpleNamespace:
    """Return the plotted quantities of a run at no more than 160 log-spaced iterations.

    Parameters
    ----------
    run : CoresetRun
        Or an object with these attributes, returned as is: ``iterations``, ``z``, ``variance``, ``sums``, ``norms`` (j,);
        ``checks``, ``statistic`` (c, 2); ``rate_iterations`` (h,), ``rates`` (h, 3); ``hot_at``, ``passed``, ``t``.
    """
    if not hasattr(run, "z_score_at"):
        return run
    at = np.unique(np.geomspace(1, max(run.t, 1), 160).round().astype(int)) if run.t else np.empty(0, int)
    return SimpleNamespace(
        t=run.t, iterations=at, z=run.z_score_at(at), variance=run.variance_ratio_at(at),
        sums=run.weight_sums[at - 1], norms=run.gradient_norms[at - 1],
        checks=np.reshape(run.hot_start_checks, (-1, 2)), statistic=np.reshape(run.hot_start_checks, (-1, 2)),
        rate_iterations=np.array(run.history.iterations), rates=np.reshape(run.history.rates, (-1, 3)),
        hot_at=run.hot_start_iteration, passed=run.hot_start_passed)


def _curves(runs: Mapping, what: str, shown: str | None, numbers: bool = False) -> list[Line]:
    drawn = []
    for key, run in runs.items():
        measured, look = measures(run), optimizer_look(key)
        y = np.asarray(getattr(measured, what), float)
        if not y.size:
            continue
        y = np.where(np.isfinite(y) & (y > 0), y, np.nan)
        number = f" {short(float(y[-1]))}" if numbers else ""
        bold = key == shown if shown is not None else look.role == "ours"
        drawn.append(Line(look.name, measured.iterations, y, look.role, look.mark, look.short + number, look.short, bold,
                          width=look.width, key=key))
    return drawn


def _figure(drawn: list[Line], y: str, start: float, end: float | None, least: float = 1.0,
            also: Sequence[float] = (), fitted: Sequence[Line] | None = None) -> Lines:
    end = max([1.2 * start, end or 100.0, *(float(line.x[-1]) for line in drawn if line.x.size)])
    values = [line.y[line.x >= start] for line in (drawn if fitted is None else fitted) if line.y.size]
    limits = log_limits([*values, np.asarray(also, float)], least)
    return lines(drawn, TIME, y, compared=True, logx=True, logy=True, xlim=(start, end), xticks=plain_ticks(start, end),
                 ylim=limits, yticks=plain_ticks(*limits))


def _start(runs: Mapping, end: float | None) -> float:
    return 10.0 if max([end or 0.0, *(run.t for run in runs.values())]) > 500 else 1.0


def coreset_scores(
    runs: Mapping, floor=None, *, shown: str | None = None, end: float | None = None, truth_noise: float = 0.0,
) -> Lines:
    """Draw the average squared z-scores of runs, a diamond where training of the weights started, and the floor.

    Parameters
    ----------
    runs : dict of name to CoresetRun
        Keys or names of `OPTIMIZER_LOOKS`, with the suffix ", cold" for runs without a hot start. Values may also be
        objects with the attributes listed in `measures`.
    floor : (2, j) array, or function of iterations, optional
        Minimum z-score attainable by trained weights (`sampler.coreset.gaussian_floor`).
    shown : str, optional
        Key of the bold line; Hot DoG's if None.
    end : float, optional
        Iteration at which the axis ends.
    truth_noise : float
        Resolution of the scores (`sampler.coreset.Truth.noise`): a dotted line if a run comes within ten times this value.
    """
    start, drawn = _start(runs, end), _curves(runs, "z", shown, True)
    fitted = list(drawn)
    if truth_noise and any(np.nanmin(line.y) < 10 * truth_noise for line in fitted):
        across = np.array([start, max(float(line.x[-1]) for line in fitted)])
        level = np.full(2, truth_noise)
        drawn.insert(0, Line("truth noise", across, level, "reference", "dots", "the truth's own noise", "truth's noise",
                             width=1.2))
        fitted.append(Line("truth noise", np.array([start]), level[:1]))
    for key, run in runs.items():
        measured, look = measures(run), optimizer_look(key)
        if not measured.hot_at or measured.hot_at > measured.t or not len(measured.z):
            continue
        at = min(int(np.searchsorted(measured.iterations, measured.hot_at)), len(measured.z) - 1)
        words = "hot start passed" if measured.passed else "hot start gave up"
        drawn.append(Line(look.name, np.array([float(measured.hot_at)]), np.asarray(measured.z, float)[at: at + 1],
                          look.role, "diamond", size=9.0, tooltip=[f"{look.name}\n{words} at {measured.hot_at:,}"], key=key))
    if floor is not None:
        last = max([start * 2, end or 0.0, *(float(line.x[-1]) for line in fitted)])
        x, y = (np.geomspace(start, last, 60),) * 2 if callable(floor) else np.asarray(floor, float)
        y = np.asarray(floor(x), float) if callable(floor) else y
        drawn.insert(0, Line("floor", x, y, "truth", "dash", f"floor {short(float(y[-1]))}", "floor", width=1.4))
        fitted.append(Line("floor", x[-1:], y[-1:]))
    return _figure(drawn, "average squared z-score", start, end, fitted=fitted)


def coreset_variance(runs: Mapping, *, shown: str | None = None, end: float | None = None) -> Lines:
    """Draw the ratio of the coreset posterior's variance to the full-data posterior's; arguments as `coreset_scores`."""
    start, drawn = _start(runs, end), _curves(runs, "variance", shown, True)
    return _figure([_level(start, drawn, end, "full data", "full"), *drawn], "variance ratio", start, end)


def coreset_norms(runs: Mapping, *, shown: str | None = None, end: float | None = None) -> Lines:
    """Draw the norms of the gradient estimates; arguments as `coreset_scores`."""
    return _figure(_curves(runs, "norms", shown), "‖gradient‖", 1.0, end)


def coreset_sums(runs: Mapping, *, shown: str | None = None, end: float | None = None) -> Lines:
    """Draw the sum of the weights divided by N; arguments as `coreset_scores`."""
    drawn = _curves(runs, "sums", shown)
    return _figure([_level(1.0, drawn, end, "1", "1"), *drawn], "Σw / N", 1.0, end, 0.5)


def _level(start: float, drawn: list[Line], end: float | None, label: str, brief: str) -> Line:
    last = max([2 * start, end or 0.0, *(float(line.x[-1]) for line in drawn)])
    return Line(label, np.array([start, last]), np.ones(2), "truth", "dash", label, brief, width=1.4)


def coreset_rates(runs: Mapping, *, shown: str | None = None, end: float | None = None) -> Lines:
    """Draw the effective rates: median over the weights with a 10 to 90 % band; arguments as `coreset_scores`."""
    drawn = []
    for key, run in runs.items():
        measured, look = measures(run), optimizer_look(key)
        rates = np.reshape(np.asarray(measured.rates, float), (-1, 3))
        low, middle, high = (np.where(np.isfinite(one) & (one > 0), one, np.nan) for one in rates.T)
        if not np.isfinite(middle).any():
            continue
        drawn.append(Line(look.name, measured.rate_iterations, middle, look.role, look.mark, look.short, look.short,
                          key == shown if shown is not None else look.role == "ours", width=look.width, low=low, high=high,
                          key=key))
    return _figure(drawn, "rate, median", 1.0, end)


def hot_start(runs: Mapping, threshold: float = 0.5, *, shown: str | None = None) -> Lines:
    """Draw the statistic of the hot-start test, a ring at each check, and the threshold below which the test passes.

    Runs with identical warm-ups (same seed, no training yet) are drawn as one line, "every optimizer".
    """
    waited = {key: measured for key, run in runs.items() if len((measured := measures(run)).checks)}
    first = next(iter(waited.values()), None)
    same = len(waited) > 1 and all(np.array_equal(one.checks, first.checks) for one in waited.values())
    last = max((float(one.checks[-1][0]) for one in waited.values()), default=100.0)
    end, drawn, dots = max(1.3 * last, 100.0), [], []
    for key, measured in (list(waited.items())[:1] if same else waited.items()):
        look = Look("every optimizer", "all", "kin") if same else optimizer_look(key)
        at, statistic = np.asarray(measured.statistic, float).T
        drawn.append(Line(look.name, at, np.maximum(statistic, 1e-3), look.role, look.mark, look.short, bold=key == shown,
                          width=look.width, key=key))
        for t, value in measured.checks:
            over = measured.hot_at is not None and t == measured.hot_at
            role = "reference" if not over else "kin" if measured.passed else "exit"
            words = "checked" if not over else "passed" if measured.passed else "never passed; trained from here on"
            tooltip = [f"iteration {t:,.0f}: {words}\nstatistic {value:.3g}"]
            at, height = np.array([float(t)]), np.array([max(float(value), 1e-3)])
            dots.append(Line("check", at, height, role, "open", size=9.0, tooltip=tooltip))
    level = Line("threshold", np.array([8.0, end]), np.full(2, float(threshold)), "truth", "dash",
                 f"threshold {threshold:g}", "threshold", width=1.4)
    return _figure([level, *drawn, *dots], "statistic", 8.0, end, also=(threshold / 3, threshold * 3))


UNIT, LARGEST = 7.0, 46.0
"""Diameter of a point with the initial weight N/M, and maximum diameter, in pixels."""


def coreset_points(x: np.ndarray, y: np.ndarray, weights: np.ndarray, *, rows: np.ndarray | None = None,
                   positive: np.ndarray | None = None, behind: tuple[np.ndarray, np.ndarray] | None = None,
                   names: tuple[str, str] = ("x", "y"), xlim: tuple[float, float] | None = None,
                   ylim: tuple[float, float] | None = None) -> Lines:
    """Draw the points of a coreset over the full data; area is proportional to weight, crosses mark weight 0.

    Parameters
    ----------
    x, y : (m,) arrays
    weights : (m,) array
        In units of the initial weight N/M.
    rows : (m,) ints, optional
        Indices in the data, shown on hover.
    positive : (m,) bools, optional
        Points with label 1, drawn in a separate colour.
    behind : (x, y) of (n,) arrays, optional
        The full data.
    names : (str, str)
        Axis labels.
    xlim, ylim : (float, float), optional
    """
    x, y, weights = (np.asarray(one, float) for one in (x, y, weights))
    positive = np.zeros(x.size, bool) if positive is None else np.asarray(positive, bool)
    rows = np.arange(x.size) if rows is None else np.asarray(rows)
    drawn = []
    if behind is not None and len(behind[0]):
        drawn.append(Line("data", *behind, "reference", "spots", size=3.0, alpha=0.5, silent=True))
    size = np.minimum(LARGEST, np.maximum(1.5, UNIT * np.sqrt(np.maximum(weights, 0))))
    for name, role, chosen in (("coreset points", "ours", ~positive), ("coreset points, label 1", "exit", positive)):
        at = np.flatnonzero(chosen & (weights > 0))
        if at.size:
            tooltip = [f"datum {rows[k]:,}\nweight ÷ (N/M) {weights[k]:.3f}" for k in at]
            drawn.append(Line(name, x[at], y[at], role, "bubbles", size=size[at], tooltip=tooltip, key=name))
    gone = weights <= 0
    if gone.any():
        drawn.append(Line("weight 0", x[gone], y[gone], "reference", "cross", tooltip=[
            f"datum {row:,}\nweight 0" for row in rows[gone]]))
    limits = {key: value for key, value in (("xlim", xlim), ("ylim", ylim)) if value is not None}
    return lines(drawn, *names, **limits)


def coreset_panel(series: Sequence[Line], *, x: str = "iteration", y: str = "value", start: float = 10.0,
                  end: float | None = None, level: float | None = None, ticks: Mapping[float, str] | None = None) -> Lines:
    """Draw one model's panel of a figure of the Hot DoG paper; combine panels with ``+``.

    Parameters
    ----------
    series : sequence of Line
        Non-positive values are omitted.
    x, y : str
        Axis labels.
    start, end : float
        Limits of the x axis; it always contains the lines.
    level : float, optional
        Value of a dashed reference line.
    ticks : dict of position to name, optional
        Labels that replace numbers on the x axis.
    """
    drawn = [line._replace(y=np.where(np.isfinite(line.y) & (line.y > 0), line.y, np.nan))
             for line in map(checked, series)]
    if ticks:
        start, end = min(ticks) / 3, max(ticks) * 3
    end = max([1.2 * start, end or 0.0, *(float(line.x[-1]) for line in drawn if line.x.size)])
    if level is not None:
        drawn.insert(0, Line("to compare", np.array([start, end]), np.full(2, float(level)), "truth", "dash", width=1.4,
                             silent=True))
    limits = log_limits([line.y for line in drawn], 1.0)
    return lines(drawn, x, y, logx=True, logy=True, xlim=(start, end), ylim=limits, yticks=plain_ticks(*limits, 4),
                 xticks=list(ticks.items()) if ticks else plain_ticks(start, end, 4))
