"""Figures of survival curves with their bounds, of good events, and of a theorem's bounds.

Each is made from a `Drawing`: arrays and plain Python, which is translated to JavaScript for the single-file lab.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.number_words import share
from app.plots.axis_ticks import plain_ticks
from app.plots.lines import Drawing, Line, Lines, as_lines, drawing

STEP, STAY = "step i of the epoch", "share still inside"
BOUNDS = {
    "printed": ("as printed", "printed", "dots", 1.4),
    "corrected": ("corrected Azuma", "Azuma", "dots", 1.4),
    "sharp": ("ours, convex", "convex", "dash", 1.4),
    "local": ("ours, curved", "curved", "dash", 2.0),
    "rotation": ("Altschuler–Talwar", "A–T", "dots", 1.4),
}
"""Name of a curve of `exit_bounds` -> label, short label, mark, width."""
ZOOMS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Allowed lower limits of the share's axis."""


def _zoomed(drawn: Sequence[Line]) -> dict:
    """Return axis limits, with the largest lower limit that keeps chains, a near comparison walk and the best bound."""
    lowest = 1.0
    for line in drawn:
        finite = (line.y if line.low is None else line.low)[np.isfinite(line.y)]
        if finite.size and line.role == "ours":
            lowest = min(lowest, float(finite[-1]))
    for line in drawn:
        finite = line.y[np.isfinite(line.y)]
        if finite.size and line.role != "ours" and (line.bold or line.role == "reference" or line.mark == "diamond"):
            lowest = min(lowest, float(finite[-1])) if finite[-1] > 0.5 * lowest else lowest
    low = max(zoom for zoom in ZOOMS if zoom <= max(0.0, lowest - 0.04 * (1 - lowest)))
    end = max((float(line.x[-1]) for line in drawn if line.x.size), default=1.0)
    return {"ylim": (low, 1.0 + 0.03 * (1.0 - low)), "xlim": (0.0, 1.008 * max(end, 1.0))}


def survival(curve, name: str = "chains", role: str = "ours") -> Lines:
    """Draw a curve of `sampler.survival_curve` with its band; combine several, and `bounds`, with ``*``.

    Parameters
    ----------
    curve : Survival
        Object with ``steps`` and ``share``, (j,) arrays, and optionally ``low`` and ``high``.
    name : str
    role : str
        "ours", or "reference" for a comparison walk.
    """
    return as_lines(survival_drawing(curve, name, role))


def survival_drawing(curve, name: str = "chains", role: str = "ours") -> Drawing:
    """Return the drawing of `survival`."""
    stay, low, high = np.asarray(curve.share, float), getattr(curve, "low", None), getattr(curve, "high", None)
    if not stay.size:
        return drawing([], STEP, STAY, None, True, _zoomed)
    ours = role == "ours"
    tooltip = [share(v) if low is None or not ours else f"{share(v)}, band {a:.4f} to {b:.4f}"
               for v, a, b in zip(stay, stay if low is None else low, stay if high is None else high, strict=True)]
    line = Line(name, curve.steps, stay, role, label=f"{name} {share(stay[-1])}", bold=ours, tooltip=tooltip,
                low=low if ours else None, high=high if ours else None)
    return drawing([line], STEP, STAY, None, True, _zoomed)


def bounds(curves, *which: str, steps: np.ndarray | None = None, measured=None, batch: float | None = None,
           points: int = 81) -> Lines:
    """Draw lower bounds on the share of chains still inside.

    Parameters
    ----------
    curves : ExitBounds, or dict of name to (j,) array
        Bounds on the probability of leaving by each step, from `sampler.exit_bounds` or precomputed.
    *which : str
        "printed", "corrected", "sharp", "local", "rotation"; by default all available curves.
    steps : (j,) array
        Steps of the curves; required with a dict.
    measured : Survival, optional
        Simulated chains: a printed curve above their band is labelled "no bound".
    batch : float, optional
        Bound on the probability of leaving with real batches by the last step, drawn as a diamond.
    points : int
        Number of steps at which an ``ExitBounds`` is evaluated.
    """
    if isinstance(curves, Mapping):
        if steps is None:
            raise ValueError("steps must be an array with a dict of curves, got None; pass the steps of the curves")
        at, exits = np.asarray(steps, float), {key: np.asarray(value, float) for key, value in curves.items()}
        curved = "local" in exits
    else:
        at, curved = np.unique(np.linspace(0, curves.steps, points).round().astype(int)), curves.strong_convexity > 0
        names = which or [name for name in BOUNDS if curved or name != "local"]
        exits = {name: np.asarray(curves.curve(name, at), float) for name in names}
    wrong = [name for name in (*which, *exits) if name not in BOUNDS]
    if wrong:
        raise ValueError(f"which must be among {', '.join(BOUNDS)}; got {wrong[0]!r}")
    return as_lines(bounds_drawing(exits, at, which, measured, batch, curved))


