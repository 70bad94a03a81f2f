"""`SweepLine`: so many sweeps of a server are at work at once, the others wait in the order in which they came."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

AT_ONCE = max(2, os.cpu_count() or 1)
"""Sweeps at work at once. Each has worker processes of its own, with memory of theirs: all visits' would be too many."""
LOOK_SECONDS = 0.1
"""Seconds between two looks of a sweep that waits at whether it is still wanted."""


class SweepLine:
    """Hands out places to sweeps.

    Parameters
    ----------
    at_once
        Places, at least 1.
    """

    def __init__(self, at_once: int = AT_ONCE) -> None:
        if at_once < 1:
            raise ValueError(f"at_once must be 1 or more; got {at_once}")
        self._at_once, self._changed = at_once, threading.Condition()
        self._there: list[object] = []  #: at work, then waiting, in the order in which they came

    def enter(self, sweep: object, given_up: Callable[[], bool]) -> bool:
        """Wait for a place; False where the sweep is given up before it has one. `leave` gives either back."""
        with self._changed:
            self._there.append(sweep)
            waits = self._place(sweep) >= self._at_once
            while self._place(sweep) >= self._at_once and not given_up():
                self._changed.wait(LOOK_SECONDS)
            return not (waits and given_up())

    def leave(self, sweep: object) -> None:
        """Give a place back, or do without one."""
        with self._changed:
            if sweep in self._there:
                self._there.remove(sweep)
                self._changed.notify_all()

    def ahead(self, sweep: object) -> int:
        """Return how many sweeps have to end before this one begins; 0 for one at work."""
        with self._changed:
            return max(0, self._place(sweep) + 1 - self._at_once) if sweep in self._there else 0

    def _place(self, sweep: object) -> int:
        return self._there.index(sweep)


LINE = SweepLine()
"""Of this process."""
