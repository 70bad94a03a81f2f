"""The three running sums of one chain, thinned for drawing, with the numbers of each step kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampler import ExitSimulation
from sampler.theory import decompose

POINTS = 400
MOST = 3_000_000
"""Numbers n d of one recorded path, at most: 72 MB while it is split."""


@dataclass(frozen=True, eq=False)
class Sums:
    """One chain until it left, or to the end of the epoch. Arrays are (p,); sums are in units of r^2."""

    chain: int
    left: int  #: exit step, 0 for none
    steps: np.ndarray  #: 0 to the last step shown
    pull: np.ndarray  #: sum of the pulls up to the step
    drift: np.ndarray
    martingale: np.ndarray
    total: np.ndarray  #: the three together: the change of the squared distance
    step_pull: np.ndarray  #: of that step alone
    step_drift: np.ndarray
    step_martingale: np.ndarray
    start: float  #: squared distance at the start
    error: float  #: largest |three parts - change| of a step over the largest term
    never_outward: bool  #: whether no pull was positive


def split(simulation: ExitSimulation, chain: int) -> Sums | None:
    """Split the path of one chain; None when it is too long to be recorded."""
    if simulation.steps * simulation.target.dim > MOST:
        return None
    left = int(simulation.exit_steps[chain])
    record = simulation.record(chain)
    if left:  # outside the ball nothing is claimed, and a diverging chain may overflow
        cut = {name: getattr(record, name)[:left] for name in ("before", "guess", "correction", "noise", "after")}
        record = type(record)(**cut, step_size=record.step_size)
    parts = decompose(record, np.zeros(simulation.target.dim), simulation.target.gradient)
    unit = simulation.radius**2
    count = len(parts.pull)
    at = np.unique(np.linspace(0, count, min(count, POINTS) + 1).round().astype(int))
    running = [values[at] / unit for values in (parts.running_pull, parts.running_drift, parts.running_martingale)]
    single = [np.concatenate([[0.0], values])[at] / unit for values in (parts.pull, parts.drift, parts.martingale)]
    return Sums(chain, left, at, *running, sum(running), *single, float(parts.squared_distance[0] / unit),
                parts.error, bool((parts.pull <= 0.0).all()))


def choose(exit_steps: np.ndarray, shown: int, wanted: int | None) -> int:
    """Return the wanted chain; else a middling one of those shown that left, else of all, else chain 0."""
    if wanted is not None and wanted < exit_steps.size:
        return wanted
    for candidates in (exit_steps[:shown], exit_steps):
        left = np.flatnonzero(candidates)
        if left.size:
            return int(left[np.argsort(candidates[left], kind="stable")[left.size // 2]])
    return 0


def order(exit_steps: np.ndarray, shown: int) -> list[int]:
    """Chains in the order in which the chooser steps through them: by exit, then those that stayed."""
    steps = exit_steps[:shown]
    return sorted(range(steps.size), key=lambda k: (steps[k] == 0, steps[k], k))
