"""Low rank plus diagonal for H = Lambda + sum_k w_k u_k u_k', without the matrix: O(t d r) at each doubling of t.

With D the diagonal of H, A = D^-1/2 H D^-1/2 has ones on its own. Let V hold eigenvectors of its r largest eigenvalues
l_1 >= ... >= l_r, and c be the next one: D^1/2 (c I + V' diag(l - c) V) D^1/2 agrees with H along V and is nowhere much
smaller, so that a step which is stable in the dense metric is stable in this one. Directions with eigenvalues far below c
are left slow: their share c/l more steps.

c and l are d/(2 t) at least: rows to come, before t doubles, bring directions of their own, each with about so much of A's
trace d. Where t < r the next eigenvalue is the prior's, and steps in a new direction would be far too long.

V, l and c are renewed by block power iteration over the rows when t is a power of two; D is exact at every epoch.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.rng import fill_normal
from sampler.kernels.whitening import follow

PASSES = 4  # over the rows at each doubling


@kernel(REORDER)
def _multiply(rows, weights, prior, inverse, t, vectors, out):
    """Out = vectors A, (m, d), with ``inverse`` D^-1/2 (d,)."""
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


@kernel(REORDER)
def _orthonormalise(vectors):
    """Rows by Gram and Schmidt, twice: the first leaves rounding times the condition."""
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


@kernel()
def renew_basis(rows, weights, prior, diagonal, t, basis, pull):
    """V and p from the rows; returns c. The start of the iteration is fixed: the same in every chain and run."""
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
        for q in range(d):
            basis[i, q] = 0.0
            for j in range(m):
                basis[i, q] += turn[j, i + 1] * vectors[j, q]
    return level


@kernel()
def follow_low_rank(kind, rows, targets, items, prior, whitening, k, t, offset, weighting):
    """Bring chain k's metric to epoch t."""
    weights, diagonal, short = whitening.weights[k], whitening.diagonal[k], whitening.short[k]
    follow(kind, rows, targets, items, weights, diagonal, prior, t, offset, weighting)
    if t & (t - 1) == 0:
        whitening.level[k] = renew_basis(rows, weights, prior, diagonal, t, whitening.basis[k], whitening.pull[k])
    for q in range(diagonal.size):
        short[q] = 1.0 / np.sqrt(whitening.level[k] * diagonal[q])
