"""Survival curves with their bounds, the paper's good events, and what a theorem promises of a sample."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from app.number_words import share
from app.plots.axis_ticks import plain_ticks
from app.plots.exit_drawings import BOUNDS, bounds_drawing, promise_drawing, survival_drawing
from app.plots.lines import Line, Lines, as_lines, lines


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
    return as_lines(survival_drawing(curve, name, role))


def bounds(curves, *which: str, steps: np.ndarray | None = None, measured=None, batch: float | None = None,
           points: int = 81) -> Lines:
    """Draw what bounds promise to stay.

    Parameters
    ----------
    curves : ExitBounds, or dict of name to (j,) array
        Bounds on the probability of leaving by each step: of `sampler.exit_bounds`, or computed already.
    *which : str
        "printed", "corrected", "sharp", "local", "rotation"; none for all there are.
    steps : (j,) array
        Of a dict.
    measured : Survival, optional
        The chains: a printed curve above their band is said to be no bound.
    batch : float, optional
        Bound on the probability of leaving with real batches by the last step: a diamond.
    points : int
        Of an ``ExitBounds``.
    """
    if isinstance(curves, Mapping):
        if steps is None:
            raise ValueError("steps must be given with a dict of curves; got None: pass the steps they were computed at")
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


def promise(result) -> Lines:
    """Draw the bound on the total variation, and the distance that was measured.

    Parameters
    ----------
    result : Promise
        Anything with ``steps``, ``promised`` and ``lemma``, (j,) arrays, ``measured``, (j,) or None, and ``floor``, what
        as many exact draws would measure.
    """
    return as_lines(promise_drawing(result))
