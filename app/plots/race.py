"""Comparison of samplers: accuracy against cost, cost against the number of data, and Figure 1."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from app.number_words import lasted, slope_words
from app.plots.axis_ticks import log_limits, plain_ticks
from app.plots.lines import Line, Lines, lines
from app.plots.looks import sampler_look

COSTS = {"evaluations": "gradient evaluations per chain in one epoch", "seconds": "seconds of one core per chain"}
ROWS = ("laplace", "saga", "pg", "mala", "online_laplace", "sgld_same", "sgld")
"""Samplers of Figure 1 from bottom to top: the reverse order of the paper's legend."""
FIGURE_ONE_NAMES = {"sgld": "SGLD, paper’s step", "sgld_same": "SGLD, SAGA’s step"}


def race(curves: Mapping, ceiling=None, *, cost: str = "evaluations", log: bool = True, pass_at: float | None = None,
         budget: float = 0.0, names: dict[str, str] | None = None) -> Lines:
    """Draw the curves of `sampler.race`: marginal accuracy against cost.

    Parameters
    ----------
    curves : dict of key to RaceCurve
        Objects with ``evaluations``, ``seconds``, ``accuracy`` ((m,) arrays) and ``fixed``.
    ceiling : Ceiling, optional
        ``mean`` and ``sd`` of the score of exact draws: a line with a band of two standard deviations.
    cost : {"evaluations", "seconds"}
    log : bool
        Whether the cost axis is logarithmic.
    pass_at : float, optional
        Gradient evaluations of one pass over the data, marked by a dotted vertical line.
    budget : float
        Cost that the axis always includes, so that it does not move while curves grow.
    names : dict of key to str, optional
        Names that replace the default ones.

    Returns
    -------
    Lines
        The key of a line or dot is the sampler's key.
    """
    if cost not in COSTS:
        raise ValueError(f"cost must be one of {', '.join(COSTS)}; got {cost!r}")
    begun = {key: curves[key] for key in sorted(curves, key="saga".__eq__) if len(curves[key].accuracy)}
    spent = {key: np.asarray(getattr(one, cost), float) for key, one in begun.items()}
    low, high = _cost_limits([spent[key] for key, one in begun.items() if not one.fixed], list(spent.values()), budget, cost,
                             log)
    drawn = []
    for key, one in begun.items():
        look = sampler_look(key, names)
        at = np.clip(spent[key], low * 1.06 if log else 0.0, high)
        tooltip = [f"{look.name}\n{e:,.0f} evaluations, {lasted(s)}\naccuracy {a:.3f}"
                   for e, s, a in zip(one.evaluations, one.seconds, one.accuracy, strict=True)]
        label = f"{look.name} {one.accuracy[-1]:.3f}" if one.fixed else look.name
        drawn.append(Line(look.name, at, one.accuracy, look.role, look.mark, f"○ {label}" * (look.mark == "ring") or label,
                          look.short, key == "saga", "beside", look.width, dots=True, tooltip=tooltip, key=key))
    worst = min([0.4, *(float(np.nanmin(line.y)) for line in drawn)])
    bottom = float(np.floor(10 * worst - 0.1) / 10)  # a dot on the axis would be clipped
    if ceiling is not None:
        drawn.insert(0, ceiling_line(ceiling.mean, ceiling.sd, low, high))
    if pass_at is not None and cost == "evaluations" and low < pass_at < high:
        drawn.insert(0, upright(pass_at, bottom, 1.0, "one pass over the data"))
    ticks = {"xticks": plain_ticks(low, high, words=None if cost == "evaluations" else lasted)} if log else {}
    return lines(drawn, COSTS[cost], "marginal accuracy", logx=log, xlim=(low, high), ylim=(bottom, 1.003), **ticks)


def _cost_limits(moving: list[np.ndarray], every: list[np.ndarray], budget: float, cost: str,
                 log: bool) -> tuple[float, float]:
    usual = 1e4 if cost == "evaluations" else 1e-3
    high = 1.12 * max([budget or usual, *(float(one.max()) for one in every)])
    if not log:
        return 0.0, high
    low = 0.7 * min([high / 100, *(float(one[one > 0].min()) for one in moving if (one > 0).any())])
    return max(low, high * 1e-6), high


def ceiling_line(mean: float, sd: float, low: float, high: float) -> Line:
    """Return the score of exact draws as a line from low to high with a band of plus or minus two standard deviations."""
    return Line("exact draws", (low, high), mean, "ceiling", label=f"ceiling {mean:.3f}", width=1.0,
                low=mean - 2 * sd, high=mean + 2 * sd, tooltip=[f"exact draws\n{mean:.3f} ± {sd:.3f}"] * 2)


def upright(x: float, low: float, high: float, words: str, role: str = "reference") -> Line:
    """Return a dotted vertical line at x with a label next to it."""
    return Line(words, x, (low, high), role, "dots", words, where="beside", width=1.0)


