"""Says that compiling takes its time, from a thread of its own, while the worker is inside the compiler."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE = 0.5
"""Seconds before anything is said."""


class Announcer:
    """`with Announcer(say):` calls say(words, None) each half second once PATIENCE has passed: no share is known."""

    def __init__(self, say: Callable[[str, float | None], None]) -> None:
        self._say = say
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="exit-time-announcer", daemon=True)

    def __enter__(self) -> Announcer:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        start = time.monotonic()
        while not self._over.wait(PATIENCE):
            spent = time.monotonic() - start
            self._say(compiling(spent), None)


def compiling(spent: float) -> str:
    """Words for a first start that has taken `spent` seconds so far."""
    return f"Compiling the sampler for this machine, {spent:.0f} s so far. Later starts need none of this."
