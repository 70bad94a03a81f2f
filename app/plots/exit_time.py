"""Survival curves with their bounds, the paper's good events, and what a theorem promises of a sample."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from app.plots.exit_drawings import BOUNDS, bounds_drawing, good_drawing, promise_drawing, survival_drawing
from app.plots.lines import Lines, as_lines


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
    return as_lines(good_drawing(epochs, escape, reset_epochs, reset))


def promise(result) -> Lines:
    """Draw the bound on the total variation, and the distance that was measured.

    Parameters
    ----------
    result : Promise
        Anything with ``steps``, ``promised`` and ``lemma``, (j,) arrays, ``measured``, (j,) or None, and ``floor``, what
        as many exact draws would measure.
    """
    return as_lines(promise_drawing(result))
