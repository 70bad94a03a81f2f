"""The one decorator that compiles every kernel, so that no kernel differs by accident."""

import logging
import os
import shutil
from collections.abc import Callable
from functools import cache
from typing import Any

import numba

# nnan and ninf are left out: a diverging chain must be seen as not finite, not optimised away.
REORDER = {"reassoc", "contract", "arcp", "nsz"}


ROOM = 64 * 2**20
"""Free bytes on the disk of the cache below which nothing is written to it: all kernels together take about 20 MB."""


def kernel(fastmath: set[str] | bool = False, inner: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` with the options all kernels share; without a disk cache where none can be written.

    Parameters
    ----------
    fastmath : set of LLVM flags or bool
        ``REORDER`` lets sums be vectorised; leave it off where exact differences matter.
    inner : bool
        Only kernels call it, so it has no way in from Python, which takes longer to compile than most of these do: called
        from there it ends the process. No kernel is called from C.
    """
    options = {"error_model": "numpy", "nogil": True, "fastmath": fastmath, "no_cfunc_wrapper": True,
               "no_cpython_wrapper": inner, **options}

    def decorate(function: Callable[..., Any]) -> Any:
        folder = os.environ.get("NUMBA_CACHE_DIR") or os.path.dirname(function.__code__.co_filename)
        if not _has_room(folder):
            _warn("the disk is full")
            return numba.njit(**options)(function)
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no writable folder for the cache: compile at every start instead
            _warn("no folder can be written")
            return numba.njit(**options)(function)

    return decorate


@cache
def _has_room(folder: str) -> bool:
    """Whether the disk of a folder has `ROOM`: numba raises from the first call of a kernel that it cannot write."""
    try:
        return shutil.disk_usage(folder).free >= ROOM
    except OSError:  # a folder that is not there yet: numba makes it, or refuses to
        return True


@cache
def _warn(why: str) -> None:
    """Log the reason, once."""
    logging.getLogger(__name__).warning(
        "Compiled kernels cannot be kept (%s): every start compiles them anew, which takes some 20 s. Set NUMBA_CACHE_DIR, "
        "now %r, to a folder that can be written.", why, os.environ.get("NUMBA_CACHE_DIR", ""))
