"""The memory of the server's process: what is looked through when, and what goes back to the machine once visits end."""

from __future__ import annotations

import ctypes
import gc
import threading
from contextlib import suppress

from panel.io import document

ALLOCATIONS = 10_000
"""New objects after which the youngest are looked through; Python's 700 is for smaller programs."""
ARENAS = 2
"""Pools of the C library, which threads take turns at; with one a thread each keeps what its busiest moment took."""
DELAY = 12.0
"""Seconds after the end of a visit until what it held is looked for, and its memory goes back."""
_M_ARENA_MAX = -8  # of mallopt(3)
_lock = threading.Lock()
_waiting: list[threading.Timer] = []


def settle() -> None:
    """Look through all that has been imported once, and never again.

    A full collection stops every visit; of some 300,000 objects nearly all are modules, classes and functions.
    """
    with suppress(AttributeError, OSError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)
    document._garbage_collect = _left_to_us
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, 10, 10)


def _left_to_us() -> None:
    """Stand for Panel's own collection after each visit: each stops all visits for some 2 ms of every visit there is."""


def give_back_soon() -> None:
    """Collect what ended visits leave, and give it back to the machine, once however many have ended meanwhile."""
    with _lock:
        if _waiting:
            return
        timer = threading.Timer(DELAY, _give_back)
        timer.daemon = True
        _waiting.append(timer)
        timer.start()


def _give_back() -> None:
    with _lock:
        _waiting.clear()
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
