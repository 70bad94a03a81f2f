"""Slow mode: the last step of the followed chain, term by term, and its path in this epoch."""

from __future__ import annotations

import numpy as np

LONGEST = 60
"""Earlier points kept."""


class StepPath:
    """The newest `StepTrace` of one chain in one epoch, with where the chain stood before."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._of: tuple[int, int] | None = None
        self._points: list[np.ndarray] = []
        self._ends: np.ndarray | None = None
        self._eta_gradient = 0.0

    @property
    def empty(self) -> bool:
        """Whether there is no step to show."""
        return self._ends is None

    def note(self, chain: int, trace: object) -> None:
        """Take in the last step of a trace of `chain`."""
        if trace is None or len(trace.before) == 0:
            return
        if self._of != (chain, trace.t):
            self.clear()
            self._of = chain, trace.t
        before, eta = trace.before[-1], trace.step_size
        guessed = before - eta * trace.guess[-1]
        corrected = guessed - eta * trace.correction[-1]
        if self._ends is not None:
            self._points = [*self._points, self._ends[0]][-LONGEST:]
        self._ends = np.stack((before, guessed, corrected, trace.after[-1]))

    def shows(self, chain: int, t: int) -> bool:
        """Whether the step is of this chain and epoch."""
        return self._ends is not None and self._of == (chain, t)

    @property
    def ends(self) -> np.ndarray:
        """Where the three arrows begin and end, (4, d)."""
        return self._ends

    @property
    def path(self) -> np.ndarray:
        """Earlier points of the epoch, (m, d), oldest first; ends where the arrows begin."""
        return np.stack([*self._points, self._ends[0]])
