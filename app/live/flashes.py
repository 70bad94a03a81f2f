"""What the canvas flashes: resets, and chains seen outside the escape ball."""

from __future__ import annotations

import numpy as np

MOST = 32
"""Of each kind in one frame."""
RESETS_LAST, EXITS_LAST = 4, 2
"""Epochs for which they are shown: played fast, older ones would belong to another ball."""


class Effects:
    """Collects since the last frame, and keeps those of the epoch under way for a paused picture."""

    def __init__(self, chains: int) -> None:
        self.enabled = True  #: False in a replay
        self.jumped = np.zeros(chains, dtype=bool)
        self._resets: list[tuple[int, int, np.ndarray, np.ndarray]] = []
        self._exits: list[tuple[int, int, np.ndarray]] = []
        self._t = 0
        self._published = 0, 0

    def clear(self) -> None:
        """Forget everything."""
        self.jumped[:] = False
        self._resets, self._exits = [], []
        self._published = 0, 0

    def note_resets(self, saga: object) -> None:
        """An epoch has opened: which chains were sent back, from where to where."""
        self._t = saga.t
        del self._resets[: self._published[0]], self._exits[: self._published[1]]
        self._published = 0, 0
        if not self.enabled:
            return
        was_reset = saga.was_reset
        if was_reset.any():
            self.jumped |= was_reset
            starts, checkpoints = saga.warm_starts, saga.checkpoints
            chains = np.flatnonzero(was_reset)[:MOST]
            self._resets += [(self._t, int(k), starts[k], checkpoints[k]) for k in chains]
            del self._resets[:-MOST]

    def note_exits(self, saga: object, mode: np.ndarray, distance: float, before: np.ndarray) -> None:
        """Chains whose largest squared distance passed the ball's in this slice.

        A chain may be back inside when the slice ends; it is then drawn at its largest distance, in the
        direction in which it stands.
        """
        farthest = saga.farthest
        out = np.flatnonzero((farthest > distance**2) & (before <= distance**2))[:MOST]
        if out.size == 0:
            return
        offsets = saga.positions[out] - mode
        lengths = np.linalg.norm(offsets, axis=1)
        far = np.sqrt(farthest[out])
        stretch = np.where(lengths > distance, 1.0, far / np.maximum(lengths, 1e-12 * far))
        self._exits += [(self._t, int(k), mode + s * o) for k, s, o in zip(out, stretch, offsets, strict=True)]
        del self._exits[:-MOST]

    def resets(self) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Chain, from, to in d dimensions."""
        return [entry[1:] for entry in self._resets if entry[0] > self._t - RESETS_LAST]

    def exits(self) -> list[tuple[int, np.ndarray]]:
        """Chain and place in d dimensions."""
        return [entry[1:] for entry in self._exits if entry[0] > self._t - EXITS_LAST]

    def shown(self) -> None:
        """A frame has been published: keep only what happened in the epoch under way."""
        self.jumped[:] = False
        self._resets = [entry for entry in self._resets if entry[0] == self._t]
        self._exits = [entry for entry in self._exits if entry[0] == self._t]
        self._published = len(self._resets), len(self._exits)
