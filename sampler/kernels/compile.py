"""The one decorator that compiles every kernel, so that no kernel differs by accident."""

import numba

# nnan and ninf are left out: a diverging chain must be seen as not finite, not optimised away.
REORDER = {"reassoc", "contract", "arcp", "nsz"}


def kernel(fastmath: set | bool = False, **options):
    """``numba.njit`` with the options all kernels share; without a disk cache where none can be written.

    Parameters
    ----------
    fastmath : set of LLVM flags or bool
        ``REORDER`` lets sums be vectorised; leave it off where exact differences matter.
    """
    options = {"error_model": "numpy", "nogil": True, "fastmath": fastmath, **options}

    def decorate(function):
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no writable place for the cache: compile at every start instead
            return numba.njit(**options)(function)

    return decorate
