"""Chains that leave their ball: the share still inside, what each bound promises, paths, sums and pushes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.plots.lines import Line, Lines, lines
from app.plots.numbers import plain_ticks, share

STEP, STAY = "step i of the epoch", "share still inside"
BOUNDS = {
    "printed": ("as printed", "printed", "dots", 1.4),
    "corrected": ("corrected Azuma", "Azuma", "dots", 1.4),
    "sharp": ("ours, convex", "convex", "dash", 1.4),
    "local": ("ours, curved", "curved", "dash", 2.0),
}
"""Name of a curve of `exit_bounds` -> label, short label, mark, width."""
ZOOMS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Where the axis of the share may begin."""
TOP = 1.22
"""Top of the axis of distances, in units of r or its square."""
FEWEST = 30
"""Steps that began in a bin for it to be drawn."""


def _zoomed(drawn: Sequence[Line]) -> dict:
    """Begin the axis as high as the chains, a near comparison walk and the best bound allow."""
    lowest = 1.0
    for line in drawn:
        known = (line.y if line.low is None else line.low)[np.isfinite(line.y)]
        if known.size and line.role == "ours":
            lowest = min(lowest, float(known[-1]))
    for line in drawn:
        known = line.y[np.isfinite(line.y)]
        if known.size and line.role != "ours" and (line.bold or line.role == "reference" or line.mark == "diamond"):
            lowest = min(lowest, float(known[-1])) if known[-1] > 0.5 * lowest else lowest
    low = max(zoom for zoom in ZOOMS if zoom <= max(0.0, lowest - 0.04 * (1 - lowest)))
    end = max((float(line.x[-1]) for line in drawn if line.x.size), default=1.0)
    return {"ylim": (low, 1.0 + 0.03 * (1.0 - low)), "xlim": (0.0, 1.008 * max(end, 1.0))}


def survival(curve, name: str = "chains", role: str = "ours") -> Lines:
    """Draw a curve of `sampler.survival_curve` with its band; join several, and `bounds`, with ``*``.

    Parameters
    ----------
    curve : Survival
        Anything with ``steps`` and ``share``, (j,) arrays, and perhaps ``low`` and ``high``.
    name : str
    role : str
        "ours"; "reference" for a comparison walk.
    """
    stay, low, high = np.asarray(curve.share, float), getattr(curve, "low", None), getattr(curve, "high", None)
    if not stay.size:
        return lines([], STEP, STAY, compared=True, limits=_zoomed)
    ours = role == "ours"
    told = [share(v) if low is None or not ours else f"{share(v)}, band {a:.4f} to {b:.4f}"
            for v, a, b in zip(stay, stay if low is None else low, stay if high is None else high, strict=True)]
    line = Line(name, curve.steps, stay, role, label=f"{name} {share(stay[-1])}", bold=ours, told=told,
                low=low if ours else None, high=high if ours else None)
    return lines([line], STEP, STAY, compared=True, limits=_zoomed)


