"""The preconditioner of one-score models: a curvature weight a datum, their sum H, and W = L^-1 with H = L L'.

Weights come from the cached means alone, so they cost no gradient evaluation. Matrices are (d, D), padded by zeros.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm import LOGISTIC


class Weighting(NamedTuple):
    """How a datum's weight comes from its cached gradient a and curvature h, both in the score.

    w = max(curvature h + square a^2, bound min(1, floor d/t)).
    """

    curvature: float
    square: float
    floor: float  # inf: the bound everywhere
    bound: float  # largest h of the model
    at_doublings: bool  # rebuilt from the whole cache when t is a power of two, scaled by t between


class Whitening(NamedTuple):
    """Arrays of K chains."""

    weights: np.ndarray  # w_k, (K, capacity)
    precision: np.ndarray  # H, (K, d, D)
    whitener: np.ndarray  # W, lower triangular: W H W' = I, (K, d, D)
    frozen: np.ndarray  # H when the checkpoint was taken, (K, d, D)


@kernel()
def weight_of(kind, value, target, t, dim, weighting):
    """Weight at epoch t of a datum with cached mean ``value``."""
    a = value - target
    h = value * (1.0 - value) if kind == LOGISTIC else 1.0
    floor = weighting.bound * min(1.0, weighting.floor * dim / t)
    return max(weighting.curvature * h + weighting.square * a * a, floor)


@kernel(REORDER)
def add_outer(matrix, row, weight):
    """Matrix += weight row row'."""
    for i in range(matrix.shape[0]):
        factor = weight * row[i]
        for q in range(matrix.shape[1]):
            matrix[i, q] += factor * row[q]


@kernel()
def reweigh(kind, rows, targets, items, weights, matrix, datum, t, weighting):
    """Weigh one datum anew by its cached mean."""
    new = weight_of(kind, items[datum].value, targets[datum], t, matrix.shape[0], weighting)
    add_outer(matrix, rows[datum], new - weights[datum])
    weights[datum] = new


@kernel()
def follow(kind, rows, targets, items, weights, matrix, prior, t, offset, weighting):
    """Bring H to epoch t: the new datum's weight, and those of the data t/2, t/4, ... renewed.

    So fewer than two weights are computed an epoch in the mean, and none is older than t/2.
    """
    weights[t - 1] = 0.0
    if weighting.at_doublings:
        if t & (t - 1) == 0:
            matrix[:] = 0.0
            for i in range(matrix.shape[0]):
                matrix[i, i] = prior[i]
            for datum in range(t):
                weights[datum] = 0.0
                reweigh(kind, rows, targets, items, weights, matrix, datum, t, weighting)
        else:
            matrix *= (t + offset) / (t - 1 + offset)
        return
    reweigh(kind, rows, targets, items, weights, matrix, t - 1, t, weighting)
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


@kernel(REORDER)
def squared_norm_in(matrix, a, b):
    """(a - b)' matrix (a - b)."""
    total = 0.0
    for i in range(matrix.shape[0]):
        part = 0.0
        for q in range(matrix.shape[1]):
            part += matrix[i, q] * (a[q] - b[q])
        total += part * (a[i] - b[i])
    return total
