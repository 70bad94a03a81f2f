"""`kernel`: the decorator that compiles every kernel with the same options."""

import logging
import os
import shutil
from collections.abc import Callable
from functools import cache
from typing import Any

import numba

# Without nnan and ninf: tests for non-finite values, which detect diverged chains, must not be optimised away.
REORDER = {"reassoc", "contract", "arcp", "nsz"}


MIN_FREE_BYTES = 64 * 2**20
"""Free disk space below which compiled kernels are not cached; all kernels together take about 20 MB."""


def kernel(fastmath: set[str] | bool = False, inner: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return ``numba.njit`` with the options all kernels share, without a disk cache if its folder is not writable.

    Parameters
    ----------
    fastmath : set of LLVM flags or bool
        ``REORDER`` lets sums be vectorised; omit it where exact differences matter. A loop that sums must not store: LLVM
        would choose the order of the sum at run time, by the distance of the arrays in memory.
    inner : bool
        Called from kernels only: no Python entry point is compiled, which would take longer than most of these kernels. A
        call from Python ends the process. No kernel has a C entry point.
    """
    options = {"error_model": "numpy", "nogil": True, "fastmath": fastmath, "no_cfunc_wrapper": True,
               "no_cpython_wrapper": inner, **options}

    def decorate(function: Callable[..., Any]) -> Any:
        folder = os.environ.get("NUMBA_CACHE_DIR") or os.path.dirname(function.__code__.co_filename)
        if not _has_free_space(folder):
            _warn("the disk is full")
            return numba.njit(**options)(function)
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no writable folder for the cache: compile at every start instead
            _warn("no writable folder")
            return numba.njit(**options)(function)

    return decorate


@cache
def _has_free_space(folder: str) -> bool:
    """Return whether the folder's disk has `MIN_FREE_BYTES`; on a full disk numba raises at the first call of a kernel."""
    try:
        return shutil.disk_usage(folder).free >= MIN_FREE_BYTES
    except OSError:  # the folder does not exist yet: numba creates it or raises
        return True


@cache
def _warn(why: str) -> None:
    """Log a warning, once per reason."""
    logging.getLogger(__name__).warning(
        "Compiled kernels cannot be cached (%s): every start compiles them again, about 20 s. Set NUMBA_CACHE_DIR, now %r, "
        "to a writable folder.", why, os.environ.get("NUMBA_CACHE_DIR", ""))
