"""What the canvas flashes: resets, and chains seen outside the escape ball."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.live.run_position import RunPosition

MOST = 32
"""Of each kind in one frame."""
RESETS_LAST, EXITS_LAST = 4, 2
"""Epochs for which they are shown: played fast, older ones would belong to another ball."""


class Effects:
    """Collects since the last frame, and keeps those of the epoch under way for a paused picture."""

    def __init__(self) -> None:
        self.enabled = True  #: False in a replay
        self._t = 0
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.jumped: set[int] = set()  #: chains that were sent back
        self._resets: list[tuple[int, int, Sequence[float], Sequence[float]]] = []
        self._exits: list[tuple[int, int, Sequence[float]]] = []
        self._published = 0, 0

    def note_resets(self, state: RunPosition) -> None:
        """An epoch has opened: which chains were sent back, from where to where."""
        self._t = state.t
        resets, exits = self._published
        self._resets, self._exits, self._published = self._resets[resets:], self._exits[exits:], (0, 0)
        if self.enabled:
            chains = state.chains_reset()
            self.jumped = {*self.jumped, *chains}
            flashed = [(self._t, k, *state.ends_of(k)) for k in chains[:MOST]]
            self._resets = [*self._resets, *flashed][-MOST:]

    def note_exits(self, state: RunPosition, before: Sequence[float]) -> None:
        """Chains whose largest squared distance, ``before`` this slice inside the ball, has passed the ball's."""
        chains = state.chains_left(before)[:MOST]
        if len(chains):
            farthest = state.farthest()
            left = [(self._t, k, self._farthest(state, k, math.sqrt(farthest[k]))) for k in chains]
            self._exits = [*self._exits, *left][-MOST:]

    def _farthest(self, state: RunPosition, k: int, distance: float) -> Sequence[float]:
        """Return where a chain is drawn that may be back inside when the slice ends.

        It is at its largest distance then, in the direction in which it stands.
        """
        mode = state.tracker.mode
        offset = [x - center for x, center in zip(state.position_of(k), mode, strict=True)]
        length = math.hypot(*offset)
        stretch = 1.0 if length > state.escape_distance else distance / max(length, 1e-12 * distance)
        return [center + stretch * x for x, center in zip(offset, mode, strict=True)]

    def resets(self) -> list[tuple[int, Sequence[float], Sequence[float]]]:
        """Chain, from, to in d dimensions."""
        return [entry[1:] for entry in self._resets if entry[0] > self._t - RESETS_LAST]

    def exits(self) -> list[tuple[int, Sequence[float]]]:
        """Chain and place in d dimensions."""
        return [entry[1:] for entry in self._exits if entry[0] > self._t - EXITS_LAST]

    def shown(self) -> None:
        """A frame has been published: keep only what happened in the epoch under way."""
        self.jumped = set()
        self._resets = [entry for entry in self._resets if entry[0] == self._t]
        self._exits = [entry for entry in self._exits if entry[0] == self._t]
        self._published = len(self._resets), len(self._exits)
