"""What moves a chain: the running sums of pull, drift and martingale, and the noise's push by distance."""

from __future__ import annotations

import numpy as np

from app.plots.lines import Line, Lines, lines

FEWEST = 30
"""Steps that began in a bin for it to be drawn."""


def sums(found, *, radius: float = 1.0, chain: int | None = None, left: int = 0, points: int = 400) -> Lines:
    """Draw the running sums of one chain's pull, drift and martingale in units of r², and what they add up to.

    Parameters
    ----------
    found : Decomposition
        Of `sampler.decompose`; or anything with ``steps``, ``pull``, ``drift``, ``martingale``, ``total`` ((p,) running
        sums over r²), ``step_pull``, ``step_drift``, ``step_martingale`` (p,), ``start``, ``chain`` and ``left``.
    radius : float
        r, of a ``Decomposition``, whose ``chain`` and exit step ``left`` (0 for none) are named in the axis.
    points : int
        Steps drawn of a ``Decomposition``, at most.
    """
    part = _thinned(found, radius, chain, left, points) if hasattr(found, "running_pull") else {
        key: getattr(found, key) for key in ("steps", "pull", "drift", "martingale", "total", "step_pull", "step_drift",
                                             "step_martingale", "start", "chain", "left")}
    x, escape = np.asarray(part["steps"], float), 1.0 - part["start"]
    end = float(x[-1]) if x.size else 1.0
    line = np.array([0.0, end])
    looks = {"pull": ("reference", "line", 1.8), "drift": ("truth", "dash", 1.4), "martingale": ("ours", "line", 0.9)}
    drawn = [Line("zero", line, np.zeros(2), "axis", width=1.0, silent=True),
             Line("escape line", line, np.full(2, escape), "exit", label="r²" if part["start"] == 0 else "r² − ρ₀²",
                  bold=True, width=0.5, silent=True)]
    for name, (role, mark, width) in looks.items():
        told = [f"{v:+.4f}, this step {one:+.6f}".replace("-", "−")
                for v, one in zip(part[name], part[f"step_{name}"], strict=True)]
        drawn.append(Line(name, x, part[name], role, mark, name, width=width, told=told,
                          alpha=0.75 if name == "martingale" else 1.0))
    drawn.append(Line("their sum", x, part["total"], "ours", label="their sum", bold=True,
                      told=[f"{v:+.4f} r²".replace("-", "−") for v in part["total"]]))
    if part["left"]:
        drawn.append(Line("leaves", x[-1:], np.asarray(part["total"])[-1:], "exit", "open", size=9.0,
                          told=[f"chain {part['chain']:,}\nleaves at step {part['left']:,}"]))
    values = np.concatenate([*(np.asarray(part[name], float) for name in (*looks, "total")), [escape, 0.0]])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.04 * (high - low)
    who = "" if part["chain"] is None else f": chain {part['chain']:,} " + (
        f"leaves at step {part['left']:,}" if part["left"] else "stays")
    return lines(drawn, f"step i{who}", "sum ÷ r²", compared=True, xlim=(0.0, 1.008 * end),
                 ylim=(low - margin, high + margin))


def _thinned(found, radius: float, chain: int | None, left: int, points: int) -> dict:
    unit, count = radius**2, len(found.pull)
    at = np.unique(np.linspace(0, count, min(count, points) + 1).round().astype(int))
    part = {name: getattr(found, f"running_{name}")[at] / unit for name in ("pull", "drift", "martingale")}
    single = {f"step_{name}": np.concatenate([[0.0], getattr(found, name)])[at] / unit for name in part}
    return part | single | {"steps": at, "total": sum(part.values()), "chain": chain, "left": left,
                            "start": float(found.squared_distance[0] / unit)}


def pushes(found, dim: int, radius: float, *, squared: bool = True) -> Lines:
    """Draw the noise's mean push in one step over 2 eta, by distance: d on the square wherever it is, not on the distance.

    Parameters
    ----------
    found : Pushes
        Of ``ExitSimulation.pushes()``.
    dim : int
        d.
    radius : float
        r.
    squared : bool
        The push on the squared distance, else on the distance.
    """
    x = np.asarray(found.distance, float) / radius
    mean, error = (found.square, found.square_error) if squared else (found.plain, found.plain_error)
    top = 2.0 * dim if squared else max(2.0 * (dim - 1) / (2 * 0.12 * radius), 1.0 / radius)
    with np.errstate(invalid="ignore"):
        shown = (found.count >= FEWEST) & np.isfinite(error) & (mean <= 1.02 * top) & (error <= 0.2 * top)
    line = np.linspace(0.005, 1.0, 120)
    law = np.full(line.size, float(dim)) if squared else (dim - 1) / (2 * line * radius)
    words = "" if squared else (
        "0 away from the mode" if dim == 1 else "(d − 1)/(2‖D‖)\nunbounded at the mode")
    told = [f"distance ÷ r {d:.2f}\npush ÷ 2η {m:.3f} ± {2 * e:.3f}\n{n:,.0f} steps"
            for d, m, e, n in zip(x[shown], mean[shown], error[shown], found.count[shown], strict=True)]
    drawn = [
        Line("the law", line, np.where(law <= top, law, np.nan), "truth", "dash", words, where="beside", width=1.3),
        Line("", np.array([0.02]), np.array([1.7 * dim]), "truth", label="dashed: d, wherever it is" if squared else "",
             where="beside", silent=True),  # clear of the dots, which stand about d
        Line("mean push", x[shown], mean[shown], "ours", "spots", size=5.2, bars=True, told=told,
             low=np.maximum(mean - 2 * error, -0.06 * top)[shown], high=np.minimum(mean + 2 * error, top)[shown])]
    return lines(drawn, "distance from the mode ÷ r", "mean push ÷ 2η", xlim=(0.0, 1.0), ylim=(-0.06 * top, top))
