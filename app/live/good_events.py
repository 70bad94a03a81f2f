"""Which chains have kept to the paper's good events so far (LMV-a eq. 42 and 43), epoch by epoch."""

from __future__ import annotations

import numpy as np

from app.live.run_state import RunState
from sampler.theory import escape_event, is_reset_point


class GoodEvents:
    """For G_t, the first epoch in which each chain left its ball; for H_t, distances at powers of two."""

    def __init__(self, chains: int) -> None:
        self.first_exit = np.zeros(chains, dtype=np.int64)
        self._distances: dict[int, np.ndarray] = {}

    def finish(self, state: RunState) -> None:
        """Take in the epoch that has just ended."""
        t, saga = state.t, state.saga
        farthest = np.where(np.isfinite(saga.farthest), saga.farthest, np.inf)
        held = escape_event(farthest[None], [t], state.config.escape_radius, saga.settings.offset).held[0]
        left = ~held & ((self.first_exit == 0) | (self.first_exit > t))
        self.first_exit[left] = t
        if is_reset_point(t):
            self._distances[t] = np.linalg.norm(saga.positions - state.tracker.mode, axis=1)

    def truncate(self, t: int) -> None:
        """Forget everything after epoch t."""
        self.first_exit[self.first_exit > t] = 0
        self._distances = {s: kept for s, kept in self._distances.items() if s <= t}

    def until(self, t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(K,) first exits, (p,) powers of two and (p, K) distances, of epochs 1..t."""
        epochs = np.array(sorted(s for s in self._distances if s <= t), dtype=np.int64)
        distances = np.array([self._distances[int(s)] for s in epochs]).reshape(len(epochs), -1)
        return np.where(self.first_exit <= t, self.first_exit, 0), epochs, distances
