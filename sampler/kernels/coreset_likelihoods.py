"""Log-likelihood terms of models with one score z = x . theta per datum, log priors, and log posteriors on all data.

``aux`` is the part of a term that depends on theta but not on its score (see `aux_at`). Terms are up to constants in theta.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.rng import fast_exp, fast_log
from sampler.kernels.simd_lanes import gathered_dots

GAUSSIAN, LINEAR, LOGISTIC, POISSON = range(4)
NORMAL_PRIOR, CAUCHY_PRIOR = range(2)
TINY_RATE = -15.0  # below, log(1 + e^z) is e^z to 2e-7 and its logarithm z - e^z / 2 to 5e-15


@kernel(inline="always")
def softplus(z):
    """Return log(1 + e^z) without overflow, to about 2e-16 absolute."""
    top = z if z > 0.0 else 0.0
    return top + fast_log(1.0 + fast_exp(-abs(z)))


@kernel(inline="always")
def poisson_term(z, y):
    """Return y log(rate) - rate for a count y, with rate = log(1 + e^z)."""
    small = fast_exp(z if z < TINY_RATE else TINY_RATE)
    rate = softplus(z)
    rate = small * (1.0 - 0.5 * small) if z < TINY_RATE else rate
    log_rate = z - 0.5 * small if z < TINY_RATE else fast_log(rate)
    return y * log_rate - rate


@kernel()
def aux_at(family, theta, dim):
    """Return log sigma^2 (last coordinate) for the linear model, |theta|^2 / 2 for Gaussian location, else 0."""
    if family == LINEAR:
        return theta[dim - 1]
    if family == GAUSSIAN:
        total = 0.0
        for i in range(dim):
            total += theta[i] * theta[i]
        return 0.5 * total
    return 0.0


@kernel(REORDER)
def fill_terms(family, z, y, aux, out):
    """Write the log-likelihood of datum m into out[m]; z, y, out are (M,)."""
    if family == LINEAR:
        precision = fast_exp(-aux)
        for m in range(out.size):
            r = y[m] - z[m]
            out[m] = -0.5 * aux - 0.5 * precision * r * r
    elif family == LOGISTIC:
        for m in range(out.size):
            out[m] = y[m] * z[m] - softplus(z[m])
    elif family == POISSON:
        for m in range(out.size):
            out[m] = poisson_term(z[m], y[m])
    else:
        for m in range(out.size):
            out[m] = z[m] - aux


@kernel(REORDER)
def weighted_terms(family, w, z, slope, x, y, aux):
    """Return the sum over m of w[m] times the log-likelihood of datum m at score z[m] + x slope[m]."""
    total = 0.0
    if family == LINEAR:
        weight = 0.0
        for m in range(w.size):
            r = y[m] - z[m] - x * slope[m]
            total += w[m] * r * r
            weight += w[m]
        return -0.5 * aux * weight - 0.5 * fast_exp(-aux) * total
    if family == LOGISTIC:
        for m in range(w.size):
            score = z[m] + x * slope[m]
            total += w[m] * (y[m] * score - softplus(score))
        return total
    if family == POISSON:
        for m in range(w.size):
            total += w[m] * poisson_term(z[m] + x * slope[m], y[m])
        return total
    for m in range(w.size):
        total += w[m] * (z[m] + x * slope[m] - aux)
    return total


@kernel()
def log_prior(prior, theta, dim):
    """Return the log density of a standard normal or standard Cauchy prior on every coordinate, up to a constant."""
    total = 0.0
    for i in range(dim):
        if prior == CAUCHY_PRIOR:
            total -= np.log1p(theta[i] * theta[i])
        else:
            total -= 0.5 * theta[i] * theta[i]
    return total


BLOCK = 512


@kernel(REORDER)
def log_posteriors(lanes, family, prior, rows, labels, thetas, dim, out):
    """Write the log posterior at thetas[j] (n, P), up to a constant, into out[j]; rows in blocks that fit the cache."""
    z, terms, block = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK, np.int64)
    for j in range(thetas.shape[0]):
        out[j] = log_prior(prior, thetas[j], dim)
    for start in range(0, rows.shape[0], BLOCK):
        size = min(BLOCK, rows.shape[0] - start)
        for m in range(size):
            block[m] = start + m
        for j in range(thetas.shape[0]):
            gathered_dots(lanes, rows, block, size, thetas[j], z)
            fill_terms(family, z[:size], labels[start:start + size], aux_at(family, thetas[j], dim), terms[:size])
            total = 0.0
            for m in range(size):
                total += terms[m]
            out[j] += total
