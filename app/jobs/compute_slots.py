"""`ComputeSlots`: limit on the number of Live engines that compute at once; `announced`: messages during compilation."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ROUND = 0.12
"""Target seconds in which every waiting engine computes once."""
LONGEST, SHORTEST = 0.015, 0.002
"""Longest and shortest time slice of an engine, in seconds: with no other engine waiting, and with many."""
PATIENCE = 1.0
"""Seconds after which an engine computes without a slot: a hanging gradient must not block all visits."""


class ComputeSlots:
    """Fair semaphore for threads: a released slot goes to the thread that has waited longest.

    `threading.Semaphore` has no order: the thread that releases it usually acquires it again.

    Parameters
    ----------
    count
        Number of slots, at least 1; by default the number of cores less one.
    patience
        Seconds for which a thread waits before it proceeds without a slot.
    """

    def __init__(self, count: int | None = None, patience: float = PATIENCE) -> None:
        self._count = self._free = count or max(1, (os.cpu_count() or 1) - 1)
        self._patience, self._lock = patience, threading.Lock()
        self._queue: deque[threading.Event] = deque()
        self._held = 0  #: number of open `held_back` blocks

    @property
    def waiting(self) -> int:
        """Number of waiting threads."""
        return len(self._queue)

    @property
    def seconds(self) -> float:
        """Time slice in seconds, after which an engine should release its slot."""
        return max(SHORTEST, min(LONGEST, ROUND * self._count / (1 + self.waiting)))

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a slot and hold it within the block."""
        own = self._acquire()
        try:
            yield
        finally:
            if own:
                self._release()

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Start no computation within the block, in which the thread that serves all pages builds one."""
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
        """Wait for a slot; return False after `patience` seconds without one."""
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
"""Seconds before the first message about compilation."""


@contextmanager
def announced(report: Callable[[str], None]) -> Iterator[None]:
    """Call `report` with a message every SILENT seconds within the block, from a separate thread."""
    start, over = time.monotonic(), threading.Event()

    def announce() -> None:
        while not over.wait(SILENT):
            report(f"Compiling the sampler for this machine: {time.monotonic() - start:.0f} s. Later starts skip this.")

    thread = threading.Thread(target=announce, name="exit-time-announcer", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
