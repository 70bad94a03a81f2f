"""The preconditioner of one-score models: a curvature weight a datum, their sum H, and W = L^-1 with H = L L'.

Weights come from the cached means alone, so they cost no gradient evaluation. Matrices are (d, D), padded by zeros.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_langevin import LOGISTIC, POISSON

DENSE = 5  # fields of a Whitening: kernels tell it from a low-rank one by its length, known when they are compiled
SMALLEST_TAIL = 2.0**-53  # a mean this near 0 or 1 no longer tells its score
OWN_COUNT = 0.5  # added to a count: the mean at a Poisson term's own best score, of a count of 0 too
STEEPEST = 20.0  # a Poisson term goes on as a straight line where its mean passes this many times its weight
RENEWED_TO = 64  # epochs of age up to which a Poisson weight is renewed at 1, 2, 4, ... epochs
LARGEST_MEAN = np.exp(25.0)  # over count + 1/2: the gradient's sum keeps the rounding of its largest summand


class Weighting(NamedTuple):
    """Weight of a datum from its cached gradient a and curvature h, both in the score.

    w = max(min(curvature h + square a^2, cap m), m min(1, floor d/t)), with m the majorant's curvature; for Poisson the
    count stands for a^2.
    """

    curvature: float
    square: float
    cap: float
    floor: float


class Whitening(NamedTuple):
    """Arrays of K chains."""

    weights: np.ndarray  # w_k, (K, capacity)
    precision: np.ndarray  # H, (K, d, D)
    whitener: np.ndarray  # W, lower triangular: W H W' = I, (K, d, D)
    frozen: np.ndarray  # H when the checkpoint was taken, (K, d, D)
    trusted: np.ndarray  # did the checkpoint look like a sample? (K,) bool


@kernel(inner=True)
def majorant_of(kind, value, target):
    """Curvature of the parabola that leads a term from its cached mean to no point where it is higher.

    Logistic: (mean(z) - 1/2)/z (Jaakkola and Jordan 2000), the mean of a Polya-Gamma weight; it falls as 1/(2 |z|), and
    the parabola that touches the term lies above it everywhere. Poisson: the logarithmic mean of the mean and the count,
    (mean - own)/log(mean/own) with own = count + 1/2; the parabola has its least where the term has its own.
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
    """Weight at epoch t of a datum with cached mean ``value``."""
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
    """Mean beyond which a Poisson term goes on as a straight line, given its weight (0 for a new one)."""
    own = target + OWN_COUNT
    return min(STEEPEST * max(weight, own), LARGEST_MEAN * own)


@kernel(inner=True)
def limit_means(means, data, targets, weights):
    """Means of ``data`` limited to their largest."""
    for j in range(data.size):
        means[j] = min(means[j], largest_mean(weights[data[j]], targets[data[j]]))


@kernel(REORDER, inner=True)
def add_outer(matrix, row, weight):
    """Matrix += weight row row'."""
    for i in range(matrix.shape[0]):
        factor = weight * row[i]
        for q in range(matrix.shape[1]):
            matrix[i, q] += factor * row[q]


@kernel(inner=True)
def add_squares(diagonal, row, weight):
    """Diagonal += weight row^2."""
    for q in range(diagonal.size):
        diagonal[q] += weight * row[q] * row[q]


@kernel(inner=True)
def reweigh(kind, rows, targets, items, weights, matrix, datum, t, weighting):
    """Weigh one datum anew by its cached mean; ``matrix`` is H, or its diagonal alone (d,)."""
    new = weight_of(kind, items[datum].value, targets[datum], t, matrix.shape[0], weighting)
    if matrix.ndim == 2:
        add_outer(matrix, rows[datum], new - weights[datum])
    else:
        add_squares(matrix, rows[datum], new - weights[datum])
    weights[datum] = new


@kernel(inner=True)
def set_matrix(matrix, source):
    """Matrix = source, as `set_vector`."""
    for i in range(matrix.shape[0]):
        for q in range(matrix.shape[1]):
            matrix[i, q] = source[i, q]


@kernel()
def weigh_all(kind, rows, targets, items, weights, matrix, prior, t, weighting):
    """All t weights and H from nothing, by the cache as it stands: O(t d^2)."""
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
    """Bring H to epoch t: the new datum's weight, and those of the data t/2, t/4, ... renewed.

    So fewer than two weights are computed an epoch in the mean (Poisson: nine), and none is older than t/2.
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
    """W = L^-1 where matrix = L L', O(d^3 / 3) twice; ``lower`` is (d, D) scratch.

    A pivot lost to rounding is put back at the rounding's size: any positive definite P keeps the target.
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
    """(a - b)' matrix (a - b)."""
    total = 0.0
    for i in range(matrix.shape[0]):
        part = 0.0
        for q in range(matrix.shape[1]):
            part += matrix[i, q] * (a[q] - b[q])
        total += part * (a[i] - b[i])
    return total
