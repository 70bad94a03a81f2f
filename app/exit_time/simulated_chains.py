"""Simulated chains of the page: their counts and paths so far, and the decomposition of one chain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sampler import ExitSimulation, survival_curve
from sampler.theory import decompose

LEVEL = 0.999
"""Pointwise confidence level of the band."""
POINTS = 201


@dataclass(frozen=True, eq=False)
class Crowd:
    """The chains up to the last simulated step."""

    chains: int  #: number of chains
    radius: float
    inside: object  #: `survival_curve`: share that has not left, from step 0 to the last simulated one
    free: object | None  #: the same for the comparison walk; None if it is not informative
    same: bool  #: whether the comparison walk equals the chain
    left: int  #: number of chains that left
    path_steps: np.ndarray  #: (p,)
    paths: np.ndarray  #: (k, p) squared distances over r^2, float32, NaN after the exit
    path_exits: np.ndarray  #: (k,) exit steps, 0 for none
    pushes: object  #: result of ``ExitSimulation.pushes()``


def crowd_of(simulation: ExitSimulation) -> Crowd:
    """Return the counts and paths of a simulation at its current step."""
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
"""Maximum of n d for a recorded path: 72 MB during the decomposition."""


@dataclass(frozen=True, eq=False)
class SplitChain:
    """Decomposition of one chain up to its exit, or to the end of the epoch."""

    chain: int
    left: int  #: exit step, 0 for none
    parts: object  #: parts of each step, from `decompose`


def split(simulation: ExitSimulation, chain: int) -> SplitChain | None:
    """Decompose the path of one chain; return None if it is too long to be recorded."""
    target = simulation.target
    if simulation.steps * target.dim > MOST:
        return None
    left = int(simulation.exit_steps[chain])
    record = simulation.record(chain)
    if left:  # the theory ends at the exit, and a diverging chain may overflow
        arrays = ("before", "guess", "correction", "noise", "after")
        record = replace(record, **{name: getattr(record, name)[:left] for name in arrays})
    return SplitChain(chain, left, decompose(record, np.zeros(target.dim), lambda away: target.gradient(away)))


def choose(exit_steps: np.ndarray, shown: int, wanted: int | None) -> int:
    """Return the wanted chain, else the displayed chain with the median exit, else that of all chains, else chain 0."""
    if wanted is not None and wanted < exit_steps.size:
        return wanted
    for candidates in (exit_steps[:shown], exit_steps):
        left = np.flatnonzero(candidates)
        if left.size:
            return int(left[np.argsort(candidates[left], kind="stable")[left.size // 2]])
    return 0


def order(exit_steps: np.ndarray) -> list[int]:
    """Return the chains in the order of the stepper: by exit step, then those that stayed."""
    return sorted(range(exit_steps.size), key=lambda k: (exit_steps[k] == 0, exit_steps[k]))
