"""Chains through one epoch: their distances, the sums of the steps that push them out, the exponential process."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from app.plots.exit_step_drawings import paths_drawing, process_drawing, pushes_drawing, sums_drawing
from app.plots.lines import Lines, as_lines


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
