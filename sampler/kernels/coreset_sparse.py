"""Coreset MCMC for the sparse regression of George and McCulloch (1993): Gibbs sampling, Eq. 4, optimizer step.

The data enter through X'WX, X'Wy and y'Wy only, so a Gibbs step costs O(p^3) for any number of data.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.coreset_iteration import gradient, record_draws, subsample
from sampler.kernels.coreset_optimizer_steps import step
from sampler.kernels.rng import fill_normal, next_uniform
from sampler.kernels.simd_lanes import gathered_dots
from sampler.kernels.small_linear_algebra import cholesky, solve_lower, solve_upper


@kernel(REORDER)
def weighted_moments(columns, y, w, weighted, xtx, xty):
    """Write X'WX into ``xtx`` (p, p) and X'Wy into ``xty`` (p,); return y'Wy and the sum of w.

    columns : (p, M), one feature per row, so that each product reads contiguous memory. weighted : (M,) scratch.
    """
    p = columns.shape[0]
    yty = total = 0.0
    for m in range(w.size):
        yty += w[m] * y[m] * y[m]
        total += w[m]
    for i in range(p):
        for m in range(w.size):
            weighted[m] = w[m] * columns[i, m]
        product = 0.0
        for m in range(w.size):
            product += weighted[m] * y[m]
        xty[i] = product
        for j in range(i + 1):
            product = 0.0
            for m in range(w.size):
                product += weighted[m] * columns[j, m]
            xtx[i, j] = xtx[j, i] = product
    return yty, total


@kernel()
def gamma_draw(shape, rng, pair):
    """Draw from Gamma(shape, 1) by the method of Marsaglia and Tsang (2000); ``pair`` is (2,) scratch."""
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - next_uniform(rng)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        fill_normal(rng, pair)
        v = 1.0 + c * pair[0]
        if v > 0.0:
            v = v * v * v
            if np.log1p(-next_uniform(rng)) < 0.5 * pair[0] * pair[0] + d * (1.0 - v + np.log(v)):
                return boost * d * v


@kernel(inner=True, forceinline=True)
def residual_square(beta, xtx, xty, yty):
    """Return the weighted sum of squared residuals at ``beta``, from the moments."""
    total = yty
    for i in range(xty.size):
        row = 0.0
        for j in range(xty.size):
            row += xtx[i, j] * beta[j]
        total += beta[i] * (row - 2.0 * xty[i])
    return max(total, 0.0)


@kernel(inner=True, forceinline=True)
def gibbs_step(theta, gamma, xtx, xty, yty, total, constants, rng, matrix, lower, normals, pair):
    """Draw beta | gamma, sigma^2, then sigma^2 | beta, then gamma | beta; return sum_m w_m l_m at the new state.

    theta : (>= p + 1,) beta then sigma^2. gamma : (p,) of 0 and 1. constants : nu, lambda, q, spike and slab
    standard deviations. matrix and lower (p, p), normals (even, >= p), pair (2,) are scratch.

    gamma_i is drawn from the prior densities of beta_i under spike and slab: conditional on beta, gamma is
    independent of the data.
    """
    p = xty.size
    nu, scale, share, spike, slab = constants[0], constants[1], constants[2], constants[3], constants[4]
    precision = 1.0 / theta[p]
    for i in range(p):
        for j in range(p):
            matrix[i, j] = xtx[i, j] * precision
        sd = slab if gamma[i] > 0.5 else spike
        matrix[i, i] += 1.0 / (sd * sd)
    if not cholesky(matrix, lower):
        lower[:] = np.nan
    fill_normal(rng, normals)
    for i in range(p):
        theta[i] = xty[i] * precision
    solve_lower(lower, theta[:p])  # L half = X'Wy / sigma^2
    for i in range(p):
        theta[i] += normals[i]
    solve_upper(lower, theta[:p])  # L' beta = half + noise
    square = residual_square(theta, xtx, xty, yty)
    theta[p] = 0.5 * (square + nu * scale) / gamma_draw(0.5 * (total + nu), rng, pair)
    log_odds = np.log(share / (1.0 - share)) + np.log(spike / slab)
    tilt = 0.5 * (1.0 / (spike * spike) - 1.0 / (slab * slab))
    for i in range(p):
        gamma[i] = 1.0 if next_uniform(rng) < 1.0 / (1.0 + np.exp(-log_odds - tilt * theta[i] * theta[i])) else 0.0
    return -0.5 * total * np.log(theta[p]) - 0.5 * square / theta[p]


@kernel()
def gibbs_chain(n, theta, gamma, xtx, xty, yty, total, constants, rng, draws, included):
    """Run ``n`` Gibbs steps of one chain; write beta, sigma^2 into ``draws`` (n, p + 1), gamma into ``included`` (n, p)."""
    p = xty.size
    matrix, lower, pair = np.empty((p, p)), np.empty((p, p)), np.empty(2)
    normals = np.empty(p + p % 2)
    for t in range(n):
        gibbs_step(theta, gamma, xtx, xty, yty, total, constants, rng, matrix, lower, normals, pair)
        for i in range(p):
            draws[t, i] = theta[i]
            included[t, i] = gamma[i]
        draws[t, p] = theta[p]


@kernel(REORDER, inner=True, forceinline=True)
def fill_normal_terms(z, y, variance, out):
    """Write log N(y[m]; z[m], variance), up to a constant, into out[m]; return their sum."""
    level, precision, total = -0.5 * np.log(variance), 0.5 / variance, 0.0
    for m in range(out.size):
        r = y[m] - z[m]
        out[m] = level - precision * r * r
    for m in range(out.size):
        total += out[m]
    return total


@kernel()
def advance_sparse(n, t, train, lanes, data, weights, theta, dim, rngs, own, record):
    """Run iterations t, ..., t + n - 1 and return the number done, less than n if a gradient is not finite.

    theta : (K, P) beta, sigma^2, padding; rows have zeros from column dim - 1 on. columns : (dim - 1, M).
    model : the constants of `gibbs_step`. Other arguments as in `advance_gaussian`.
    """
    rows, labels, points, point_labels, all_points, permutation, places = data
    w, w0, code, vectors, scalars, constants = weights
    centre, scale, sums, squares, norms, totals, potentials = record
    columns, gamma, model = own
    size, chains, count, p = places.size, theta.shape[0], w.size, dim - 1
    share = permutation.size / size
    terms, picked_sums = np.empty((chains, count)), np.empty(chains)
    g, z, weighted = np.empty(count), np.empty(count), np.empty(count)
    sz, sy, st = np.empty(size), np.empty(size), np.empty(size)
    xtx, xty, matrix, lower = np.empty((p, p)), np.empty(p), np.empty((p, p)), np.empty((p, p))
    pair, normals = np.empty(2), np.empty(p + p % 2)
    yty, total = weighted_moments(columns, point_labels, w, weighted, xtx, xty)
    for done in range(n):
        subsample(rngs[chains], permutation, size, places)
        for j in range(size):
            sy[j] = labels[permutation[j]]
        for k in range(chains):
            gathered_dots(lanes, points, all_points, count, theta[k], z)
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
                theta[k], gamma[k], xtx, xty, yty, total, model, rngs[k], matrix, lower, normals, pair)
        record_draws(theta, centre, scale, sums, squares, t + done)
    return n
