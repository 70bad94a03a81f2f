"""Preconditioner of one-score models: a curvature weight per datum, the weighted sum H, and W = L^-1 with H = L L'.

Weights are computed from the cached means, without gradient evaluations. Matrices are (d, D), padded by zeros.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_langevin import LOGISTIC, POISSON

DENSE = 5  # number of fields of a Whitening, by which kernels distinguish it from a low-rank one at compile time
SMALLEST_TAIL = 2.0**-53  # a mean this near 0 or 1 no longer determines its score
OWN_COUNT = 0.5  # added to a count: mean at the mode of a Poisson term, positive for a count of 0 too
STEEPEST = 20.0  # a Poisson term is continued linearly where its mean exceeds its weight by this factor
RENEWED_TO = 64  # age in epochs up to which a Poisson weight is updated at ages 1, 2, 4, ...
LARGEST_MEAN = np.exp(25.0)  # relative to count + 1/2: the gradient sum keeps the rounding error of its largest summand


class Weighting(NamedTuple):
    """Coefficients of a datum's weight in terms of its cached gradient a and curvature h, both in the score.

    w = max(min(curvature h + square a^2, cap m), m min(1, floor d/t)), with m the majorant's curvature; for Poisson the
    count replaces a^2.
    """

    curvature: float
    square: float
    cap: float
    floor: float


class Whitening(NamedTuple):
    """Dense metrics of K chains."""

    weights: np.ndarray  # w_k, (K, capacity)
    precision: np.ndarray  # H, (K, d, D)
    whitener: np.ndarray  # W, lower triangular: W H W' = I, (K, d, D)
    frozen: np.ndarray  # H at the time of the checkpoint, (K, d, D)
    trusted: np.ndarray  # whether the checkpoint passed as a sample, (K,) bool


@kernel(inner=True)
def majorant_of(kind, value, target):
    """Return the curvature of a parabola at the cached mean whose minimiser does not increase the term.

    Logistic: (mean(z) - 1/2)/z (Jaakkola and Jordan 2000), the mean of a Polya-Gamma weight; it decays as 1/(2 |z|), and
    the tangent parabola majorises the term everywhere. Poisson: the logarithmic mean of the mean and the count,
    (mean - own)/log(mean/own) with own = count + 1/2; parabola and term have the same minimiser.
    """
    if kind == POISSON:
        own = target + OWN_COUNT
        growth = value / own
        if abs(growth - 1.0) < 1e-3:
            return own * (1.0 + 0.5 * (growth - 1.0))
        return (value - own) / np.log(max(growth, 1e-300))
    if kind != LOGISTIC:
        return 1.0
    tail = max(min(value, 1.0 - value), SMALLEST_TAIL)
    if tail > 0.49:
        return 0.25
    return (0.5 - tail) / np.log((1.0 - tail) / tail)


@kernel(inner=True)
def weight_of(kind, value, target, t, dim, weighting):
    """Return the weight at epoch t of a datum with cached mean ``value``."""
    a = value - target
    h, square = 1.0, a * a
    if kind == LOGISTIC:
        h = value * (1.0 - value)
    elif kind == POISSON:
        h, square = value, target
    majorant = majorant_of(kind, value, target)
    floor = min(1.0, weighting.floor * dim / t) * majorant
    return max(min(weighting.curvature * h + weighting.square * square, weighting.cap * majorant), floor)


@kernel(inner=True)
def largest_mean(weight, target):
    """Return the mean above which a Poisson term of this weight (0 if new) is continued linearly."""
    own = target + OWN_COUNT
    return min(STEEPEST * max(weight, own), LARGEST_MEAN * own)


@kernel(inner=True)
def limit_means(means, data, targets, weights):
    """Limit the means of ``data`` to `largest_mean`, in place."""
    for j in range(data.size):
        means[j] = min(means[j], largest_mean(weights[data[j]], targets[data[j]]))


@kernel(REORDER, inner=True)
def add_outer(matrix, row, weight):
    """Add weight row row' to ``matrix`` (d, D)."""
    for i in range(matrix.shape[0]):
        factor = weight * row[i]
        for q in range(matrix.shape[1]):
            matrix[i, q] += factor * row[q]


