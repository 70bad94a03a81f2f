"""Coreset MCMC on the Gaussian location model: one compiled loop with vectorised passes over rows.

With l_n = x_n . theta - |theta|^2 / 2, Eq. 4 needs no single likelihood terms. Let R_k be its second factor,
centred over the chains. Then g_m = x_m . u - q with u = sum_k R_k theta_k / (K-1) and
q = sum_k R_k |theta_k|^2 / (2 (K-1)); R_k needs only sum_m w_m x_m and the sum of the subsample's rows:
three passes over rows for any K.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.coreset_iteration import record_draws, subsample
from sampler.kernels.coreset_optimizer_steps import step
from sampler.kernels.rng import fill_normal
from sampler.kernels.simd_lanes import gathered_dots, gathered_sum


@kernel(REORDER)
def gaussian_gradient(lanes, points, all_points, theta, weighted, total, picked, size, share, g, residuals, u):
    """Write Eq. 4 into ``g`` (M,) and return its squared norm. ``picked`` (P,) is the sum of the subsample's rows.

    points : (M, P) rows of the coreset, all_points : (M,) 0..M-1, theta : (K, P), weighted : (P,) sum of w x,
    total : sum of w, size : S, share : N / S. residuals (K,) and u (P,) are scratch.
    """
    chains, width = theta.shape
    mean = square_mean = 0.0
    for k in range(chains):
        here = there = square = 0.0
        for i in range(width):
            here += weighted[i] * theta[k, i]
            there += picked[i] * theta[k, i]
            square += theta[k, i] * theta[k, i]
        residuals[k] = here - 0.5 * total * square - share * (there - 0.5 * size * square)
        mean += residuals[k] / chains
        square_mean += square / chains
    q = 0.0
    for i in range(width):
        u[i] = 0.0
    for k in range(chains):
        rest = (residuals[k] - mean) / (chains - 1)
        square = 0.0
        for i in range(width):
            square += theta[k, i] * theta[k, i]
        for i in range(width):
            u[i] += rest * (theta[k, i] - theta[0, i])
        q += 0.5 * rest * (square - square_mean)
    gathered_dots(lanes, points, all_points, g.size, u, g)
    norm = 0.0
    for m in range(g.size):
        g[m] -= q
        norm += g[m] * g[m]
    return norm


@kernel(REORDER, inner=True, forceinline=True)
def gaussian_draws(theta, weighted, total, dim, memory, rngs, normals, potentials):
    """Draw the next position of each chain from N(mu_w, I / (1 + W)), or by its stationary AR(1) step if memory > 0.

    potentials (K,) receives sum_m w_m l_m at the new positions.
    """
    spread = np.sqrt((1.0 - memory * memory) / (1.0 + total))
    for k in range(theta.shape[0]):
        fill_normal(rngs[k], normals)
        for i in range(dim):
            mean = weighted[i] / (1.0 + total)
            theta[k, i] = mean + memory * (theta[k, i] - mean) + spread * normals[i]
        here = square = 0.0
        for i in range(dim):
            here += weighted[i] * theta[k, i]
            square += theta[k, i] * theta[k, i]
        potentials[k] = here - 0.5 * total * square


@kernel(REORDER)
def weigh(lanes, points, all_points, w, weighted):
    """Write the sum of w x into ``weighted`` (P,) and return the sum of w."""
    gathered_sum(lanes, points, all_points, w.size, w, weighted)
    total = 0.0
    for m in range(w.size):
        total += w[m]
    return total


@kernel()
def advance_gaussian(n, t, train, lanes, data, weights, theta, dim, rngs, own, record):
    """Run iterations t, ..., t + n - 1 (from 0) and return the number done, less than n if a gradient is not finite.

    Tuples as built by `sampler.coreset.loops.CompiledLoop`. rngs : (K + 1, 8) counters, the last one for the subsamples.
    norms, totals : (rows,), potentials : (rows, K).
    """
    rows, _, points, _, all_points, permutation, places = data
    w, w0, code, vectors, scalars, constants = weights
    centre, scale, sums, squares, norms, totals, potentials = record
    ones, memory = own
    size, chains = ones.size, theta.shape[0]
    share = permutation.size / size
    g, residuals = np.empty(w.size), np.empty(chains)
    picked, weighted, u = np.empty(theta.shape[1]), np.empty(theta.shape[1]), np.empty(theta.shape[1])
    normals = np.empty(theta.shape[1])
    total = weigh(lanes, points, all_points, w, weighted)
    for done in range(n):
        subsample(rngs[chains], permutation, size, places)
        gathered_sum(lanes, rows, permutation, size, ones, picked)
        norm = gaussian_gradient(
            lanes, points, all_points, theta, weighted, total, picked, size, share, g, residuals, u)
        norms[t + done] = np.sqrt(norm)
        if not np.isfinite(norm):
            return done
        if train:
            step(code, w, w0, g, vectors, scalars, constants)
            total = weigh(lanes, points, all_points, w, weighted)
        gaussian_draws(theta, weighted, total, dim, memory, rngs, normals, potentials[t + done])
        totals[t + done] = total
        record_draws(theta, centre, scale, sums, squares, t + done)
    return n
