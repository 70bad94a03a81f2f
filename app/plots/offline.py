"""Figures of offline samplers on a fixed data set: W2 and test likelihood against passes, and the temperature ladder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from app.plots.axis_ticks import linear_limits, log_limits, plain_ticks
from app.plots.lines import Line, Lines, lines
from app.plots.looks import sampler_look

NAMES = {"sgld": "SGLD", "ula": ("ULA (full gradient)", "ULA")}
PASSES = "passes over the data"


def convergence(curves: Mapping, *, names: dict[str, str] | None = None, log: bool = True, top: float | None = None,
                end: float | None = None, promised: Mapping | None = None) -> Lines:
    """Draw the W2 distance of each sampler's law to the target: exact as lines, simulated chains as dots with bars.

    Parameters
    ----------
    curves : dict of key or name to WassersteinCurve
        Objects with ``passes``, ``exact``, ``point_passes``, ``points`` and ``floor``, and optionally ``low`` and ``high``,
        the bars of the points.
    names : dict of key to str, optional
    log : bool
        Whether the axis of passes is logarithmic.
    top : float, optional
        W2 at the start; larger values do not extend the axis.
    end : float, optional
        Passes at which the axis ends.
    promised : dict of key to object with ``passes`` and ``promised``, optional
        A theorem's bounds on W2, by the curves' keys; drawn where finite.
    """
    drawn, floors = [], []
    for key, bound in (promised or {}).items():
        x, y = _after_start(bound.passes, bound.promised, log)
        if np.isfinite(y).any():
            look = sampler_look(key, NAMES | dict(names or {}))
            y = np.where(np.isfinite(y), y if top is None else np.minimum(y, 3 * top), np.nan)
            name = f"{look.name}, theorem"
            drawn.append(Line(name, x, y, "bound", "dots", f"theorem for {look.name}", "theorem", key=key))
    for key, curve in curves.items():
        look = sampler_look(key, NAMES | dict(names or {}))
        x, y = _after_start(curve.passes, curve.exact, log)
        y = np.where(np.isfinite(y) & (y > 0), y if top is None else np.minimum(y, 3 * top), np.nan)
        bold = look.role == "ours"
        drawn.append(Line(look.name, x, y, look.role, look.mark, look.name, look.short, bold, width=look.width, key=key))
        if len(curve.points):
            low, high = getattr(curve, "low", None), getattr(curve, "high", None)
            tooltip = [f"{look.name}, chains\npasses {p:,.2f}\nW₂ {v:.4f}"
                       + ("" if low is None else f"\n95 % band {low[j]:.4f} to {high[j]:.4f}")
                       for j, (p, v) in enumerate(zip(curve.point_passes, curve.points, strict=True))]
            drawn.append(Line(f"{look.name}, chains", curve.point_passes, curve.points, look.role,
                              "spots" if look.mark == "line" else "open", size=6.0, low=low, high=high, bars=True,
                              tooltip=tooltip, key=key))
            floors += [curve.floor] if np.isfinite(curve.floor) else []
    level = Line("exact draws", 0.0, min(floors, default=np.nan), "ceiling", "dash", "exact draws,\nsame count",
                 "exact draws", width=1.2)
    return _against_passes(drawn, level if floors else None, "W₂ to the posterior", log_limits, log, end, top, logy=True)


def likelihood(curves: Mapping, *, mode: float | None = None, names: dict[str, str] | None = None, log: bool = True,
               top: float | None = None, end: float | None = None) -> Lines:
    """Draw each sampler's test negative log-likelihood per row, with a band of one standard deviation over the chains.

    Parameters
    ----------
    curves : dict of key or name to LikelihoodCurve
        Objects with ``passes``, ``mean`` and ``deviation``.
    mode : float, optional
        Score of the posterior's mode.
    names, log, end
        As for `convergence`.
    top : float, optional
        Larger scores do not extend the axis.
    """
    drawn = []
    for key, curve in curves.items():
        look = sampler_look(key, NAMES | dict(names or {}))
        x, mean = _after_start(curve.passes, curve.mean, log)
        _, sd = _after_start(curve.passes, curve.deviation, log)
        mean = np.where(np.isfinite(mean), mean, np.nan)
        drawn.append(Line(look.name, x, mean, look.role, look.mark, look.name, look.short, look.role == "ours",
                          width=look.width, low=mean - sd, high=mean + sd, key=key))
    level = None if mode is None else Line("the mode", 0.0, mode, "ceiling", "dash", "the mode", width=1.2)
    return _against_passes(drawn, level, "negative log-likelihood per row", linear_limits, log, end, top)


def _after_start(x: np.ndarray, y: np.ndarray, log: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the points as arrays, without pass 0 if the axis is logarithmic."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    return (x[x > 0], y[x > 0]) if log else (x, y)


def _against_passes(drawn: list[Line], level: Line | None, y: str, limits: Callable, log: bool, end: float | None,
                    top: float | None, **options: object) -> Lines:
    """Return a figure of curves over a horizontal `level`; its y limits include all values up to `top`."""
    passes = np.concatenate([np.empty(0), *(line.x for line in drawn)])
    passes = passes[passes > 0] if log else passes
    end = end or (float(passes.max()) if passes.size else 1.0)
    start = (float(passes.min()) if passes.size else 0.02) if log else 0.0
    end = (end * (end / start) ** 0.012 if log else 1.012 * end) if end > start else 2 * start + 1.0
    if level is not None:
        drawn = [level._replace(x=(start, end)), *drawn]
    low, high = limits([line.y if top is None else np.minimum(line.y, top) for line in drawn])
    if drawn and start < 1.0 < end:
        drawn = [Line("one pass", 1.0, (low, high), "axis", "dots", width=1.0, silent=True), *drawn]
    ticks = {"xticks": plain_ticks(start, end)} if log else {}
    return lines(drawn, PASSES, y, logx=log, xlim=(start, end), ylim=(low, high), **ticks, **options)


def ladder(betas: Sequence[float], accuracies: Sequence[float], ceilings: Sequence[float], deviations: Sequence[float], *,
           plain: float | None = None, widths: Sequence[float] | None = None) -> Lines:
    """Draw the accuracy at the end of each rung of Algorithm 3 against that rung's own target.

    Parameters
    ----------
    betas : (R,) inverse temperatures
        All rungs; the axis always includes them.
    accuracies : (k,) floats
        Accuracies of the first k rungs.
    ceilings, deviations : (m,) floats
        Mean and standard deviation of the score of exact draws at the first m rungs.
    plain : float, optional
        Accuracy of the same chains at beta = 1 throughout.
    widths : (k,) floats, optional
        Largest ratio of the cloud's widths to the target's, shown on hover.
    """
    rungs, x = len(betas), np.arange(1.0, len(accuracies) + 1)
    mean, sd, y = (np.asarray(one, float) for one in (ceilings, deviations, accuracies))
    drawn = []
    if mean.size:
        at = np.arange(1.0, mean.size + 1)
        words = f"exact draws {mean[-1]:.3f}" if mean.size == rungs else "exact draws"
        drawn.append(Line("exact draws", at, mean, "ceiling", label=words, width=1.2, low=mean - 2 * sd, high=mean + 2 * sd))
    if y.size:
        tooltip = [f"β = {beta(betas[k])}\naccuracy {y[k]:.3f}"
                   + (f"\nexact draws {mean[k]:.3f} ± {sd[k]:.3f}" if k < mean.size else "")
                   + ("" if widths is None else f"\nwidth against the target {widths[k]:.2f}") for k in range(y.size)]
        drawn.append(Line("chains", x, y, "ours", label=f"chains {y[-1]:.3f}", bold=True, dots=True, size=7.0, width=1.2,
                          tooltip=tooltip))
    if plain is not None:
        drawn.append(Line("no ladder", rungs, plain, "rival", "ring",
                          f"no ladder {plain:.3f}", tooltip=[f"β = 1 throughout\naccuracy {plain:.3f}"]))
    scores = np.concatenate([y, mean - 2 * sd, mean + 2 * sd, [] if plain is None else [plain]])
    low, high = (float(scores.min()), float(scores.max())) if scores.size else (0.5, 1.0)
    stride = max(1, round(rungs / 7))
    return lines(drawn, "rung: inverse temperature β", "accuracy", xlim=(0.0, 1.02 * rungs),
                 ylim=(max(0.0, low - 0.03), min(1.0, high + 0.02)),
                 xticks=[(k, beta(betas[k - 1])) for k in sorted(range(rungs, 0, -stride))])


def beta(value: float) -> str:
    """Return an inverse temperature formatted as 1/1,024, 0.78 or 1."""
    if value >= 1.0:
        return "1"
    back = 1.0 / value
    return f"1/{round(back):,}" if abs(back - round(back)) < 1e-6 * back else f"{value:.3g}"


def ladder_cost(rung: np.ndarray, ours: np.ndarray, full: np.ndarray, *, now: int | None = None) -> Lines:
    """Draw one chain's gradient evaluations: Algorithm 3 and the same number of steps with the full gradient.

    Parameters
    ----------
    rung, ours, full : (n,) arrays
        Rungs climbed, as a fraction, and the evaluations spent by then.
    now : int, optional
        Index of the run's current position, marked by a dot; the curves are pale beyond it.
    """
    x, ours, full = (np.asarray(one, float) for one in (rung, ours, full))
    k = len(x) - 1 if now is None else min(now, len(x) - 1)
    drawn = []
    for name, y, role, mark, bold in (("full gradient", full, "reference", "dash", False),
                                      ("Algorithm 3", ours, "ours", "line", True)):
        if not len(y):
            continue
        y = np.where(y > 0, y, np.nan)
        drawn.append(Line(name, x, y, role, mark, f"{name}\n{y[-1]:,.0f}", bold=bold, width=1.5,
                          alpha=1.0 if now is None else 0.25, tooltip=[f"{v:,.0f}" for v in np.nan_to_num(y)]))
        if now is not None:
            drawn.append(Line(f"{name}, so far", x[: k + 1], y[: k + 1], role, mark, bold=bold, width=1.5, silent=True))
    if now is not None and len(ours):
        drawn.append(Line("now", x[k: k + 1], np.maximum(ours[k: k + 1], 1.0), "ours", "spots", size=8.0, silent=True))
    return lines(drawn, "rung", "evaluations", compared=True, logy=True, ylim=log_limits([ours, full]),
                 xlim=(0.0, float(x[-1]) if len(x) else 1.0))