def bounds(found, *which: str, steps: np.ndarray | None = None, measured=None, batch: float | None = None,
           points: int = 81) -> Lines:
    """Draw what bounds promise to stay.

    Parameters
    ----------
    found : ExitBounds, or dict of name to (j,) array
        Bounds on the probability of leaving by each step: of `sampler.exit_bounds`, or computed already.
    *which : str
        "printed", "corrected", "sharp", "local"; none for all there are.
    steps : (j,) array
        Of a dict.
    measured : Survival, optional
        The chains: a printed curve above their band is said to be no bound.
    batch : float, optional
        Bound on the probability of leaving with real batches by the last step: a diamond.
    points : int
        Of an ``ExitBounds``.
    """
    if isinstance(found, Mapping):
        if steps is None:
            raise ValueError("steps must be given with a dict of curves; got None: pass the steps they were computed at")
        at, exits = np.asarray(steps, float), {key: np.asarray(value, float) for key, value in found.items()}
        curved = "local" in exits
    else:
        at, curved = np.unique(np.linspace(0, found.steps, points).round().astype(int)), found.strong_convexity > 0
        names = which or [name for name in BOUNDS if curved or name != "local"]
        exits = {name: np.asarray(found.curve(name, at), float) for name in names}
    wrong = [name for name in (*which, *exits) if name not in BOUNDS]
    if wrong:
        raise ValueError(f"which must be among {', '.join(BOUNDS)}; got {wrong[0]!r}")
    drawn = []
    for name in which or exits:
        if name not in exits:
            continue
        words, brief, mark, width = BOUNDS[name]
        if name == "sharp" and not curved:
            words = brief = "ours"
        stays, best = 1.0 - exits[name], name == ("local" if curved else "sharp")
        last = float(stays[-1])
        note, remark = ("\ntrue, says nothing", "\nsays nothing") if last < 0.0005 else ("", "")
        if name == "printed" and not note:
            fails = _fails(at, stays, measured)
            note, remark = ("\nabove the truth: no bound", "\nabove the truth") if fails else (", unproved", "")
        value = share(last) if last < 0.9995 else "0.999…"
        drawn.append(Line(words, at, stays, "bound", mark, f"{words} {share(last)}{note}", f"{brief} {value}{remark}", best,
                          width=width, told=[share(v) for v in stays]))
    if batch is not None:
        stays = 1.0 - batch
        drawn.append(Line("real batches", at[-1:], np.array([stays]), "bound", "diamond", f"real batches {share(stays)}",
                          "batches", told=[f"real batches\nby step {at[-1]:,}: {share(stays)}"]))
    return lines(drawn, STEP, STAY, compared=True, limits=_zoomed)


def _fails(at: np.ndarray, stays: np.ndarray, measured) -> bool:
    """Whether a curve lies above the simulated band somewhere: then it bounds nothing."""
    if measured is None:
        return False
    known = at <= measured.steps[-1]
    return bool((stays[known] > np.interp(at[known], measured.steps, measured.high) + 1e-12).any())


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
    words = "d, wherever it is" if squared else (
        "0 away from the mode" if dim == 1 else "(d − 1)/(2‖D‖)\nunbounded at the mode")
    told = [f"distance ÷ r {d:.2f}\npush ÷ 2η {m:.3f} ± {2 * e:.3f}\n{n:,.0f} steps"
            for d, m, e, n in zip(x[shown], mean[shown], error[shown], found.count[shown], strict=True)]
    drawn = [
        Line("the law", line, np.where(law <= top, law, np.nan), "truth", "dash", words, where="beside", width=1.3),
        Line("mean push", x[shown], mean[shown], "ours", "spots", size=5.2, bars=True, told=told,
             low=np.maximum(mean - 2 * error, -0.06 * top)[shown], high=np.minimum(mean + 2 * error, top)[shown])]
    return lines(drawn, "distance from the mode ÷ r", "mean push ÷ 2η", xlim=(0.0, 1.0), ylim=(-0.06 * top, top))


def good_events(epochs: np.ndarray, escape: np.ndarray, reset_epochs: np.ndarray = (),
                reset: np.ndarray | None = None) -> Lines:
    """Draw the share of chains that have kept to the good events of the paper's induction so far.

    Parameters
    ----------
    epochs, escape : (p,) arrays
        G_t: no step so far left the escape ball.
    reset_epochs, reset : (q,) arrays, optional
        H_t: the chains were near the mode at every power of two.
    """
    t, escape = np.asarray(epochs, float), np.asarray(escape, float)
    end = max(float(t[-1]) if t.size else 2.0, 2.0)
    drawn = []
    if t.size:
        x, y = _stairs(t, escape)
        drawn.append(Line("chains with Gₜ", x, y, "exit", label=f"Gₜ {share(escape[-1])}", bold=True, width=1.4))
    if reset is not None and len(reset):
        at, value = np.asarray(reset_epochs, float), np.asarray(reset, float)
        x, y = _stairs(np.append(at, end), np.append(value, value[-1]))
        drawn.append(Line("chains with Hₜ", x, y, "kin", "dash", f"Hₜ {share(value[-1])}", bold=True, width=0.8))
        drawn.append(Line("chains with Hₜ", at, value, "kin", "diamond", size=9.0))
    return lines(drawn, "epoch t, log scale", "share of chains", logx=True, xlim=(0.97, 1.03 * end), ylim=(0.0, 1.04),
                 xticks=plain_ticks(1.0, end))


def _stairs(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a line that keeps each value until the next."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
