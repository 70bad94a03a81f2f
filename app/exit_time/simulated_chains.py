"""The chains of the page as far as they have been run, what is counted of them, and one of them split into its parts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sampler import ExitSimulation, survival_curve
from sampler.theory import decompose

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
    reached = simulation.path_steps <= done
    steps, paths = simulation.path_steps[reached], simulation.paths[:, reached].astype(np.float64) / r2
    path_exits = exits[: len(paths)]
    outside = (path_exits[:, None] > 0) & (steps[None, :] >= path_exits[:, None])
    return Crowd(exits.size, simulation.radius, curve, free, same, int((exits > 0).sum()), steps,
                 np.where(outside, np.nan, paths).astype(np.float32), path_exits, simulation.pushes())


MOST = 3_000_000
"""Numbers n d of one recorded path, at most: 72 MB while it is split."""


@dataclass(frozen=True, eq=False)
class SplitChain:
    """One chain until it left, or to the end of the epoch."""

    chain: int
    left: int  #: exit step, 0 for none
    parts: object  #: of each step, from `decompose`


def split(simulation: ExitSimulation, chain: int) -> SplitChain | None:
    """Split the path of one chain; None when it is too long to be recorded."""
    target = simulation.target
    if simulation.steps * target.dim > MOST:
        return None
    left = int(simulation.exit_steps[chain])
    record = simulation.record(chain)
    if left:  # outside the ball nothing is claimed, and a diverging chain may overflow
        arrays = ("before", "guess", "correction", "noise", "after")
        record = replace(record, **{name: getattr(record, name)[:left] for name in arrays})
    return SplitChain(chain, left, decompose(record, np.zeros(target.dim), lambda away: target.gradient(away)))


def choose(exit_steps: np.ndarray, shown: int, wanted: int | None) -> int:
    """Return the wanted chain; else a middling one of those shown that left, else of all, else chain 0."""
    if wanted is not None and wanted < exit_steps.size:
        return wanted
    for candidates in (exit_steps[:shown], exit_steps):
        left = np.flatnonzero(candidates)
        if left.size:
            return int(left[np.argsort(candidates[left], kind="stable")[left.size // 2]])
    return 0


def order(exit_steps: np.ndarray) -> list[int]:
    """Chains in the order in which the chooser steps through them: by exit, then those that stayed."""
    return sorted(range(exit_steps.size), key=lambda k: (exit_steps[k] == 0, exit_steps[k]))
