"""`Allowance`: how often something may be done before one has to wait a little."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Allowance:
    """So many times at once, and then so many a second. May be asked from any thread.

    Parameters
    ----------
    at_once : int
        Times that are free.
    a_second : float
        Times that come back each second.
    """

    def __init__(self, at_once: int, a_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._left, self._most, self._rate, self._clock = float(at_once), float(at_once), a_second, clock
        self._at, self._lock = clock(), threading.Lock()

    @property
    def wait(self) -> float:
        """Seconds until the next time is free; 0: now."""
        with self._lock:
            self._refill()
            return 0.0 if self._left >= 1 else (1 - self._left) / self._rate

    def note(self) -> None:
        """Count one time."""
        with self._lock:
            self._refill()
            self._left = max(0.0, self._left - 1)

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
