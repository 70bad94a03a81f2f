"""Hit-and-run slice sampling with doubling on a coreset posterior.

A direction is drawn uniformly on the sphere; along it one slice update of Neal (2003): doubling (Figure 4),
shrinkage (Figure 5) and the acceptance test that makes doubling reversible (Figure 6). Scores are linear along
the line, so one pass over the rows serves all evaluations of a line.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.coreset_families import aux_at, log_prior, weighted_terms
from sampler.kernels.lanes import gathered_dots
from sampler.kernels.rng import fill_normal, next_uniform

SHRINKAGES = 200  # far more than doubles can need: each halves the interval on average


@kernel()
def height(family, prior, w, z, slope, y, theta, direction, dim, x, moved):
    """Log coreset posterior, up to a constant, and its likelihood part, at theta + x direction."""
    for i in range(dim):
        moved[i] = theta[i] + x * direction[i]
    likelihood = weighted_terms(family, w, z, slope, x, y, aux_at(family, moved, dim))
    return likelihood + log_prior(prior, moved, dim), likelihood


@kernel()
def acceptable(family, prior, w, z, slope, y, theta, direction, dim, x, left, right, level, width, moved):
    """Neal's Figure 6: whether doubling from x could have given the same interval; and evaluations spent."""
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
    """One slice update along a line; returns the scalar moved to, its log-likelihood sum and evaluations spent.

    The sum is nan when the density at the start is not a number or zero.
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


@kernel(REORDER)
def slice_step(
    lanes, family, prior, points, everyone, y, w, theta, dim, width, doublings, directions, rng, z, slope, direction,
    moved, normals,
):
    """``directions`` slice updates of one chain, in place; returns sum_m w_m l_m at its new theta, and evaluations."""
    gathered_dots(lanes, points, everyone, w.size, theta, z)
    calls, likelihood = 0, np.nan
    for _ in range(directions):
        length = 0.0
        fill_normal(rng, normals)
        for i in range(dim):
            direction[i] = normals[i]
            length += normals[i] * normals[i]
        length = np.sqrt(length)
        for i in range(dim):
            direction[i] /= length
        gathered_dots(lanes, points, everyone, w.size, direction, slope)
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
