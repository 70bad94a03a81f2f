"""`Effects`: events that the canvas flashes: resets, and exits from the escape ball."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.live.run_position import RunPosition

MOST = 32
"""Maximum number of events of each kind in one frame."""
RESETS_LAST, EXITS_LAST = 4, 2
"""Number of epochs for which resets and exits are shown; older ones would belong to another ball."""


class Effects:
    """Events since the last frame; those of the current epoch are kept for a paused picture."""

    def __init__(self) -> None:
        self.enabled = True  #: False in a replay
        self._t = 0
        self.clear()

    def clear(self) -> None:
        """Remove all events."""
        self.jumped: set[int] = set()  #: chains that were reset
        self._resets: list[tuple[int, int, Sequence[float], Sequence[float]]] = []
        self._exits: list[tuple[int, int, Sequence[float]]] = []
        self._published = 0, 0

    def note_resets(self, state: RunPosition) -> None:
        """Record the resets at the start of an epoch, with both ends of each jump."""
        self._t = state.t
        resets, exits = self._published
        self._resets, self._exits, self._published = self._resets[resets:], self._exits[exits:], (0, 0)
        if self.enabled:
            chains = state.chains_reset()
            self.jumped = {*self.jumped, *chains}
            flashed = [(self._t, k, *state.ends_of(k)) for k in chains[:MOST]]
            self._resets = [*self._resets, *flashed][-MOST:]

    def note_exits(self, state: RunPosition, before: Sequence[float]) -> None:
        """Record the exits in a slice; ``before`` are the largest squared distances of all chains before it."""
        chains = state.chains_left(before)[:MOST]
        if len(chains):
            farthest = state.farthest()
            left = [(self._t, k, self._farthest(state, k, math.sqrt(farthest[k]))) for k in chains]
            self._exits = [*self._exits, *left][-MOST:]

    def _farthest(self, state: RunPosition, k: int, distance: float) -> Sequence[float]:
        """Return the drawn position of an exit.

        A chain that is back inside at the end of the slice is drawn in its direction at its largest distance.
        """
        mode = state.tracker.mode
        offset = [x - center for x, center in zip(state.position_of(k), mode, strict=True)]
        length = math.hypot(*offset)
        stretch = 1.0 if length > state.escape_distance else distance / max(length, 1e-12 * distance)
        return [center + stretch * x for x, center in zip(offset, mode, strict=True)]

    def resets(self) -> list[tuple[int, Sequence[float], Sequence[float]]]:
        """Return (chain, from, to) of each reset, in d dimensions."""
        return [entry[1:] for entry in self._resets if entry[0] > self._t - RESETS_LAST]

    def exits(self) -> list[tuple[int, Sequence[float]]]:
        """Return (chain, position) of each exit, in d dimensions."""
        return [entry[1:] for entry in self._exits if entry[0] > self._t - EXITS_LAST]

    def mark_published(self) -> None:
        """Mark the events as published and keep only those of the current epoch."""
        self.jumped = set()
        self._resets = [entry for entry in self._resets if entry[0] == self._t]
        self._exits = [entry for entry in self._exits if entry[0] == self._t]
        self._published = len(self._resets), len(self._exits)
