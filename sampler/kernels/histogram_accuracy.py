"""Scores of pooled samples: marginal accuracy and its ceiling, width bias, lag and memory.

Compiled measures of `sampler.metrics` for pages that compute in the browser; results are written to an array.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.rng import fast_exp
from sampler.kernels.special_functions import gammaln, ndtr

BIN_WIDTH, OUTERMOST = 0.25, 32  # in standard deviations; bins per side
BINS = 2 * OUTERMOST
LEAST_SHARE = 1e-12  # bins with a smaller probability are left out of the variance
TERMS = 12  # of a power series in a correlation, which is at most 0.11 here


@kernel(inner=True)
def below_edges(values):
    """Write P(Z <= edge) for the 65 edges of the bins into ``values`` (65,)."""
    for j in range(BINS + 1):
        values[j] = ndtr((j - OUTERMOST) * BIN_WIDTH)


@kernel()
def accuracy(uniforms, result):
    """Write `sampler.metrics.uniform_accuracy` of uniforms (n, d) into result[0]."""
    (n, d), edges, counts = uniforms.shape, np.empty(BINS + 1), np.empty(BINS)
    below_edges(edges)
    total = 0.0
    for c in range(d):
        for j in range(BINS):
            counts[j] = 0.0
        for k in range(n):
            low, high = 0, BINS
            while high - low > 1:
                middle = (low + high) // 2
                if uniforms[k, c] >= edges[middle]:
                    low = middle
                else:
                    high = middle
            counts[low] += 1.0
        for j in range(BINS):
            total += abs(counts[j] / n - (edges[j + 1] - edges[j]))
    result[0] = 1.0 - 0.5 * total / d


@kernel(inner=True)
def mean_deviation(p, n):
    """Return E |X/n - p| for X ~ Binomial(n, p) and p in (0, 1), as `sampler.metrics.bin_noise.mean_deviation`."""
    v = np.floor(n * p) + 1.0
    log_chance = (gammaln(n + 1.0) - gammaln(v + 1.0) - gammaln(n - v + 1.0) + v * np.log(p)
                  + (n - v) * np.log(1.0 - p))
    return 2.0 * v * (1.0 - p) * fast_exp(log_chance) / n if v <= n else 0.0


@kernel(inner=True)
def absolute_covariance(r):
    """Return Cov(|a|, |b|) for standard normal a, b of small correlation r: 2/pi times the integral of asin."""
    total, power = 0.0, r * r
    for k in range(TERMS):  # power is r^(2k+2) (2k)!/(4^k k!^2)
        total += power / ((2 * k + 1) * (2 * k + 2))
        power *= r * r * (2 * k + 1) / (2 * k + 2)
    return 2.0 / np.pi * total


@kernel()
def ceiling(n, d, result):
    """Write ``mean`` and ``sd`` of `sampler.metrics.exact_ceiling` for n draws in d dimensions into result[:2]."""
    edges, distance, variance = np.empty(BINS + 1), 0.0, 0.0
    below_edges(edges)
    for i in range(BINS):
        p = edges[i + 1] - edges[i]
        distance += mean_deviation(p, float(n))
        if p <= LEAST_SHARE:
            continue
        for j in range(BINS):
            other = edges[j + 1] - edges[j]
            if other > LEAST_SHARE:
                shared = absolute_covariance(np.sqrt(p * other / ((1.0 - p) * (1.0 - other))))
                variance += np.sqrt(p * (1.0 - p) * other * (1.0 - other)) * (1.0 - 2.0 / np.pi if i == j else shared)
    result[0] = 1.0 - 0.5 * distance
    result[1] = np.sqrt(0.25 * variance / n / d)


@kernel(inner=True)
def moments(scores, c):
    """Return mean and standard deviation of column c."""
    n, mean, square = scores.shape[0], 0.0, 0.0
    for k in range(n):
        mean += scores[k, c] / n
    for k in range(n):
        square += (scores[k, c] - mean) ** 2 / n
    return mean, np.sqrt(square)


@kernel()
def shape(scores, result):
    """Write width bias, lag and narrowness of standardised positions (n, d), in target widths, into result[:3]."""
    widest = lag = 0.0
    narrowest = np.inf
    for c in range(scores.shape[1]):
        mean, width = moments(scores, c)
        widest, narrowest, lag = max(widest, width), min(narrowest, width), max(lag, abs(mean))
    result[0], result[1], result[2] = widest - 1.0, lag, 1.0 - narrowest


@kernel()
def memory(previous, current, result):
    """Write the largest correlation over coordinates of pairs (n, d) into result[0]; nan if no coordinate varies."""
    highest = np.nan
    for c in range(previous.shape[1]):
        (a, width_a), (b, width_b), total = moments(previous, c), moments(current, c), 0.0
        for k in range(previous.shape[0]):
            total += (previous[k, c] - a) * (current[k, c] - b)
        correlation = total / (previous.shape[0] * width_a * width_b)
        if width_a * width_b > 0.0 and np.isfinite(correlation) and not correlation <= highest:
            highest = correlation
    result[0] = highest