@kernel(inner=True)
def add_squares(diagonal, row, weight):
    """Add weight row^2 to ``diagonal`` (d,)."""
    for q in range(diagonal.size):
        diagonal[q] += weight * row[q] * row[q]


@kernel(inner=True)
def reweigh(kind, rows, targets, items, weights, matrix, datum, t, weighting):
    """Recompute the weight of one datum from its cached mean and update ``matrix``, which is H or its diagonal (d,)."""
    new = weight_of(kind, items[datum].value, targets[datum], t, matrix.shape[0], weighting)
    if matrix.ndim == 2:
        add_outer(matrix, rows[datum], new - weights[datum])
    else:
        add_squares(matrix, rows[datum], new - weights[datum])
    weights[datum] = new


@kernel(inner=True)
def set_matrix(matrix, source):
    """Copy ``source`` into ``matrix``, as `set_vector`."""
    for i in range(matrix.shape[0]):
        for q in range(matrix.shape[1]):
            matrix[i, q] = source[i, q]


@kernel()
def weigh_all(kind, rows, targets, items, weights, matrix, prior, t, weighting):
    """Recompute all t weights and H from the cache, in O(t d^2)."""
    for i in range(matrix.shape[0]):
        if matrix.ndim == 2:
            for q in range(matrix.shape[1]):
                matrix[i, q] = prior[i] if q == i else 0.0
        else:
            matrix[i] = prior[i]
    for datum in range(t):
        weights[datum] = 0.0
        reweigh(kind, rows, targets, items, weights, matrix, datum, t, weighting)


@kernel(inner=True)
def follow(kind, rows, targets, items, weights, matrix, t, weighting):
    """Update H to epoch t: add the new datum's weight and recompute those of the data t/2, t/4, ...

    This takes fewer than two weights per epoch on average (Poisson: nine), and no weight is older than t/2.
    """
    weights[t - 1] = 0.0
    reweigh(kind, rows, targets, items, weights, matrix, t - 1, t, weighting)
    if kind == POISSON:  # the mean of a new datum may have grown many times before t doubles
        age = 1
        while age <= min(RENEWED_TO, t - 1):
            reweigh(kind, rows, targets, items, weights, matrix, t - 1 - age, t, weighting)
            age *= 2
    place = t
    while place % 2 == 0:
        place //= 2
        reweigh(kind, rows, targets, items, weights, matrix, place - 1, t, weighting)


@kernel(REORDER)
def factor(matrix, lower, whitener):
    """Write W = L^-1, where matrix = L L', into ``whitener``, in two passes of O(d^3 / 3); ``lower`` (d, D) is scratch.

    A pivot lost to rounding is replaced by the size of the rounding error: any positive definite P preserves the target.
    """
    d = matrix.shape[0]
    for i in range(d):
        for j in range(i):
            total = matrix[i, j]
            for q in range(j):
                total -= lower[i, q] * lower[j, q]
            lower[i, j] = total / lower[j, j]
        pivot = matrix[i, i]
        for q in range(i):
            pivot -= lower[i, q] * lower[i, q]
        lower[i, i] = np.sqrt(max(pivot, 1e-14 * matrix[i, i]))
        for q in range(whitener.shape[1]):
            whitener[i, q] = 0.0
        whitener[i, i] = 1.0
        for j in range(i):
            for q in range(j + 1):
                whitener[i, q] -= lower[i, j] * whitener[j, q]
        for q in range(i + 1):
            whitener[i, q] /= lower[i, i]


@kernel(REORDER, inner=True)
def squared_norm_in(matrix, a, b):
    """Return (a - b)' matrix (a - b)."""
    total = 0.0
    for i in range(matrix.shape[0]):
        part = 0.0
        for q in range(matrix.shape[1]):
            part += matrix[i, q] * (a[q] - b[q])
        total += part * (a[i] - b[i])
    return total
