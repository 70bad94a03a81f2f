"""Distances of chains through one epoch, a ring where one leaves."""

from __future__ import annotations

import numpy as np

from app.plots.exit_time import STEP
from app.plots.lines import Line, Lines, lines

TOP = 1.22
"""Top of the axis, in units of r or its square."""


def paths(found, *, squared: bool = True, lift: float | None = None, picked=None, end: float | None = None) -> Lines:
    """Draw distances of chains through one epoch, a ring where one leaves.

    Parameters
    ----------
    found : ExitSimulation
        Or anything with ``path_steps`` (p,), ``paths`` (k, p) squared distances over r², ``path_exits`` (k,) steps of
        exits, 0 for none, and ``chains``.
    squared : bool
        Draw squared distances, else distances.
    lift : float, optional
        How much one step of the noise lifts the mean of the squared distance over r², 2 eta d / r²; an
        ``ExitSimulation`` knows it.
    picked : object, optional
        One chain split by `sums`: it is drawn bold.
    end : float, optional
        Steps of the epoch; else the last one drawn.

    Returns
    -------
    Lines
        A tap on a path or a ring hands over the chain's index.
    """
    at, squares, exits, lift, end = _crowd(found, lift, end)
    scaled = (lambda v: v) if squared else np.sqrt
    rows: list[Line] = []
    for chain in np.argsort(exits > 0, kind="stable"):
        left, known = int(exits[chain]), np.isfinite(squares[chain])
        x, y = at[known], scaled(squares[chain][known])
        words = f"chain {chain}\n" + (f"left at step {left:,}" if left else "stays") + "\ntap to split it"
        x, y = (np.append(x, left), np.append(y, 1.0)) if left else (x, y)
        rows.append(Line(f"chain {chain}", x, y, "exit" if left else "ours", width=1.0 if left else 0.8,
                         alpha=0.7 if left else 0.3, told=[words] * x.size, key=int(chain)))
    rows += _marks(found, rows, at, squares, exits, lift, end, squared)
    rows += _picked(picked, exits, scaled)
    symbol = "r²" if squared else "r"
    words = "squared distance ÷ r²" if squared else "distance ÷ r"
    return lines(rows, STEP, words, xlim=(0.0, 1.008 * end), ylim=(0.0, TOP),
                 yticks=[(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, symbol)])


def _crowd(found, lift: float | None, end: float | None) -> tuple:
    if hasattr(found, "path_exits"):
        at, squares, exits = found.path_steps, np.asarray(found.paths, float), np.asarray(found.path_exits)
    else:
        known = found.path_steps <= found.steps_done
        at, r2 = found.path_steps[known], found.radius**2
        squares, exits = found.paths[:, known] / r2, found.exit_steps[: len(found.paths)]
        outside = (exits[:, None] > 0) & (at[None, :] >= exits[:, None])
        squares = np.where(outside, np.nan, squares)
        lift = 2 * found.step_size * found.target.dim / r2 if lift is None else lift
        end = float(found.steps) if end is None else end
    return np.asarray(at, float), squares, exits, lift, float(end or (at[-1] if len(at) else 1.0))


def _marks(found, rows: list[Line], at, squares, exits, lift, end: float, squared: bool) -> list[Line]:
    """The escape line, what the noise alone does to the mean, and the rings."""
    symbol, gone = ("r²" if squared else "r"), np.flatnonzero(exits)
    whole, count = int(found.chains), len(rows)
    made = [Line("escape line", np.array([0.0, end]), np.ones(2), "exit", bold=True, width=1.1, silent=True,
                 label=f"escape line {symbol}\n○ first exit of a chain", short=f"escape {symbol}\n○ exits")]
    if lift is not None:
        x = np.linspace(0.0, end, 60)
        start = float(np.nanmean(squares[:, 0])) if count else 0.0
        y = (start + lift * x) if squared else np.sqrt(start + lift * x)
        words = "noise alone lifts the\nmean by 2ηd a step" if squared else "noise alone: root\nof the mean square"
        made.append(Line("noise alone", x, np.where(y <= TOP, y, np.nan), "truth", "dash", words,
                         "2ηd a step" if squared else "noise alone", width=1.4, silent=True))
    if count:
        leave = f"{len(gone) or 'none'} of these leave"
        made.append(Line("chains", np.array([end]), np.array([0.2]), "ours", "spots",
                         f"{count} of the {whole:,} chains,\n{leave}", f"{count} of {whole:,}", size=0.0, silent=True))
    made += [Line(f"chain {k}", np.array([float(exits[k])]), np.ones(1), "exit", "open", size=9.0,
                  told=[f"chain {k}\nleft at step {exits[k]:,}\ntap to split it"], key=int(k)) for k in gone]
    return made


def _picked(picked, exits: np.ndarray, scaled) -> list[Line]:
    if picked is None:
        return []
    y = scaled(np.maximum(picked.start + np.asarray(picked.total, float), 0.0))
    if picked.left:
        y = np.append(y[:-1], 1.0)
    made = [Line(f"chain {picked.chain}", picked.steps, y, "truth", width=2.0, key=int(picked.chain),
                 told=[f"chain {picked.chain}, split below"] * len(y))]
    if picked.left and not (picked.chain < len(exits) and exits[picked.chain]):
        made.append(Line(f"chain {picked.chain}", np.array([float(picked.left)]), np.ones(1), "exit", "open", size=9.0,
                         told=[f"chain {picked.chain}\nleft at step {picked.left:,}"], key=int(picked.chain)))
    return made
