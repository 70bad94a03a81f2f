"""A metric of O(d r) numbers: diagonal plus low rank, and a diagonal where r is 0.

H = diag(1/a) (I + V' diag(1/(1 + p)^2 - 1) V) diag(1/a), a > 0, V (r, d) with orthonormal rows, p > -1. Its root is
W = (I + V' diag(p) V) diag(a), W H W' = I: two passes over V a product, where a dense W takes d^2/2.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.compile import REORDER, kernel


class LowRankMetric(NamedTuple):
    """Arrays of K chains."""

    short: np.ndarray  # a, (K, D), 0 on padding
    basis: np.ndarray  # V, (K, r, D)
    pull: np.ndarray  # p, (K, r)
    frozen_short: np.ndarray  # the three when the checkpoint was taken
    frozen_basis: np.ndarray
    frozen_pull: np.ndarray
    trusted: np.ndarray  # did the checkpoint look like a sample? (K,) bool


class LowRankWhitening(NamedTuple):
    """Arrays of K chains of a one-score model: a `LowRankMetric`, and what it is made from."""

    weights: np.ndarray  # w_k, (K, capacity)
    diagonal: np.ndarray  # of H, exact, (K, d)
    level: np.ndarray  # c, largest eigenvalue left in the rest of the scaled H, (K,)
    short: np.ndarray  # as in LowRankMetric
    basis: np.ndarray
    pull: np.ndarray
    frozen_short: np.ndarray
    frozen_basis: np.ndarray
    frozen_pull: np.ndarray
    trusted: np.ndarray


def new_metric(chains: int, rank: int, diagonal: np.ndarray) -> LowRankMetric:
    """Metric diag(diagonal), (D,), in every chain; a diagonal of 0 is left out of it."""
    short = np.divide(1.0, np.sqrt(diagonal), out=np.zeros_like(diagonal), where=diagonal > 0)
    a, v, p = np.tile(short, (chains, 1)), np.zeros((chains, rank, diagonal.size)), np.zeros((chains, rank))
    return LowRankMetric(a, v, p, a.copy(), v.copy(), p.copy(), np.zeros(chains, np.bool_))


@kernel(REORDER)
def lengthen(basis, pull, vector):
    """Vector <- (I + V' diag(p) V) vector."""
    for i in range(basis.shape[0]):
        total = 0.0
        for q in range(vector.size):
            total += basis[i, q] * vector[q]
        total *= pull[i]
        for q in range(vector.size):
            vector[q] += total * basis[i, q]


@kernel(REORDER)
def whitened_size(metric, k, gradient):
    """||W gradient||^2 in chain k's metric."""
    short, vector, size = metric.short[k], np.empty(gradient.size), 0.0
    for q in range(gradient.size):
        vector[q] = short[q] * gradient[q]
    lengthen(metric.basis[k], metric.pull[k], vector)
    for q in range(vector.size):
        size += vector[q] * vector[q]
    return size


@kernel(REORDER)
def frozen_distance(metric, k, a, b):
    """(a - b)' H (a - b) in the metric of chain k's checkpoint."""
    short, basis, pull = metric.frozen_short[k], metric.frozen_basis[k], metric.frozen_pull[k]
    vector, size = np.zeros(a.size), 0.0
    for q in range(a.size):
        if short[q] > 0.0:
            vector[q] = (a[q] - b[q]) / short[q]
            size += vector[q] * vector[q]
    for i in range(basis.shape[0]):
        total = 0.0
        for q in range(vector.size):
            total += basis[i, q] * vector[q]
        size += (1.0 / (1.0 + pull[i]) ** 2 - 1.0) * total * total
    return size


@kernel()
def freeze(metric, k):
    """The checkpoint's metric becomes the one in force."""
    metric.frozen_short[k, :] = metric.short[k]
    metric.frozen_basis[k, :, :] = metric.basis[k]
    metric.frozen_pull[k, :] = metric.pull[k]


def precision(short: np.ndarray, basis: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """H, (d, d), from a (d,), V (r, d), p (r,); 0 in coordinates left out."""
    root = np.divide(1.0, short, out=np.zeros_like(short), where=short > 0)
    inside = np.eye(short.size) + (basis.T * (1.0 / (1.0 + pull) ** 2 - 1.0)) @ basis
    return root[:, None] * inside * root
