"""Diagonal plus low-rank metric of O(d r) values, and the basis that tracks H; diagonal for r = 0.

H = Lambda + sum_k w_k u_k u_k' is never formed: the cost is O(t d r) at each doubling of t.

With D the diagonal of H, A = D^-1/2 H D^-1/2 has a unit diagonal. Let V hold the eigenvectors of its r largest eigenvalues
l_1 >= ... >= l_r, and c be the next one: D^1/2 (c I + V' diag(l - c) V) D^1/2 agrees with H along V and is nowhere much
smaller, so that a step which is stable in the dense metric is stable in this one. Directions with eigenvalues l far below
c mix more slowly, by a factor c/l.

c and l are at least d/(2 t): each row that arrives before t doubles may add a new direction with about this part of A's
trace d. For t < r the next eigenvalue is the prior's, and steps in a new direction would be far too long.

V, l and c are recomputed by block power iteration over the rows when t is a power of two; D is exact at every epoch.

H = diag(1/a) (I + V' diag(1/(1 + p)^2 - 1) V) diag(1/a), a > 0, V (r, d) with orthonormal rows, p > -1. Its root is
W = (I + V' diag(p) V) diag(a), W H W' = I: a product takes two passes over V, with a dense W d^2/2 multiply-adds.
"""

from typing import NamedTuple

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.rng import fill_normal
from sampler.kernels.simd_lanes import set_vector
from sampler.kernels.small_linear_algebra import multiply
from sampler.kernels.whitening import follow, set_matrix

PASSES = 4  # power iterations over the rows at each doubling


@kernel(REORDER, inner=True)
def _multiply(rows, weights, prior, inverse, t, vectors, out):
    """Write vectors A into ``out`` (m, d); ``inverse`` (d,) is D^-1/2."""
    m, d = vectors.shape
    scaled, product = np.empty(d), np.empty(m)
    for i in range(m):
        for q in range(d):
            out[i, q] = prior[q] * inverse[q] * inverse[q] * vectors[i, q]
    for datum in range(t):
        for q in range(d):
            scaled[q] = rows[datum, q] * inverse[q]
        for i in range(m):
            total = 0.0
            for q in range(d):
                total += vectors[i, q] * scaled[q]
            product[i] = weights[datum] * total
        for i in range(m):
            for q in range(d):
                out[i, q] += product[i] * scaled[q]


@kernel(REORDER, inner=True)
def _orthonormalise(vectors):
    """Orthonormalise rows by Gram-Schmidt, twice: the error of one pass grows with the condition number."""
    m, d = vectors.shape
    for i in range(m):
        for _ in range(2):
            for j in range(i):
                total = 0.0
                for q in range(d):
                    total += vectors[j, q] * vectors[i, q]
                for q in range(d):
                    vectors[i, q] -= total * vectors[j, q]
            size = 0.0
            for q in range(d):
                size += vectors[i, q] * vectors[i, q]
            size = np.sqrt(size)
            for q in range(d):
                vectors[i, q] /= max(size, 1e-300)


@kernel(inner=True)
def renew_basis(rows, weights, prior, diagonal, t, basis, pull):
    """Compute V and p from the rows and return c. The iteration starts from fixed vectors, equal in all chains and runs."""
    m, d = basis.shape[0] + 1, diagonal.size
    rng, normals = np.ones(2, np.uint64), np.empty(m * d + m * d % 2)
    fill_normal(rng, normals)
    vectors, out = normals[:m * d].copy().reshape((m, d)), np.empty((m, d))
    inverse = 1.0 / np.sqrt(diagonal)
    for _ in range(PASSES):
        _orthonormalise(vectors)
        _multiply(rows, weights, prior, inverse, t, vectors, out)
        vectors, out = out, vectors
    _orthonormalise(vectors)
    _multiply(rows, weights, prior, inverse, t, vectors, out)
    inside = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            for q in range(d):
                inside[i, j] += 0.5 * (out[i, q] * vectors[j, q] + out[j, q] * vectors[i, q])
    values, turn = np.linalg.eigh(inside)  # smallest first
    level = max(values[0], 0.5 * d / t)
    for i in range(m - 1):
        pull[i] = np.sqrt(level / max(values[i + 1], level)) - 1.0
    multiply(turn[:, 1:].T, vectors, basis)
    return level


