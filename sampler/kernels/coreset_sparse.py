"""Coreset MCMC for the sparse regression: Eq. 4, step of the weights, Gibbs steps, compiled whole."""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.coreset_gibbs import gibbs_step, weighted_moments
from sampler.kernels.coreset_optimizer_steps import step
from sampler.kernels.coreset_record import gradient, record_draws
from sampler.kernels.coreset_subsample import subsample
from sampler.kernels.lanes import gathered_dots


@kernel(REORDER)
def fill_normal_terms(z, y, variance, out):
    """out[m] = log N(y; z, variance) up to a constant; returns their sum."""
    level, precision, total = -0.5 * np.log(variance), 0.5 / variance, 0.0
    for m in range(out.size):
        r = y[m] - z[m]
        out[m] = level - precision * r * r
        total += out[m]
    return total


@kernel()
def advance_sparse(
    n, t, train, lanes, rows, labels, points, columns, point_labels, everyone, permutation, places, w, w0, code,
    vectors, scalars, constants, theta, gamma, dim, model, rngs, centre, scale, sums, squares, norms, totals,
    potentials,
):
    """Run iterations t, ..., t + n - 1; returns how many were done, fewer when a gradient is not finite.

    theta : (K, P) beta, sigma^2, padding; rows have zeros from column dim - 1 on. columns : (dim - 1, M).
    model : the constants of `gibbs_step`. Other shapes as in `advance_gaussian`.
    """
    size, chains, count, p = places.size, theta.shape[0], w.size, dim - 1
    share = permutation.size / size
    terms, picked_sums = np.empty((chains, count)), np.empty(chains)
    g, z, weighted = np.empty(count), np.empty(count), np.empty(count)
    sz, sy, st = np.empty(size), np.empty(size), np.empty(size)
    xtx, xty = np.empty((p, p)), np.empty(p)
    matrix, half, pair, normals = np.empty((p, p)), np.empty(p), np.empty(2), np.empty(p + p % 2)
    yty, total = weighted_moments(columns, point_labels, w, weighted, xtx, xty)
    for done in range(n):
        subsample(rngs[chains], permutation, size, places)
        for j in range(size):
            sy[j] = labels[permutation[j]]
        for k in range(chains):
            gathered_dots(lanes, points, everyone, count, theta[k], z)
            fill_normal_terms(z, point_labels, theta[k, p], terms[k])
            gathered_dots(lanes, rows, permutation, size, theta[k], sz)
            picked_sums[k] = fill_normal_terms(sz, sy, theta[k, p], st)
        norm = gradient(terms, picked_sums, w, share, g)
        norms[t + done] = np.sqrt(norm)
        if not np.isfinite(norm):
            return done
        if train:
            step(code, w, w0, g, vectors, scalars, constants)
            yty, total = weighted_moments(columns, point_labels, w, weighted, xtx, xty)
        totals[t + done] = total
        for k in range(chains):
            potentials[t + done, k] = gibbs_step(
                theta[k], gamma[k], xtx, xty, yty, total, model, rngs[k], matrix, half, normals, pair)
        record_draws(theta, centre, scale, sums, squares, t + done)
    return n
