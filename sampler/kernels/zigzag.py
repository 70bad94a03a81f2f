"""Zig-Zag process with control variates for one-score models on K chains; events by thinning, with one datum each."""

import numpy as np

from sampler.kernels.chains import INDEX_STREAM
from sampler.kernels.compile import kernel
from sampler.kernels.langevin_step import land, run_length
from sampler.kernels.posterior_mode import mean_and_curvature
from sampler.kernels.rng import next_uniform
from sampler.kernels.subsampled_metropolis import place_in_sums, two_products

MOST_EVENTS = 100_000  # events per step at most, including rejected ones


@kernel()
def first_event(level, growth, exponential):
    """Return the first event time of a process of rate level + growth * time, both >= 0; inf if both are 0."""
    return 2.0 * exponential / (level + np.sqrt(level * level + 2.0 * growth * exponential))


@kernel()
def estimated_rate(i, kind, row, mean, total, prior, point, gradient, x, velocity):
    """Return an estimate from one datum of the rate at which velocity i flips at x; negative values mean no flip.

    ``mean`` is mean(score) of the datum at the control point, ``total`` the sum of the weights |u_i| |u| of coordinate i.
    """
    score, square = two_products(row, x, row)
    change = (mean_and_curvature(kind, score)[0] - mean) * total / np.sqrt(square)
    if row[i] < 0.0:
        change = -change
    return velocity[i] * (gradient[i] + prior[i] * (x[i] - point[i]) + change)


@kernel()  # with REORDER, the distance of the arrays in memory would decide whether the sum of levels is vectorised
def flow(kind, steepest, prior, rows, point, gradient, means, sums, t, x, velocity, duration, rng):
    """Simulate the process from x (d,) for ``duration``, in place; return the number of data read, -1 after `MOST_EVENTS`.

    The first event of all coordinates is drawn from the sum of their bounds, then its coordinate.
    """
    dim, left, read = x.size, duration, 0
    levels, slopes, growths = np.empty(dim), np.empty(dim), np.empty(dim)
    for i in range(dim):
        slopes[i] = steepest * sums[i, t - 1]
        growths[i] = prior[i] + slopes[i] * np.sqrt(dim)
    growth = growths.sum()
    for _ in range(MOST_EVENTS):
        reach = 0.0
        for i in range(dim):
            reach += (x[i] - point[i]) ** 2
        reach = np.sqrt(reach)
        level = 0.0
        for i in range(dim):
            rate = velocity[i] * (gradient[i] + prior[i] * (x[i] - point[i]))
            levels[i] = max(0.0, rate) + slopes[i] * reach
            level += levels[i]
        time = min(left, first_event(level, growth, -np.log(1.0 - next_uniform(rng))))
        for i in range(dim):
            x[i] += time * velocity[i]
        left -= time
        if left <= 0.0:
            return read
        turning, share = 0, next_uniform(rng) * (level + growth * time)
        bound = levels[0] + growths[0] * time
        while share >= bound and turning < dim - 1:
            share -= bound
            turning += 1
            bound = levels[turning] + growths[turning] * time
        total = sums[turning, t - 1]
        if total > 0.0:
            datum = place_in_sums(sums[turning], t, next_uniform(rng) * total)
            rate = estimated_rate(turning, kind, rows[datum], means[datum], total, prior, point, gradient, x, velocity)
            read += 1
        else:  # no datum depends on this coordinate
            rate = velocity[turning] * (gradient[turning] + prior[turning] * (x[turning] - point[turning]))
        if next_uniform(rng) * bound < rate:
            velocity[turning] = -velocity[turning]
    return -1


@kernel()
def advance(lanes, kind, steepest, prior, rows, point, gradient, means, sums, velocities, chains, t, knobs, n, center,
            counts):
    """Take up to n steps in every unfinished chain at epoch t; return whether all are done. ``velocities`` is (K, d)."""
    done, dim, duration = True, gradient.size, np.sqrt(2.0 * knobs.eta0 / (t + knobs.offset))
    ahead = np.zeros(chains.position.shape[1])
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        x = chains.position[k]
        for _ in range(min(n, left)):
            size = 0.0
            for q in range(dim):
                ahead[q] = x[q]
            read = flow(kind, steepest, prior, rows, point, gradient, means, sums, t, ahead[:dim], velocities[k], duration,
                        chains.rng[k, INDEX_STREAM])
            counts[0] += read if read >= 0 else MOST_EVENTS
            counts[3] += 1
            for q in range(dim):
                size += ahead[q] * ahead[q] if read >= 0 else np.inf
            if not land(lanes, chains, k, t, x, ahead, size, center):
                break
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done
