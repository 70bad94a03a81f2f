"""`CloudOutlines`: mean and covariance of the chains at the charted epochs, for a run that is kept as a ghost."""

from __future__ import annotations

import numpy as np

from app.live.history import is_charted
from app.live.run_state import RunState

MOST_COORDINATES = 64
"""Beyond this many coordinates nothing is kept: 240 epochs would take 4 MB each time they double."""

Outline = tuple[np.ndarray, np.ndarray]
"""Mean (d,) and covariance (d, d) of the chains at the end of an epoch."""


class CloudOutlines:
    """Outlines in order of their epochs."""

    def __init__(self) -> None:
        self._epochs: list[int] = []
        self._outlines: list[Outline] = []

    def finish(self, state: RunState) -> None:
        """Keep the outline at the end of a charted epoch, unless it has been (a replay)."""
        t, sound = state.t, ~state.saga.diverged
        kept = bool(self._epochs) and t <= self._epochs[-1]
        if kept or not is_charted(t) or state.saga.dim > MOST_COORDINATES or sound.sum() < 2:
            return
        samples = state.saga.positions[sound]
        self._epochs.append(t)
        self._outlines.append((samples.mean(axis=0), np.cov(samples.T).reshape(samples.shape[1], -1)))

    def truncate(self, t: int) -> None:
        """Forget what came after epoch t."""
        kept = int(np.searchsorted(self._epochs, t, side="right"))
        del self._epochs[kept:], self._outlines[kept:]

    def at(self, t: int) -> Outline | None:
        """Return the newest outline at or before epoch t."""
        place = int(np.searchsorted(self._epochs, t, side="right"))
        return self._outlines[place - 1] if place else None

    def copy(self) -> CloudOutlines:
        """Return a copy; the outlines themselves never change."""
        other = CloudOutlines()
        other._epochs, other._outlines = list(self._epochs), list(self._outlines)
        return other