def cost_growth(costs: Mapping, *, log: bool = True, at: float | None = None, names: dict[str, str] | None = None) -> Lines:
    """Draw gradient evaluations against the number of data, with the slopes in the labels.

    Parameters
    ----------
    costs : dict of key to Growth or EpochCost
        From `sampler.racing.growth`: points with a fitted line; from `sampler.racing.epoch_costs`: connected points.
    log : bool
        Whether both axes are logarithmic.
    at : float, optional
        Number of data marked by a vertical line.
    names : dict of key to str, optional
        Names that replace the default ones.
    """
    epochs = any(hasattr(one, "steps") for one in costs.values())
    drawn, ends = [], []
    for key, one in costs.items():
        look, t, spent = sampler_look(key, names), np.asarray(one.t, float), np.asarray(one.evaluations, float)
        if not t.size:
            continue
        ends.append(spent)
        label = look.short if one.slope is None else f"{look.short} {slope_words(one.slope)}"
        bold = key in ("saga", "ladder")
        mark = "line" if look.mark in ("ring", "diamond") else look.mark
        tooltip = [f"{look.name}\n{'t' if epochs else 'T'} = {n:,.0f}\n{e:,.0f} evaluations"
                   for n, e in zip(t, spent, strict=True)]
        if epochs:
            tooltip = [f"{words}, {lasted(s)}" for words, s in zip(tooltip, one.seconds, strict=True)]
        fitted = one.slope is not None and not epochs
        if fitted:
            fit = np.poly1d(np.polyfit(np.log(t), np.log(spent), 1))
            drawn.append(Line(f"{look.name}, fit", t, np.exp(fit(np.log(t))), look.role, mark, label, bold=bold,
                              tooltip=[f"{look.name}\nslope {slope_words(one.slope, one.slope_error)}"] * t.size, key=key))
        drawn.append(Line(look.name, t, spent, look.role, "spots" if fitted else mark, "" if fitted else label, bold=bold,
                          dots=True, tooltip=tooltip, key=key))
    sizes = sorted({float(t) for line in drawn for t in line.x}) or [100.0, 100_000.0]
    low, high = log_limits(ends or [np.array([100.0, 1e6])])
    start, end = (sizes[0] / 1.25, sizes[-1] * 1.25) if log else (0.0, 1.05 * sizes[-1])
    bottom, top = (low, high) if log else (0.0, 1.06 * max([1e4, *(float(one.max()) for one in ends)]))
    if at is not None and start < at < end:
        drawn.insert(0, upright(at, bottom, top, f"T = {at:,.0f}"))
    round_sizes = len(sizes) <= 8 and all(float(f"{t:.3g}") == t for t in sizes)
    ticks = {"xticks": [(t, f"{t:,.0f}") for t in sizes] if round_sizes else plain_ticks(start, end)} if log else {}
    words = (("t, data seen", "gradient evaluations per epoch") if epochs
             else ("T, number of data", "evaluations to reach the accuracy"))
    return lines(drawn, *words, logx=log, logy=log, xlim=(start, end), ylim=(bottom, top), **ticks)


def paper_figure_one(figure=None, printed: Mapping[str, float] | None = None) -> Lines:
    """Draw Figure 1 of LMV: one row per sampler, one dot per data set, the printed value as a diamond.

    Parameters
    ----------
    figure : FigureOne, optional
        Measured accuracies; None draws the printed values only.
    printed : dict of key to float, optional
        Printed marginal accuracies, ``FigureOne.printed``.
    """
    printed = dict(printed or {})
    measured = {} if figure is None else figure.accuracy
    lowest = min([0.4, *printed.values(), *(float(np.min(a)) for a in measured.values() if len(a))])
    low, drawn, rows = float(np.floor(lowest * 10) / 10), [], []
    if figure is not None and len(figure.ceiling):
        drawn.append(upright(float(np.mean(figure.ceiling)), -0.6, len(ROWS) - 0.3,
                             f"ceiling {np.mean(figure.ceiling):.3f}", "ceiling"))
    for i, key in enumerate(ROWS):
        look = sampler_look(key, FIGURE_ONE_NAMES)
        rows.append((i, look.name))
        values = np.asarray(measured.get(key, ()), float)
        tooltip = [f"{look.name}, data set {j}\naccuracy {v:.3f}, ceiling {c:.3f}"
                   for j, (v, c) in enumerate(zip(values, getattr(figure, "ceiling", ()), strict=False))]
        if values.size:
            drawn.append(Line(look.name, values, i + 0.16 * (np.arange(values.size) % 3 - 1), look.role, "spots",
                              tooltip=tooltip, key=key, size=6.0))
        words = [f"{values.mean():.3f}"] if values.size else []
        words += [f"printed {printed[key]:.3f}"] if key in printed else []
        if words:
            drawn.append(Line(look.name, 1.0, i, look.role, "spots", ", ".join(words),
                              words[0], key == "saga", size=0.0, silent=True))
        if key in printed:
            drawn.append(Line(look.name, printed[key], i, "exit", "diamond",
                              tooltip=[f"{look.name}\nprinted in LMV-n {printed[key]:.3f}"], key=key))
    return lines(drawn, "marginal accuracy", "", xlim=(low, 1.0), ylim=(-0.6, len(ROWS) - 0.3), yticks=rows)
