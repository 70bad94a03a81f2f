"""Coreset MCMC for models with one score a datum: gradient, step of the weights, slice sampling, compiled whole."""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.coreset_families import aux_at, fill_terms
from sampler.kernels.coreset_optimizer_steps import step
from sampler.kernels.coreset_record import gradient, record_draws
from sampler.kernels.coreset_slice import slice_step
from sampler.kernels.coreset_subsample import subsample
from sampler.kernels.lanes import gathered_dots

FINE, BAD_GRADIENT, BAD_DENSITY = range(3)


@kernel(REORDER)
def subsample_sum(lanes, family, rows, labels, chosen, size, theta, aux, z, y, terms):
    """Sum of the log-likelihoods of rows[chosen[:size]]; z, y, terms are (size,) scratch."""
    gathered_dots(lanes, rows, chosen, size, theta, z)
    for j in range(size):
        y[j] = labels[chosen[j]]
    fill_terms(family, z, y, aux, terms)
    total = 0.0
    for j in range(size):
        total += terms[j]
    return total


@kernel()
def advance_regression(
    n, t, train, lanes, family, prior, rows, labels, points, point_labels, everyone, permutation, places, w, w0, code,
    vectors, scalars, constants, theta, dim, width, doublings, directions, rngs, centre, scale, sums, squares, norms,
    totals, potentials, calls,
):
    """Run iterations t, ..., t + n - 1; returns how many were done, why it stopped, and the chain at fault.

    Shapes as in `advance_gaussian`; ``calls`` (1,) counts evaluations of the coreset's log posterior.
    """
    size, chains, count = places.size, theta.shape[0], w.size
    share = permutation.size / size
    terms, picked_sums = np.empty((chains, count)), np.empty(chains)
    g, z, slope = np.empty(count), np.empty(count), np.empty(count)
    sz, sy, st = np.empty(size), np.empty(size), np.empty(size)
    direction, moved, normals = np.zeros(theta.shape[1]), np.zeros(theta.shape[1]), np.empty(theta.shape[1])
    for done in range(n):
        subsample(rngs[chains], permutation, size, places)
        for k in range(chains):
            aux = aux_at(family, theta[k], dim)
            gathered_dots(lanes, points, everyone, count, theta[k], z)
            fill_terms(family, z, point_labels, aux, terms[k])
            picked_sums[k] = subsample_sum(
                lanes, family, rows, labels, permutation, size, theta[k], aux, sz, sy, st)
        norm = gradient(terms, picked_sums, w, share, g)
        norms[t + done] = np.sqrt(norm)
        if not np.isfinite(norm):
            return done, BAD_GRADIENT, 0
        if train:
            step(code, w, w0, g, vectors, scalars, constants)
        total = 0.0
        for m in range(count):
            total += w[m]
        totals[t + done] = total
        for k in range(chains):
            potentials[t + done, k], spent = slice_step(
                lanes, family, prior, points, everyone, point_labels, w, theta[k], dim, width, doublings, directions,
                rngs[k], z, slope, direction, moved, normals)
            calls[0] += spent
            if np.isnan(potentials[t + done, k]):
                return done, BAD_DENSITY, k
        record_draws(theta, centre, scale, sums, squares, t + done)
    return n, FINE, 0
