"""The memory of the server's process: what is looked through when, and what goes back to the machine once visits end.

A full collection of Python's stops all visits while it looks at every object that it may free: at some 27,000 of each visit,
0.6 µs each. So what one full collection has found in use is set aside (`gc.freeze`), and the next looks at what was made
since. What a visit leaves is among what was set aside: all is looked through once nobody is there, or enough memory waits.
"""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from panel.io import document

from app.server_parts import replace

THRESHOLDS = 10_000, 2, 0
"""New objects after which the youngest are looked through, then how often until the older: some 50,000 at a time, 30 ms.
Python's 700 is for smaller programs."""
ARENAS = 2
"""Pools of the C library, which threads take turns at; with one a thread each keeps what its busiest moment took."""
DELAY = 12.0
"""Seconds after the end of a visit until what it held is looked for, and its memory goes back."""
GROWTH = 100e6
"""Bytes by which the process may grow, while somebody is there, until ended visits are looked for all the same."""
_M_ARENA_MAX = -8  # of mallopt(3)
_lock = threading.Lock()
_waiting: list[threading.Timer] = []
_least = [0.0]  #: bytes in memory when all was looked through last


def settle() -> None:
    """Look through all that has been imported once, and set it aside; from now on as this module says."""
    with suppress(AttributeError, OSError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)
    replace(document, "_garbage_collect", _left_to_us)
    if _set_aside not in gc.callbacks:
        gc.callbacks.append(_set_aside)
    gc.set_threshold(*THRESHOLDS)
    look_through_all()


def _left_to_us() -> None:
    """Stand for Panel's own collection after each visit: each stops all visits for some 2 ms of every visit there is."""


def _set_aside(phase: str, about: dict[str, Any]) -> None:
    """Set aside what a full collection has found in use."""
    if phase == "stop" and about["generation"] == 2:
        gc.freeze()


def look_through_all() -> None:
    """Free all that nothing holds any more, whenever it was made, and give its memory back to the machine."""
    gc.unfreeze()
    gc.collect()
    gc.collect()  # of the little that is left: Python waits with the next for a quarter of what it saw last
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    _least[0] = _resident()


def _resident() -> float:
    """Bytes of this process in memory; NaN where the system does not say."""
    with suppress(OSError):
        return float(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return float("nan")


def give_back_soon(somebody: Callable[[], bool] = lambda: False) -> None:
    """Free what ended visits leave once however many have ended meanwhile, if nobody is there or much memory waits.

    Parameters
    ----------
    somebody
        Whether a visit would be stopped meanwhile.
    """
    with _lock:
        if _waiting:
            return
        timer = threading.Timer(DELAY, _give_back, [somebody])
        timer.daemon = True
        _waiting.append(timer)
        timer.start()


def _give_back(somebody: Callable[[], bool]) -> None:
    with _lock:
        _waiting.clear()
    little = _resident() - _least[0] <= GROWTH  # not so where nobody knows
    if not (somebody() and little):
        look_through_all()
