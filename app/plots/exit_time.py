"""Figures of the Exit time page: survival curves with their bounds, good events, promises, chains through one epoch.

What is drawn is in `app.plots.exit_probability_drawings` and `app.plots.exit_path_drawings`, for the lab in one file too.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np

from app.plots.exit_path_drawings import paths_drawing, process_drawing, pushes_drawing, sums_drawing
from app.plots.exit_probability_drawings import BOUNDS, bounds_drawing, good_drawing, promise_drawing, survival_drawing
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


def paths(simulation, *, squared: bool = True, lift: float | None = None, picked=None, end: float | None = None) -> Lines:
    """Draw distances of chains through one epoch, a ring where one leaves.

    Parameters
    ----------
    simulation : ExitSimulation
        Or anything with ``path_steps`` (p,), ``paths`` (k, p) squared distances over r², ``path_exits`` (k,) steps of
        exits, 0 for none, ``chains`` and ``radius``.
    squared : bool
        Draw squared distances, else distances.
    lift : float, optional
        How much one step of the noise lifts the mean of the squared distance over r², 2 eta d / r²; an
        ``ExitSimulation`` knows it.
    picked : object, optional
        One chain, drawn bold: its number ``chain``, exit step ``left``, 0 for none, and `Decomposition` ``parts``.
    end : float, optional
        Steps of the epoch; else the last one drawn.

    Returns
    -------
    Lines
        A tap on a path or a ring hands over the chain's index.
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


def sums(parts, *, radius: float = 1.0, chain: int | None = None, left: int = 0) -> Lines:
    """Draw the running sums of one chain's pull, drift and martingale in units of r², and what they add up to.

    Parameters
    ----------
    parts : Decomposition
        Of `sampler.decompose`.
    radius : float
        r.
    chain, left : int
        The chain's number and its exit step, 0 for none; both are named in the axis.
    """
    return as_lines(sums_drawing(parts, radius, chain, left))


def pushes(measured, dim: int, radius: float, *, squared: bool = True) -> Lines:
    """Draw the noise's mean push in one step over 2 eta, by distance: d on the square wherever it is, not on the distance.

    Parameters
    ----------
    measured : Pushes
        Of ``ExitSimulation.pushes()``.
    dim : int
        d.
    radius : float
        r.
    squared : bool
        The push on the squared distance, else on the distance.
    """
    return as_lines(pushes_drawing(measured, dim, radius, squared))


def exit_process(process) -> Lines:
    """Draw the process of some chains over its stopping level.

    Parameters
    ----------
    process : object
        With ``steps`` (p,), ``shares`` (k, p) the process over its level, NaN after the exit, ``exits`` (k,) exit steps, 0
        for none, and ``start``, the bound on P(exit).
    """
    return as_lines(process_drawing(process))
