"""Parts shared by the compiled coreset loops: subsampling, the gradient of Eq. 4, sums of draws per iteration."""

from numba import float64, int64, uint64

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.rng import mix, uniform


@kernel()
def subsample(rng, permutation, size, places):
    """Make ``permutation[:size]`` a uniform draw without replacement, and advance ``rng[0]`` by ``size``.

    Uses the first ``size`` swaps of a Fisher-Yates shuffle: the draw is uniform from any initial order, so the
    permutation persists between draws. ``places`` is int64 scratch of length >= size.
    """
    n = permutation.size
    counter, increment = rng[0], rng[1]
    for j in range(size):
        places[j] = j + int64(uniform(mix(counter + uint64(j + 1) * increment)) * float64(n - j))
    rng[0] = counter + uint64(size) * increment
    for j in range(size):
        other = places[j]
        taken = permutation[other]
        permutation[other] = permutation[j]
        permutation[j] = taken


@kernel(REORDER, inner=True, forceinline=True)
def record_draws(theta, centre, scale, sums, squares, t):
    """Accumulate the K draws, standardised by the true posterior, in row t + 1 of ``sums`` and ``squares`` (rows, D).

    theta : (K, P) with P >= D, centre : (D,) true means, scale : (D,) reciprocals of the true standard deviations.
    """
    for i in range(centre.size):
        total = square = 0.0
        for k in range(theta.shape[0]):
            z = (theta[k, i] - centre[i]) * scale[i]
            total += z
            square += z * z
        sums[t + 1, i] = sums[t, i] + total
        squares[t + 1, i] = squares[t, i] + square


@kernel(REORDER)
def gradient(terms, subsample_sums, w, share, g):
    """Write Eq. 4 of Coreset MCMC into ``g`` (M,) and return its squared norm.

    terms : (K, M) log-likelihoods of the coreset points, share : N / S, subsample_sums : (K,) sums over the
    subsample, overwritten by the second factor of Eq. 4.
    """
    chains, size = terms.shape
    mean = 0.0
    for k in range(chains):
        total = 0.0
        for m in range(size):
            total += w[m] * terms[k, m]
        subsample_sums[k] = total - share * subsample_sums[k]
        mean += subsample_sums[k]
    mean /= chains
    for m in range(size):
        g[m] = 0.0
    # Both factors are centred over the chains, but centring one suffices; the terms of the first chain are
    # subtracted to avoid cancellation.
    for k in range(1, chains):
        rest = (subsample_sums[k] - mean) / (chains - 1)
        for m in range(size):
            g[m] += rest * (terms[k, m] - terms[0, m])
    norm = 0.0
    for m in range(size):
        norm += g[m] * g[m]
    return norm
