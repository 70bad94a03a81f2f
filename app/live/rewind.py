"""Rewind: states kept at powers of two, and the exact replay from one of them to any epoch."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.live.assumptions import Constants
from app.live.pool import EPOCHS, Pool
from app.live.timeline import Change
from sampler import Settings

if TYPE_CHECKING:
    from app.live.run import LiveRun

BUDGET = 256 * 2**20
"""Bytes of kept states; beyond, none is kept and a replay starts further back."""
EARLIEST = 16


@dataclass(frozen=True, eq=False)
class Kept:
    """The state at the end of epoch t, from which the future is the same bit for bit."""

    t: int
    saga: object
    tracker: object
    truth: object
    pool: Pool
    knobs: tuple[Settings, float]
    since: int
    constants: Constants

    @property
    def nbytes(self) -> int:
        """Bytes: the sampler's caches and rows, the tracker's rows and the grid."""
        return self.saga.nbytes + 16 * (self.t + 64) * (self.tracker.dim + 2) + 300_000


class Keeper:
    """Kept states in order of t, within a budget."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget
        self.states: list[Kept] = []

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return sum(state.nbytes for state in self.states)

    def keep(self, run: LiveRun) -> None:
        """Keep the state at the end of an epoch that is a power of two, if the budget allows."""
        t = run.t
        if t < EARLIEST or t & (t - 1) or any(state.t == t for state in self.states):
            return
        if self.nbytes + 16 * t * run.saga.chains > self.budget:
            return
        tracker = copy.deepcopy(run.tracker)
        knobs = run.config.settings, run.config.escape_radius
        truth = run.truth.copy(tracker)
        kept = Kept(t, run.saga.snapshot(), tracker, truth, run.pool.copy(), knobs, run.since, run.constants.copy())
        self.states = sorted([*self.states, kept], key=lambda state: state.t)

    def best(self, t: int, floor: int) -> Kept | None:
        """Return the latest state not after epoch t (and not before `floor`); None: start from epoch 0."""
        usable = [state for state in self.states if floor <= state.t <= t]
        return usable[-1] if usable else None

    def truncate(self, t: int) -> None:
        """Forget the states after epoch t."""
        self.states = [state for state in self.states if state.t <= t]


class Replay:
    """Brings a run to the end of epoch `target` exactly as it went, in slices."""

    def __init__(self, run: LiveRun, target: int) -> None:
        floor = run.timeline.floor
        self.target = min(max(target, _first_reachable(run) if floor else 0), run.history.t)
        kept = run.keeper.best(self.target, floor)
        start = kept.t if kept is not None else 0
        if not (run.done and start <= run.t <= self.target):
            run.restore(kept)
        self.run, self._start = run, run.t
        self._changes: Iterator[Change] = iter([c for c in run.timeline.changes if self._ahead(c)])
        self._next = next(self._changes, None)

    def _ahead(self, change: Change) -> bool:
        return change.t > self.run.t or (change.t == self.run.t and change.advanced is None)

    @property
    def done(self) -> bool:
        """Whether the end of the target epoch is reached."""
        return self.run.done and self.run.t >= self.target

    @property
    def fraction(self) -> float:
        """Part of the way, in [0, 1]."""
        return 1.0 if self.done else (self.run.t - self._start) / max(1, self.target - self._start)

    def stop_here(self) -> None:
        """Make the epoch under way the target."""
        self.target = min(self.target, self.run.t)

    def step(self, steps: int) -> None:
        """Go on by at most `steps` steps, within one epoch, and not past a logged change."""
        run = self.run
        if self.done:
            return
        while self._next is not None and self._due(self._next):
            run.apply(self._next)
            self._next = next(self._changes, None)
        run.pooling = self.target - run.t <= EPOCHS + 2
        if self._next is not None and self._next.advanced is not None and self._next.t == run.t + run.done:
            already = 0 if run.done else run.advanced
            if self._next.advanced > already:
                steps = min(steps, self._next.advanced - already)
        if not run.go(steps):
            self.target = run.t

    def _due(self, change: Change) -> bool:
        """Whether the run stands where the change was made."""
        run = self.run
        if change.advanced is None:
            return run.done and change.t <= run.t
        return not run.done and change.t == run.t and change.advanced <= run.advanced

    def run_for(self, seconds: float, steps: int) -> bool:
        """Work for about `seconds`, `steps` at a time; True when done."""
        end = time.perf_counter() + seconds
        while not self.done and time.perf_counter() < end:
            self.step(steps)
        return self.done


def _first_reachable(run: LiveRun) -> int:
    usable = [state.t for state in run.keeper.states if state.t >= run.timeline.floor]
    return usable[0] if usable else run.t
