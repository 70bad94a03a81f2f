"""The memory of the server's process: what is looked through when, and what goes back to the machine once visits end.

A full collection of Python's stops all visits while it looks at every object that it may free: 0.6 µs for each of some
27,000 of a visit, and of 350,000 that are there once all is imported. These are set aside for good (`gc.freeze`). Those of
visits are looked through only here, once some have ended or the process has grown: a figure that is drawn anew leaves
something, play does not.
"""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from panel.io import document

from app.server_parts import replace

THRESHOLDS = 10_000, 2, 2**30
"""New objects after which the youngest are looked through, how often until the older are, and how often these until all are,
which is never. Python's 700 is for smaller programs."""
ARENAS = 2
"""Pools of the C library, which threads take turns at; with one a thread each keeps what its busiest moment took."""
DELAY = 12.0
"""Seconds after the end of a visit until what it held is looked for, and its memory goes back."""
FEW = 5
"""Visits, there or ended, that are looked through in less than 0.1 s."""
GROWTH = 250e6
"""Bytes that ended visits may keep, while more are there, until they are looked for all the same: a stop of some 0.5 s."""
TAKEN = 8e6
"""Bytes that a visit takes while it is there."""
SOME = 50e6
"""Bytes by which the process may grow, however few are there."""
OFTEN = 60.0
"""Seconds between two looks at how much it has grown."""
_M_ARENA_MAX = -8  # of mallopt(3)
_lock = threading.Lock()
_waiting: list[threading.Timer] = []
_own = [0.0]  #: bytes that were no visit's when all was looked through last
_ended = [0]  #: visits since then


def settle() -> None:
    """Look through all that has been imported once, and set it aside for good; from now on as this module says."""
    with suppress(AttributeError, OSError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)
    replace(document, "_garbage_collect", _left_to_us)
    gc.set_threshold(*THRESHOLDS)
    look_through_all()
    _own[0], _ended[0] = _resident(), 0
    gc.freeze()


def _left_to_us() -> None:
    """Stand for Panel's own collection after each visit: each stops all visits for some 2 ms of every visit there is."""


def look_through_all() -> None:
    """Free all that nothing holds any more, and give its memory back to the machine."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _resident() -> float:
    """Bytes of this process in memory; NaN where the system does not say."""
    with suppress(OSError):
        return float(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return float("nan")


def give_back_soon(there: Callable[[], int] = lambda: 0) -> None:
    """Free what a visit that has ended leaves, with those that end meanwhile; if many would be stopped, once much waits.

    Parameters
    ----------
    there
        Returns how many visits would be stopped.
    """
    with _lock:
        _ended[0] += 1
        _look_in(DELAY, there)


def give_back_what_has_grown(there: Callable[[], int]) -> None:
    """Free what visits that go on have left, where it is some memory; if many would be stopped, once it is much."""
    with _lock:
        if _grown(there()) > SOME:
            _look_in(0.0, there)


def _look_in(seconds: float, there: Callable[[], int]) -> None:
    """Look soon, on a thread of its own; one look at a time waits."""
    if not _waiting:
        timer = threading.Timer(seconds, _give_back, [there])
        timer.daemon = True
        _waiting.append(timer)
        timer.start()


def _grown(there: int) -> float:
    """Bytes in memory beyond what was no visit's, and what so many take; NaN where nobody knows."""
    return _resident() - _own[0] - there * TAKEN


def _give_back(there: Callable[[], int]) -> None:
    with _lock:
        _waiting.clear()
    stopped = there()
    little = _grown(stopped) <= GROWTH  # not so where nobody knows
    if stopped and stopped + _ended[0] > FEW and little:
        return
    look_through_all()
    _own[0], _ended[0] = _resident() - stopped * TAKEN, 0
