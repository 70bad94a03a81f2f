"""Records of past epochs: chains in the good events, outlines of the cloud, states for rewinding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.live.history import is_charted

if TYPE_CHECKING:
    from app.live.run_position import RunPosition


class GoodEvents:
    """Data of the good events: for G_t, each chain's first exit epoch; for H_t, distances at powers of two."""

    def __init__(self, chains: int) -> None:
        self.first_exit = np.zeros(chains, int)
        self._distances: list[tuple[int, np.ndarray]] = []  # in order of their epochs

    def finish(self, state: RunPosition) -> None:
        """Record the epoch that has just ended."""
        t = state.t
        inside = np.asarray(state.farthest()) <= state.escape_distance**2  # False for nan
        self.first_exit[~inside & ((self.first_exit == 0) | (self.first_exit > t))] = t
        if t & (t - 1) == 0 and not any(s == t for s, _ in self._distances):
            away = np.linalg.norm(state.saga.positions - np.asarray(state.tracker.mode), axis=1)
            self._distances = sorted([*self._distances, (t, away)], key=lambda kept: kept[0])

    def truncate(self, t: int) -> None:
        """Remove everything after epoch t."""
        self.first_exit[self.first_exit > t] = 0
        self._distances = [kept for kept in self._distances if kept[0] <= t]

    def until(self, t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (K,) first exits, (p,) powers of two and (p, K) distances for epochs 1..t."""
        kept = [one for one in self._distances if one[0] <= t]
        epochs, distances = np.array([s for s, _ in kept]), np.array([away for _, away in kept])
        return np.where(self.first_exit <= t, self.first_exit, 0), epochs, distances.reshape(len(kept), -1)


MOST_COORDINATES = 64
"""Maximum number of coordinates for outlines; above it, 240 epochs would take 4 MB each time they double."""

Outline = tuple[Sequence[float], Sequence[float]]
"""Mean (d,) and covariance (d, d) of the chains at the end of an epoch."""


class CloudOutlines:
    """Outlines of the cloud by epoch."""

    def __init__(self, outlines: list[tuple[int, Outline]] | None = None) -> None:
        self._outlines = outlines or []  # in order of their epochs

    def finish(self, state: RunPosition) -> None:
        """Record the outline at the end of a charted epoch, unless already recorded (in a replay)."""
        t = state.t
        if not is_charted(t) or state.saga.dim > MOST_COORDINATES or any(s == t for s, _ in self._outlines):
            return
        outline = state.outline()
        if outline is not None:
            self._outlines.append((t, outline))

    def truncate(self, t: int) -> None:
        """Remove everything after epoch t."""
        self._outlines = [(s, outline) for s, outline in self._outlines if s <= t]

    def at(self, t: int) -> Outline | None:
        """Return the latest outline up to epoch t; None if there is none."""
        return next((outline for s, outline in reversed(self._outlines) if s <= t), None)

    def copy(self) -> CloudOutlines:
        """Return a copy that shares the immutable outlines."""
        return CloudOutlines([*self._outlines])


BUDGET = 256 * 2**20
"""Maximum bytes of saved states; beyond it none is saved, and a replay starts at an earlier one."""
EARLIEST = 16


class SavedStates:
    """Saved states in order of their epochs, within a memory budget; the first is the initial state."""

    def __init__(self, start: RunPosition, budget: int = BUDGET) -> None:
        self.budget = budget
        self.states: list[RunPosition] = [start.copy()]

    @property
    def nbytes(self) -> int:
        """Size of all saved states in bytes."""
        return sum(kept.nbytes for kept in self.states)

    def keep(self, state: RunPosition) -> None:
        """Save the state at the end of an epoch that is a power of two, within the budget."""
        t = state.t
        if t < EARLIEST or t & (t - 1) != 0 or any(kept.t == t for kept in self.states):
            return
        if self.nbytes + state.nbytes <= self.budget:
            self.states = sorted([*self.states, state.copy()], key=lambda kept: kept.t)

    def latest(self, t: int) -> RunPosition:
        """Return the latest saved state up to epoch t."""
        return next(kept for kept in reversed(self.states) if kept.t <= t)

    def truncate(self, t: int) -> None:
        """Remove the states after epoch t."""
        self.states = [kept for kept in self.states if kept.t <= t]
