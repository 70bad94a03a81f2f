"""What is kept of past epochs: which chains kept to the good events, outlines of the cloud, states to rewind to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.live.history import is_charted

if TYPE_CHECKING:
    from app.live.run_position import RunPosition


class GoodEvents:
    """For G_t, the first epoch in which each chain left its ball; for H_t, distances at powers of two."""

    def __init__(self, chains: int) -> None:
        self.first_exit = np.zeros(chains, int)
        self._distances: list[tuple[int, np.ndarray]] = []  # in order of their epochs

    def finish(self, state: RunPosition) -> None:
        """Take in the epoch that has just ended."""
        t = state.t
        held = np.asarray(state.farthest()) <= state.escape_distance**2  # nan is far
        self.first_exit[~held & ((self.first_exit == 0) | (self.first_exit > t))] = t
        if t & (t - 1) == 0 and not any(s == t for s, _ in self._distances):
            away = np.linalg.norm(state.saga.positions - np.asarray(state.tracker.mode), axis=1)
            self._distances = sorted([*self._distances, (t, away)], key=lambda kept: kept[0])

    def truncate(self, t: int) -> None:
        """Forget everything after epoch t."""
        self.first_exit[self.first_exit > t] = 0
        self._distances = [kept for kept in self._distances if kept[0] <= t]

    def until(self, t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(K,) first exits, (p,) powers of two and (p, K) distances, of epochs 1..t."""
        kept = [one for one in self._distances if one[0] <= t]
        epochs, distances = np.array([s for s, _ in kept]), np.array([away for _, away in kept])
        return np.where(self.first_exit <= t, self.first_exit, 0), epochs, distances.reshape(len(kept), -1)


MOST_COORDINATES = 64
"""Beyond this many coordinates nothing is kept: 240 epochs would take 4 MB each time they double."""

Outline = tuple[Sequence[float], Sequence[float]]
"""Mean (d,) and covariance (d, d) of the chains at the end of an epoch."""


class CloudOutlines:
    """Outlines by epoch."""

    def __init__(self, outlines: list[tuple[int, Outline]] | None = None) -> None:
        self._outlines = outlines or []  # in order of their epochs

    def finish(self, state: RunPosition) -> None:
        """Keep the outline at the end of a charted epoch, unless it has been (a replay)."""
        t = state.t
        if not is_charted(t) or state.saga.dim > MOST_COORDINATES or any(s == t for s, _ in self._outlines):
            return
        outline = state.outline()
        if outline is not None:
            self._outlines.append((t, outline))

    def truncate(self, t: int) -> None:
        """Forget what came after epoch t."""
        self._outlines = [(s, outline) for s, outline in self._outlines if s <= t]

    def at(self, t: int) -> Outline | None:
        """Return the newest outline at or before epoch t."""
        return next((outline for s, outline in reversed(self._outlines) if s <= t), None)

    def copy(self) -> CloudOutlines:
        """Return a copy; the outlines themselves never change."""
        return CloudOutlines([*self._outlines])


BUDGET = 256 * 2**20
"""Bytes of kept states; beyond, none is kept and a replay starts further back."""
EARLIEST = 16


class Keeper:
    """Kept states in order of their epochs, within a budget; the first is that of the start."""

    def __init__(self, start: RunPosition, budget: int = BUDGET) -> None:
        self.budget = budget
        self.states: list[RunPosition] = [start.copy()]

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept."""
        return sum(kept.nbytes for kept in self.states)

    def keep(self, state: RunPosition) -> None:
        """Keep the state at the end of an epoch that is a power of two, if the budget allows."""
        t = state.t
        if t < EARLIEST or t & (t - 1) != 0 or any(kept.t == t for kept in self.states):
            return
        if self.nbytes + state.nbytes <= self.budget:
            self.states = sorted([*self.states, state.copy()], key=lambda kept: kept.t)

    def latest(self, t: int) -> RunPosition:
        """Return the latest state that is not after epoch t."""
        return next(kept for kept in reversed(self.states) if kept.t <= t)

    def truncate(self, t: int) -> None:
        """Forget the states after epoch t."""
        self.states = [kept for kept in self.states if kept.t <= t]
