"""`ComputeSlots`: so many of Live's engines compute at the same time; `announced` says that one is inside the compiler."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ROUND = 0.12
"""Seconds in which every engine that waits should have computed once."""
LONGEST, SHORTEST = 0.015, 0.002
"""Seconds that an engine computes at a time, when no other waits and when many do."""
PATIENCE = 1.0
"""Seconds after which an engine computes without a slot: a gradient that hangs must not stop all visits."""


class ComputeSlots:
    """Semaphore for threads. A slot that is released goes to the thread that has waited longest.

    `threading.Semaphore` serves in no order: the thread that releases it usually gets it again.

    Parameters
    ----------
    count
        Slots, at least 1; by default one core is left for the pages.
    patience
        Seconds that a thread waits for a slot before it goes on without one.
    """

    def __init__(self, count: int | None = None, patience: float = PATIENCE) -> None:
        self._count = self._free = count or max(1, (os.cpu_count() or 1) - 1)
        self._patience, self._lock = patience, threading.Lock()
        self._queue: deque[threading.Event] = deque()
        self._held = 0  #: blocks in which nothing begins

    @property
    def waiting(self) -> int:
        """Threads that wait for a slot."""
        return len(self._queue)

    @property
    def seconds(self) -> float:
        """Return how long an engine that has a slot should compute before it releases it."""
        return max(SHORTEST, min(LONGEST, ROUND * self._count / (1 + self.waiting)))

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot within the block; wait for it first."""
        own = self._acquire()
        try:
            yield
        finally:
            if own:
                self._release()

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Begin no computation within the block: the thread that serves all pages builds one, and others wait for it."""
        with self._lock:
            self._held += 1
        try:
            yield
        finally:
            with self._lock:
                self._held -= 1
                while not self._held and self._free and self._queue:
                    self._free -= 1
                    self._queue.popleft().set()

    def _acquire(self) -> bool:
        """Return whether the thread has a slot; False once its patience is at an end."""
        with self._lock:
            if self._free and not self._held:
                self._free -= 1
                return True
            called = threading.Event()
            self._queue.append(called)
        if called.wait(self._patience):
            return True
        with self._lock:
            if called.is_set():
                return True
            self._queue.remove(called)
            return False

    def _release(self) -> None:
        with self._lock:
            if self._queue and not self._held:
                self._queue.popleft().set()
            else:
                self._free += 1


SILENT = 0.5
"""Seconds before anything is said of compiling."""


@contextmanager
def announced(say: Callable[[str], None]) -> Iterator[None]:
    """Call `say` with words each half second, from a thread of its own, once SILENT has passed within the block."""
    start, over = time.monotonic(), threading.Event()

    def announce() -> None:
        while not over.wait(SILENT):
            say(f"Compiling the sampler for this machine, {time.monotonic() - start:.0f} s so far. Later starts need none of"
                " this.")

    thread = threading.Thread(target=announce, name="exit-time-announcer", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