def bounds_drawing(exits: Mapping[str, np.ndarray], at: np.ndarray, which: Sequence[str] = (), measured=None,
                   batch: float | None = None, curved: bool = True) -> Drawing:
    """Return the drawing of `bounds` for a dict of curves at the steps ``at``; ``curved``: strong convexity is positive."""
    drawn = []
    for name in which or exits:
        if name not in exits:
            continue
        words, brief, mark, width = BOUNDS[name]
        if name == "sharp" and not curved:
            words = brief = "ours"
        stays, best = 1.0 - exits[name], name == ("local" if curved else "sharp")
        last = float(stays[-1])
        note, remark = ("\ntrue but vacuous", "\nvacuous") if last < 0.0005 else ("", "")
        if name == "printed" and not note:
            fails = measured is not None and lies_above(at, stays, measured)
            note, remark = ("\nabove the truth: no bound", "\nabove the truth") if fails else (", unproved", "")
        value = share(last) if last < 0.9995 else "0.999…"
        drawn.append(Line(words, at, stays, "bound", mark, f"{words} {share(last)}{note}", f"{brief} {value}{remark}", best,
                          width=width, tooltip=[share(v) for v in stays]))
    if batch is not None:
        stays = 1.0 - batch
        drawn.append(Line("real batches", at[-1:], np.array([stays]), "bound", "diamond", f"real batches {share(stays)}",
                          "batches", tooltip=[f"real batches\nby step {at[-1]:,}: {share(stays)}"]))
    return drawing(drawn, STEP, STAY, None, True, _zoomed)


def lies_above(steps: np.ndarray, stays: np.ndarray, measured) -> bool:
    """Return whether a curve (j,) exceeds the simulated band at any step, which refutes it as a bound."""
    reached = steps <= measured.steps[-1]
    return bool((stays[reached] > np.interp(steps[reached], measured.steps, measured.high) + 1e-12).any())


LENGTH, DISTANCE = "iₘₐₓ, steps of the epoch", "total variation from π"


def promise(result) -> Lines:
    """Draw the bound on the total variation and the measured distance.

    Parameters
    ----------
    result : Promise
        Object with ``steps``, ``promised`` and ``lemma``, (j,) arrays, ``measured``, (j,) or None, and ``floor``, the
        measured distance of the same number of exact draws.
    """
    return as_lines(promise_drawing(result))


def promise_drawing(result) -> Drawing:
    """Return the drawing of `promise`."""
    n = np.asarray(result.steps, float)
    drawn = []
    if n.size:
        drawn = [_line("Lemma 6.4 as printed", n, result.lemma, "bound", "dots", 1.4),
                 _line("promised", n, result.promised, "bound", "dash", 2.0, True)]
    if n.size and result.measured is not None:
        floor = np.full(n.size, result.floor)
        label = f"exact draws {_two(result.floor)}"
        drawn.append(Line("exact draws", n, floor, "ceiling", "dots", label, "exact", width=1.4))
        drawn.append(_line("chains", n, result.measured, "ours", "line", 1.8, True))
    end = max(float(n[-1]) if n.size else 1.0, 1.0)
    return drawing(drawn, LENGTH, DISTANCE, {"ylim": (0.0, 1.04), "xlim": (0.0, 1.008 * end)}, True)


def _line(name: str, n: np.ndarray, values: np.ndarray, role: str, mark: str, width: float, bold: bool = False) -> Line:
    y = np.asarray(values, float)
    note = "\nvacuous" if role == "bound" and y[-1] > 0.9995 else ""
    return Line(name, n, y, role, mark, f"{name} {_two(y[-1])}{note}", name, bold, width=width,
                tooltip=[_two(v) for v in y])


def _two(value: float) -> str:
    return f"{value:.2f}" if value >= 0.095 else f"{value:.3f}"


EPOCH, KEPT = "epoch t, log scale", "share of chains"


def good_events(epochs: np.ndarray, escape: np.ndarray, reset_epochs: np.ndarray = (),
                reset: np.ndarray | None = None) -> Lines:
    """Draw the share of chains in the good events of the paper's induction, by epoch.

    Parameters
    ----------
    epochs, escape : (p,) arrays
        G_t: no step so far left the escape ball.
    reset_epochs, reset : (q,) arrays, optional
        H_t: the chain was near the mode at every power of two.
    """
    return as_lines(good_drawing(epochs, escape, reset_epochs, reset))


def good_drawing(epochs: np.ndarray, escape: np.ndarray, reset_epochs: np.ndarray, reset: np.ndarray | None) -> Drawing:
    """Return the drawing of `good_events`."""
    t, escape = np.asarray(epochs, float), np.asarray(escape, float)
    end = max(float(t[-1]) if t.size else 2.0, 2.0)
    drawn = []
    if t.size:
        x, y = _stairs(t, escape)
        drawn.append(Line("chains with Gₜ", x, y, "exit", label=f"Gₜ {share(escape[-1])}", bold=True, width=1.4))
    if reset is not None and len(reset):
        at, value = np.asarray(reset_epochs, float), np.asarray(reset, float)
        x, y = _stairs(np.append(at, end), np.append(value, value[-1]))
        drawn.extend([Line("chains with Hₜ", x, y, "kin", "dash", f"Hₜ {share(value[-1])}", bold=True, width=0.8),
                      Line("chains with Hₜ", at, value, "kin", "diamond", size=9.0)])
    return drawing(drawn, EPOCH, KEPT, {"logx": True, "xlim": (0.97, 1.03 * end), "ylim": (0.0, 1.04),
                                        "xticks": plain_ticks(1.0, end)})


def _stairs(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices of a step function that holds each value until the next."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
