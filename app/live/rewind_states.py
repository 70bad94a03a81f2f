"""`Keeper`: states kept at the end of epochs that are powers of two, for a rewind to start from."""

from __future__ import annotations

import copy
from dataclasses import dataclass

from app.live.assumptions import Constants
from app.live.recent_samples import Pool
from app.live.run_state import RunState
from sampler import Settings

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

    def keep(self, state: RunState, constants: Constants) -> None:
        """Keep the state at the end of an epoch that is a power of two, if the budget allows."""
        t = state.t
        if t < EARLIEST or t & (t - 1) or any(kept.t == t for kept in self.states):
            return
        each = 16 if not state.preconditioned else 24  # bytes a datum a chain: a preconditioned one keeps its weight too
        if self.nbytes + each * t * state.saga.chains > self.budget:
            return
        tracker = copy.deepcopy(state.tracker)
        kept = Kept(t, state.saga.snapshot(), tracker, state.truth.copy(tracker), state.pool.copy(),
                    (state.config.settings, state.config.escape_radius), state.since, constants.copy())
        self.states = sorted([*self.states, kept], key=lambda kept: kept.t)

    def best(self, t: int, floor: int) -> Kept | None:
        """Return the latest state not after epoch t (and not before `floor`); None: start from epoch 0."""
        usable = [state for state in self.states if floor <= state.t <= t]
        return usable[-1] if usable else None

    def truncate(self, t: int) -> None:
        """Forget the states after epoch t."""
        self.states = [state for state in self.states if state.t <= t]
