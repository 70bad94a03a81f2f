"""Figures of chains through one epoch, of the running sums of their steps, and of the exponential process.

Each is made from a `Drawing`, as in `app.plots.exit_probability_drawings`.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from app.number_words import scientific
from app.plots.exit_probability_drawings import STEP
from app.plots.lines import Drawing, Line, Lines, as_lines, drawing

TOP = 1.22
"""Upper limit of the axis, in units of r or r²."""


def paths(simulation, *, squared: bool = True, lift: float | None = None, picked=None, end: float | None = None) -> Lines:
    """Draw the distances of chains through one epoch, with a ring at each exit.

    Parameters
    ----------
    simulation : ExitSimulation
        Or an object with ``path_steps`` (p,), ``paths`` (k, p) squared distances over r², ``path_exits`` (k,) exit
        steps, 0 for none, ``chains`` and ``radius``.
    squared : bool
        Draw squared distances, else distances.
    lift : float, optional
        Increase of the mean of the squared distance over r² per step of the noise, 2 eta d / r²; computed for an
        ``ExitSimulation``.
    picked : object, optional
        One chain, drawn bold: its number ``chain``, exit step ``left``, 0 for none, and `Decomposition` ``parts``.
    end : float, optional
        Steps of the epoch; by default the last recorded step, or all steps of an ``ExitSimulation``.

    Returns
    -------
    Lines
        The key of a path or a ring is the chain's index.
    """
    if not hasattr(simulation, "path_exits"):
        reached, r2 = simulation.path_steps <= simulation.steps_done, simulation.radius**2
        at, squares = simulation.path_steps[reached], simulation.paths[:, reached] / r2
        exits = simulation.exit_steps[: len(simulation.paths)]
        outside = (exits[:, None] > 0) & (at[None, :] >= exits[:, None])
        lift = 2 * simulation.step_size * simulation.target.dim / r2 if lift is None else lift
        end = float(simulation.steps) if end is None else end
        simulation = SimpleNamespace(path_steps=at, paths=np.where(outside, np.nan, squares), path_exits=exits,
                                     chains=simulation.chains, radius=simulation.radius)
    return as_lines(paths_drawing(simulation, squared, lift, picked, end))


def paths_drawing(crowd, squared: bool = True, lift: float | None = None, picked=None, end: float | None = None) -> Drawing:
    """Return the drawing of `paths`, for any simulation but an ``ExitSimulation``."""
    at, squares, exits = np.asarray(crowd.path_steps, float), np.asarray(crowd.paths, float), np.asarray(crowd.path_exits)
    end = float(end or (at[-1] if len(at) else 1.0))
    scaled = (lambda v: v) if squared else np.sqrt
    rows: list[Line] = []
    for chain in np.argsort(exits > 0, kind="stable"):
        left, inside = int(exits[chain]), np.isfinite(squares[chain])
        x, y = at[inside], scaled(squares[chain][inside])
        words = f"chain {chain}\n" + (f"left at step {left:,}" if left else "stays") + "\ntap to split it"
        x, y = (np.append(x, left), np.append(y, 1.0)) if left else (x, y)
        rows.append(Line(f"chain {chain}", x, y, "exit" if left else "ours", width=1.0 if left else 0.8,
                         alpha=0.7 if left else 0.3, tooltip=[words] * x.size, key=int(chain)))
    rows += _marks(crowd, rows, at, squares, exits, lift, end, squared)
    rows += _picked(picked, crowd.radius, exits, scaled)
    symbol = "r²" if squared else "r"
    words = "squared distance ÷ r²" if squared else "distance ÷ r"
    ticks = [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, symbol)]
    return drawing(rows, STEP, words, {"xlim": (0.0, 1.008 * end), "ylim": (0.0, TOP), "yticks": ticks})


def _marks(crowd, rows: list[Line], at, squares, exits, lift, end: float, squared: bool) -> list[Line]:
    """Return the escape line, the mean under the noise alone, and the rings."""
    symbol, gone = ("r²" if squared else "r"), np.flatnonzero(exits)
    whole, count = int(crowd.chains), len(rows)
    made = [Line("escape line", (0.0, end), 1.0, "exit", bold=True, width=1.1, silent=True,
                 label=f"escape line {symbol}\n○ first exit of a chain", short=f"escape {symbol}\n○ exits")]
    if lift is not None:
        x = np.linspace(0.0, end, 60)
        start = float(np.nanmean(squares[:, 0])) if count else 0.0
        y = (start + lift * x) if squared else np.sqrt(start + lift * x)
        words = "noise alone lifts the\nmean by 2ηd per step" if squared else "noise alone: root\nof the mean square"
        made.append(Line("noise alone", x, np.where(y <= TOP, y, np.nan), "truth", "dash", words,
                         "2ηd per step" if squared else "noise alone", width=1.4, silent=True))
    if count:
        leave = f"{len(gone) or 'none'} of these leave"
        made.append(Line("chains", end, 0.2, "ours", "spots",
                         f"{count} of the {whole:,} chains,\n{leave}", f"{count} of {whole:,}", size=0.0, silent=True))
    made.extend([Line(f"chain {k}", exits[k], 1.0, "exit", "open", size=9.0,
                  tooltip=[f"chain {k}\nleft at step {exits[k]:,}\ntap to split it"], key=int(k)) for k in gone])
    return made


def _picked(picked, radius: float, exits: np.ndarray, scaled) -> list[Line]:
    if picked is None:
        return []
    at = thinned_steps(len(picked.parts.pull))
    y = scaled(picked.parts.squared_distance[at] / radius**2)
    if picked.left:
        y = np.append(y[:-1], 1.0)
    made = [Line(f"chain {picked.chain}", at, y, "truth", width=2.0, key=int(picked.chain),
                 tooltip=[f"chain {picked.chain}, split below"] * len(y))]
    if picked.left and not (picked.chain < len(exits) and exits[picked.chain]):
        made.append(Line(f"chain {picked.chain}", picked.left, 1.0, "exit", "open", size=9.0,
                         tooltip=[f"chain {picked.chain}\nleft at step {picked.left:,}"], key=int(picked.chain)))
    return made


FEWEST = 30
"""Minimum number of steps starting in a bin for the bin to be drawn."""


def sums(parts, *, radius: float = 1.0, chain: int | None = None, left: int = 0) -> Lines:
    """Draw the running sums of one chain's pull, drift and martingale in units of r², and their total.

    Parameters
    ----------
    parts : Decomposition
        Result of `sampler.decompose`.
    radius : float
        Escape radius r.
    chain, left : int
        The chain's number and its exit step, 0 for none; both are in the axis label.
    """
    return as_lines(sums_drawing(parts, radius, chain, left))


def sums_drawing(parts, radius: float = 1.0, chain: int | None = None, left: int = 0) -> Drawing:
    """Return the drawing of `sums`."""
    unit, at = radius**2, thinned_steps(len(parts.pull))
    x, start = at.astype(float), float(parts.squared_distance[0] / unit)
    end = max(float(x[-1]), 1.0)
    looks = {"pull": ("reference", "line", 1.8), "drift": ("truth", "dash", 1.4), "martingale": ("ours", "line", 0.9)}
    drawn = [Line("zero", (0.0, end), 0.0, "axis", width=1.0, silent=True),
             Line("escape line", (0.0, end), 1.0 - start, "exit", label="r²" if start == 0 else "r² − ρ₀²", bold=True,
                  width=0.5, silent=True)]
    total = np.zeros(at.size)
    for name, (role, mark, width) in looks.items():
        running = parts.running(name)[at] / unit
        single = np.concatenate([[0.0], getattr(parts, name)])[at] / unit
        total += running
        tooltip = [f"{v:+.4f}, this step {one:+.6f}".replace("-", "−") for v, one in zip(running, single, strict=True)]
        drawn.append(Line(name, x, running, role, mark, name, width=width, tooltip=tooltip,
                          alpha=0.75 if name == "martingale" else 1.0))
    drawn.append(Line("their sum", x, total, "ours", label="their sum", bold=True,
                      tooltip=[f"{v:+.4f} r²".replace("-", "−") for v in total]))
    if left:
        drawn.append(Line("leaves", x[-1:], total[-1:], "exit", "open", size=9.0,
                          tooltip=[f"chain {chain:,}\nleaves at step {left:,}"]))
    values = np.concatenate([*(line.y for line in drawn[2:]), [1.0 - start, 0.0]])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.04 * (high - low)
    who = "" if chain is None else f": chain {chain:,} " + (f"leaves at step {left:,}" if left else "stays")
    return drawing(drawn, f"step i{who}", "sum ÷ r²", {
        "xlim": (0.0, 1.008 * end), "ylim": (low - margin, high + margin)}, True)


def thinned_steps(count: int, points: int = 400) -> np.ndarray:
    """Return at most ``points + 1`` evenly spaced steps from 0 to `count`."""
    return np.unique(np.linspace(0, count, min(count, points) + 1).round().astype(int))


def pushes(measured, dim: int, radius: float, *, squared: bool = True) -> Lines:
    """Draw the noise's mean push per step over 2 eta against distance: constant, d, for the squared distance only.

    Parameters
    ----------
    measured : Pushes
        Result of ``ExitSimulation.pushes()``.
    dim : int
        Dimension d.
    radius : float
        Escape radius r.
    squared : bool
        Draw the push on the squared distance, else on the distance.
    """
    return as_lines(pushes_drawing(measured, dim, radius, squared))


def pushes_drawing(measured, dim: int, radius: float, squared: bool = True) -> Drawing:
    """Return the drawing of `pushes`."""
    x = np.asarray(measured.distance, float) / radius
    mean, error = (measured.square, measured.square_error) if squared else (measured.plain, measured.plain_error)
    top = 2.0 * dim if squared else max(2.0 * (dim - 1) / (2 * 0.12 * radius), 1.0 / radius)
    with np.errstate(invalid="ignore"):
        shown = (measured.count >= FEWEST) & np.isfinite(error) & (mean <= 1.02 * top) & (error <= 0.2 * top)
    line = np.linspace(0.005, 1.0, 120)
    law = np.full(line.size, float(dim)) if squared else (dim - 1) / (2 * line * radius)
    words = "" if squared else (
        "0 away from the mode" if dim == 1 else "(d − 1)/(2‖D‖)\nunbounded at the mode")
    tooltip = [f"distance ÷ r {d:.2f}\npush ÷ 2η {m:.3f} ± {2 * e:.3f}\n{n:,.0f} steps"
               for d, m, e, n in zip(x[shown], mean[shown], error[shown], measured.count[shown], strict=True)]
    drawn = [
        Line("the law", line, np.where(law <= top, law, np.nan), "truth", "dash", words, where="beside", width=1.3),
        Line("", 0.02, 1.7 * dim, "truth", label="dashed: d, at any distance" if squared else "",
             where="beside", silent=True),  # clear of the dots, which are near d
        Line("mean push", x[shown], mean[shown], "ours", "spots", size=5.2, bars=True, tooltip=tooltip,
             low=np.maximum(mean - 2 * error, -0.06 * top)[shown], high=np.minimum(mean + 2 * error, top)[shown])]
    return drawing(drawn, "distance from the mode ÷ r", "mean push ÷ 2η", {"xlim": (0.0, 1.0), "ylim": (-0.06 * top, top)})


SHARE = "exp(θD² + C) ÷ its level, log scale"
"""Label of the vertical axis."""


def exit_process(process) -> Lines:
    """Draw the exponential process of some chains divided by its stopping level.

    Parameters
    ----------
    process : object
        With ``steps`` (p,), ``shares`` (k, p) the process over its level, NaN after the exit, ``exits`` (k,) exit steps, 0
        for none, and ``start``, the bound on P(exit).
    """
    return as_lines(process_drawing(process))


def process_drawing(process) -> Drawing:
    """Return the drawing of `exit_process`."""
    steps, end = np.asarray(process.steps, float), float(process.steps[-1])
    drawn = []
    for chain, (share, left) in enumerate(zip(process.shares, process.exits, strict=True)):
        inside = np.isfinite(share)
        x, y = steps[inside], share[inside]
        if left:
            x, y = np.append(x, left), np.append(y, 1.0)
        tooltip = [f"chain {chain}\n" + (f"left at step {left:,}" if left else "stays")] * x.size
        role, alpha = ("exit", 0.7) if left else ("ours", 0.35)
        drawn.append(Line(f"chain {chain}", x, y, role, width=1.0, alpha=alpha, tooltip=tooltip))
    drawn.extend([
        Line("level", (0.0, end), 1.0, "exit", label="level: out at the latest here", short="level", bold=True, width=1.4,
             silent=True),
        Line("start", (0.0, end), process.start, "truth", "dash", width=1.5, silent=True, bold=True,
             label=f"start {scientific(process.start)}:\nno mean is above it", short=f"start {scientific(process.start)}")])
    low = float(np.nanmin(process.shares)) if np.isfinite(process.shares).any() else 0.1
    return drawing(drawn, STEP, SHARE, {
        "logy": True, "xlim": (0.0, 1.008 * end), "ylim": (min(low, process.start) * 0.7, 2.0)})
