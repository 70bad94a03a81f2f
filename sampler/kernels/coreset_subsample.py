"""Fresh indices without replacement, at a cost of S and not of N."""

import numpy as np
from numba import float64, int64, uint64

from sampler.kernels.compile import kernel
from sampler.kernels.rng import S11, TWO_TO_MINUS_53, mix


@kernel()
def subsample(rng, permutation, size, places):
    """Make ``permutation[:size]`` a uniform draw without replacement; advances ``rng[0]`` by ``size``.

    The first ``size`` swaps of a Fisher-Yates shuffle. They give a uniform draw whatever order they start from,
    so the permutation is kept from draw to draw and never rebuilt. ``places`` is int64 scratch of length >= size.
    """
    n = permutation.size
    counter, increment = rng[0], rng[1]
    for j in range(size):
        fraction = float64(mix(counter + uint64(j + 1) * increment) >> S11) * TWO_TO_MINUS_53
        places[j] = j + int64(fraction * float64(n - j))
    rng[0] = counter + uint64(size) * increment
    for j in range(size):
        other = places[j]
        taken = permutation[other]
        permutation[other] = permutation[j]
        permutation[j] = taken


def fresh_permutation(n: int) -> np.ndarray:
    """0, ..., n-1 as the int64 array that `subsample` keeps."""
    return np.arange(n, dtype=np.int64)
