"""The one decorator that compiles every kernel, so that no kernel differs by accident."""

import logging
import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numba

# nnan and ninf are left out: a diverging chain must be seen as not finite, not optimised away.
REORDER = {"reassoc", "contract", "arcp", "nsz"}


def kernel(fastmath: set[str] | bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` with the options all kernels share; without a disk cache where none can be written.

    Parameters
    ----------
    fastmath : set of LLVM flags or bool
        ``REORDER`` lets sums be vectorised; leave it off where exact differences matter.
    """
    options = {"error_model": "numpy", "nogil": True, "fastmath": fastmath, **options}

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            compiled = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no writable place for the cache: compile at every start instead
            _say("no folder can be written")
            return numba.njit(**options)(function)
        _keep_if_possible(compiled)
        return compiled

    return decorate


def _keep_if_possible(compiled: Any) -> None:
    """Have a kernel that cannot be kept run all the same: the disk may fill up after it was found that it can be written."""
    store: Any = getattr(compiled, "_cache", None)  # numba's own; where it is called otherwise, nothing changes
    save = getattr(store, "save_overload", None)
    if save is None:
        return

    def save_overload(*given: Any) -> None:
        try:
            save(*given)
        except OSError as error:
            _say(f"{error.strerror or error}")

    store.save_overload = save_overload


@cache
def _say(why: str) -> None:
    """Tell whoever runs the program, once."""
    logging.getLogger(__name__).warning(
        "Compiled kernels cannot be kept (%s): every start compiles them anew, which takes some 20 s. Set NUMBA_CACHE_DIR, "
        "now %r, to a folder that can be written.", why, os.environ.get("NUMBA_CACHE_DIR", ""))