@kernel(inner=True)
def follow_low_rank(kind, rows, targets, items, prior, whitening, k, t, weighting):
    """Update the metric of chain k to epoch t."""
    weights, diagonal, short = whitening.weights[k], whitening.diagonal[k], whitening.short[k]
    follow(kind, rows, targets, items, weights, diagonal, t, weighting)
    if t & (t - 1) == 0:
        whitening.level[k] = renew_basis(rows, weights, prior, diagonal, t, whitening.basis[k], whitening.pull[k])
    for q in range(diagonal.size):
        short[q] = 1.0 / np.sqrt(whitening.level[k] * diagonal[q])


class LowRankMetric(NamedTuple):
    """Metrics of K chains."""

    short: np.ndarray  # a, (K, D), 0 on padding
    basis: np.ndarray  # V, (K, r, D)
    pull: np.ndarray  # p, (K, r)
    frozen_short: np.ndarray  # a, V and p at the time of the checkpoint
    frozen_basis: np.ndarray
    frozen_pull: np.ndarray
    trusted: np.ndarray  # whether the checkpoint passed as a sample, (K,) bool


class LowRankWhitening(NamedTuple):
    """Metrics of K chains of a one-score model: a `LowRankMetric` with its weights, diagonal and level."""

    weights: np.ndarray  # w_k, (K, capacity)
    diagonal: np.ndarray  # of H, exact, (K, d)
    level: np.ndarray  # c, largest eigenvalue of the scaled H outside V, (K,)
    short: np.ndarray  # as in LowRankMetric
    basis: np.ndarray
    pull: np.ndarray
    frozen_short: np.ndarray
    frozen_basis: np.ndarray
    frozen_pull: np.ndarray
    trusted: np.ndarray


def new_metric(chains: int, rank: int, diagonal: np.ndarray) -> LowRankMetric:
    """Return the metric diag(diagonal), (D,), for every chain; coordinates with a diagonal of 0 are left out."""
    short = np.divide(1.0, np.sqrt(diagonal), out=np.zeros_like(diagonal), where=diagonal > 0)
    a, v, p = np.tile(short, (chains, 1)), np.zeros((chains, rank, diagonal.size)), np.zeros((chains, rank))
    return LowRankMetric(a, v, p, a.copy(), v.copy(), p.copy(), np.zeros(chains, np.bool_))


@kernel(REORDER, inner=True)
def lengthen(basis, pull, vector):
    """Multiply ``vector`` by I + V' diag(p) V, in place."""
    for i in range(basis.shape[0]):
        total = 0.0
        for q in range(vector.size):
            total += basis[i, q] * vector[q]
        total *= pull[i]
        for q in range(vector.size):
            vector[q] += total * basis[i, q]


@kernel(REORDER)
def frozen_distance(metric, k, a, b):
    """Return (a - b)' H (a - b) in the metric of chain k's checkpoint."""
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


@kernel(inner=True)
def freeze(metric, k):
    """Copy chain k's current metric to its checkpoint's."""
    set_vector(metric.frozen_short[k], metric.short[k])
    set_matrix(metric.frozen_basis[k], metric.basis[k])
    set_vector(metric.frozen_pull[k], metric.pull[k])


def precision(short: np.ndarray, basis: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """Return H (d, d) from a (d,), V (r, d) and p (r,); 0 in coordinates left out."""
    root = np.divide(1.0, short, out=np.zeros_like(short), where=short > 0)
    inside = np.eye(short.size) + (basis.T * (1.0 / (1.0 + pull) ** 2 - 1.0)) @ basis
    return root[:, None] * inside * root


@kernel()
def fill_precision(short, frozen_short, precision_matrix, frozen):
    """Write H of every chain, current and at its checkpoint (K, d, D), for metrics of rank 0; 0 in coordinates left out."""
    for k in range(precision_matrix.shape[0]):
        for q in range(precision_matrix.shape[1]):
            precision_matrix[k, q, q] = 1.0 / short[k, q] ** 2 if short[k, q] > 0.0 else 0.0
            frozen[k, q, q] = 1.0 / frozen_short[k, q] ** 2 if frozen_short[k, q] > 0.0 else 0.0
