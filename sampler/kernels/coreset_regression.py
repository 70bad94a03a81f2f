"""Coreset MCMC for models with one score per datum: slice sampling, gradient, optimizer step on the weights.

Hit-and-run: draw a direction uniformly on the sphere, then make one slice update along it (Neal 2003): doubling
(Figure 4), shrinkage (Figure 5) and the acceptance test that makes doubling reversible (Figure 6). Scores are linear
along the line, so each line needs one pass over the rows.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.coreset_iteration import gradient, record_draws, subsample
from sampler.kernels.coreset_likelihoods import aux_at, fill_terms, log_prior, weighted_terms
from sampler.kernels.coreset_optimizer_steps import step
from sampler.kernels.rng import fill_normal, next_uniform
from sampler.kernels.simd_lanes import gathered_dots

SHRINKAGES = 200  # limit; float64 needs far fewer, as each halves the interval on average


@kernel(inner=True, forceinline=True)
def height(family, prior, w, z, slope, y, theta, direction, dim, x, moved):
    """Return the log coreset posterior, up to a constant, and its likelihood part, at theta + x direction."""
    for i in range(dim):
        moved[i] = theta[i] + x * direction[i]
    likelihood = weighted_terms(family, w, z, slope, x, y, aux_at(family, moved, dim))
    return likelihood + log_prior(prior, moved, dim), likelihood


@kernel()
def acceptable(family, prior, w, z, slope, y, theta, direction, dim, x, left, right, level, width, moved):
    """Return whether doubling from x could give the same interval (Neal 2003, Figure 6), and the evaluations used."""
    differs, calls = False, 0
    while right - left > 1.1 * width:
        middle = 0.5 * (left + right)
        if (middle > 0.0) != (middle > x):
            differs = True
        if x < middle:
            right = middle
        else:
            left = middle
        if differs:
            calls += 2
            at_left, _ = height(family, prior, w, z, slope, y, theta, direction, dim, left, moved)
            at_right, _ = height(family, prior, w, z, slope, y, theta, direction, dim, right, moved)
            if not at_left > level and not at_right > level:
                return False, calls
    return True, calls


@kernel()
def slice_along(family, prior, w, z, slope, y, theta, direction, dim, width, doublings, rng, moved):
    """Make one slice update along a line; return the new coordinate x, its log-likelihood sum and the evaluations used.

    The sum is nan if the log density at the start is not finite.
    """
    here, likelihood = height(family, prior, w, z, slope, y, theta, direction, dim, 0.0, moved)
    if not np.isfinite(here):
        return 0.0, np.nan, 1
    level = here + np.log1p(-next_uniform(rng))
    left = -width * next_uniform(rng)
    right = left + width
    at_left, _ = height(family, prior, w, z, slope, y, theta, direction, dim, left, moved)
    at_right, _ = height(family, prior, w, z, slope, y, theta, direction, dim, right, moved)
    calls = 3
    for _ in range(doublings):
        if not (at_left > level or at_right > level):
            break
        if next_uniform(rng) < 0.5:
            left -= right - left
            at_left, _ = height(family, prior, w, z, slope, y, theta, direction, dim, left, moved)
        else:
            right += right - left
            at_right, _ = height(family, prior, w, z, slope, y, theta, direction, dim, right, moved)
        calls += 1
    low, high = left, right
    for _ in range(SHRINKAGES):
        x = low + next_uniform(rng) * (high - low)
        there, at_x = height(family, prior, w, z, slope, y, theta, direction, dim, x, moved)
        calls += 1
        if there > level:
            fine, extra = acceptable(
                family, prior, w, z, slope, y, theta, direction, dim, x, left, right, level, width, moved)
            calls += extra
            if fine:
                return x, at_x, calls
        if x < 0.0:
            low = x
        else:
            high = x
    return 0.0, likelihood, calls


@kernel(REORDER, inner=True, forceinline=True)
def slice_step(lanes, family, prior, points, all_points, y, w, theta, dim, width, doublings, directions, rng, z, slope,
               direction, moved, normals):
    """Make ``directions`` slice updates of one chain in place; return sum_m w_m l_m at its new theta, and evaluations."""
    gathered_dots(lanes, points, all_points, w.size, theta, z)
    calls, likelihood = 0, np.nan
    for _ in range(directions):
        length = 0.0
        fill_normal(rng, normals)
        for i in range(dim):
            length += normals[i] * normals[i]
        length = np.sqrt(length)
        for i in range(dim):
            direction[i] = normals[i] / length
        gathered_dots(lanes, points, all_points, w.size, direction, slope)
        x, likelihood, spent = slice_along(
            family, prior, w, z, slope, y, theta, direction, dim, width, doublings, rng, moved)
        calls += spent
        if np.isnan(likelihood):
            return likelihood, calls
        for i in range(dim):
            theta[i] += x * direction[i]
        for m in range(w.size):
            z[m] += x * slope[m]
    return likelihood, calls


@kernel(REORDER, inner=True, forceinline=True)
def subsample_sum(lanes, family, rows, labels, chosen, size, theta, aux, z, y, terms):
    """Return the sum of the log-likelihoods of rows[chosen[:size]]; z, y, terms are (size,) scratch."""
    gathered_dots(lanes, rows, chosen, size, theta, z)
    for j in range(size):
        y[j] = labels[chosen[j]]
    fill_terms(family, z, y, aux, terms)
    total = 0.0
    for j in range(size):
        total += terms[j]
    return total


@kernel()
def advance_regression(n, t, train, lanes, data, weights, theta, dim, rngs, own, record):
    """Run iterations t, ..., t + n - 1 and return the number done, less than n if a value is not finite.

    Arguments as in `advance_gaussian`; ``calls`` (1,) counts evaluations of the coreset's log posterior.
    """
    rows, labels, points, point_labels, all_points, permutation, places = data
    w, w0, code, vectors, scalars, constants = weights
    centre, scale, sums, squares, norms, totals, potentials = record
    family, prior, width, doublings, directions, calls = own
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
            gathered_dots(lanes, points, all_points, count, theta[k], z)
            fill_terms(family, z, point_labels, aux, terms[k])
            picked_sums[k] = subsample_sum(
                lanes, family, rows, labels, permutation, size, theta[k], aux, sz, sy, st)
        norm = gradient(terms, picked_sums, w, share, g)
        norms[t + done] = np.sqrt(norm)
        if not np.isfinite(norm):
            return done
        if train:
            step(code, w, w0, g, vectors, scalars, constants)
        total = 0.0
        for m in range(count):
            total += w[m]
        totals[t + done] = total
        for k in range(chains):
            potentials[t + done, k], spent = slice_step(
                lanes, family, prior, points, all_points, point_labels, w, theta[k], dim, width, doublings, directions,
                rngs[k], z, slope, direction, moved, normals)
            calls[0] += spent
            if np.isnan(potentials[t + done, k]):
                return done
        record_draws(theta, centre, scale, sums, squares, t + done)
    return n
