"""`Crowd`: the chains of the page as far as they have been run, and what is counted of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampler import ExitSimulation, survival_curve

LEVEL = 0.999
"""Confidence of the band, at each step."""
POINTS = 201


@dataclass(frozen=True, eq=False)
class Crowd:
    """The chains as far as they have been run."""

    chains: int  #: so many of them
    radius: float
    inside: object  #: `survival_curve`: share that has not left, from step 0 to the last one run
    free: object | None  #: the same of the comparison walk, where it says something
    same: bool  #: whether the comparison walk is the chain itself
    left: int  #: chains that left
    path_steps: np.ndarray  #: (p,)
    paths: np.ndarray  #: (k, p) squared distances over r^2, float32, NaN after the exit
    path_exits: np.ndarray  #: (k,) exit steps, 0 for none
    pushes: object  #: of ``ExitSimulation.pushes()``


def crowd_of(simulation: ExitSimulation) -> Crowd:
    """Read out a simulation, wherever it stands."""
    done, r2 = simulation.steps_done, simulation.radius**2
    at = np.unique(np.linspace(0, done, POINTS).round().astype(int))
    exits = simulation.exit_steps
    curve = survival_curve(exits, at, LEVEL)
    same = simulation.target.name == "flat" and simulation.noise_bound == 0.0
    free = None
    if simulation.walk_free:
        free = curve if same else survival_curve(simulation.free_exit_steps, at, LEVEL)
    known = simulation.path_steps <= done
    steps, paths = simulation.path_steps[known], simulation.paths[:, known].astype(np.float64) / r2
    path_exits = exits[: len(paths)]
    outside = (path_exits[:, None] > 0) & (steps[None, :] >= path_exits[:, None])
    return Crowd(exits.size, simulation.radius, curve, free, same, int((exits > 0).sum()), steps,
                 np.where(outside, np.nan, paths).astype(np.float32), path_exits, simulation.pushes())
