"""Random-walk Metropolis with exact acceptance from a random subsample of the data, on K chains."""

import numpy as np

from sampler.kernels.chains import NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_metropolis import ACCEPT_STREAM, potentials
from sampler.kernels.langevin_step import FAR, land, run_length, take_normals
from sampler.kernels.rng import next_uniform
from sampler.kernels.simd_lanes import LANES


@kernel(inner=True)
def place_in_sums(sums, t, level):
    """Return the index of the first of t running sums above ``level``, or t - 1."""
    low, high = 0, t - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > level:
            high = middle
        else:
            low = middle + 1
    return low


@kernel(inner=True)
def softplus(score):
    """Return log(1 + exp(score))."""
    return max(score, 0.0) + np.log1p(np.exp(-abs(score)))


@kernel()
def logistic_remainder(score, ahead, anchor, mean):
    """Return the change of f_k from ``score`` to ``ahead`` minus that of its second-order expansion at ``anchor``."""
    there, here = ahead - anchor, score - anchor
    expanded = mean * (there - here) + 0.5 * mean * (1.0 - mean) * (there * there - here * here)
    return softplus(ahead) - softplus(score) - expanded


@kernel()
def rate_of_datum(change, limit):
    """Return a datum's mean number of reads in a step that changes its remainder by ``change``, at most ``limit``."""
    return limit + min(0.0, change)


@kernel()
def proposal(whiten, curvature, slope, x, point, noise, at, scale, whole, move, out):
    """Write the proposal X + scale C'^-1 xi into ``out``; return the change of the expanded F_t, and M (see the sampler).

    ``whiten`` (d, d) is C'^-1 and ``whole`` its inverse; ``curvature`` and ``slope`` are those of F_t at the control point
    along the columns of C'^-1; ``move`` (2, d) is scratch.
    """
    dim, change = slope.size, 0.0
    far = near = across = length = 0.0
    for i in range(dim):
        move[0, i] = 0.0
        for j in range(i, dim):  # C' is upper triangular
            move[0, i] += whole[i, j] * (x[j] - point[j])
        move[1, i] = scale * noise[at + i]
    for i in range(dim):
        out[i], pull = x[i], slope[i]
        for j in range(i, dim):
            out[i] += whiten[i, j] * move[1, j]
        for j in range(dim):
            pull += curvature[i, j] * (move[0, j] + 0.5 * move[1, j])
        change += move[1, i] * pull
        there = move[0, i] + move[1, i]
        near += move[0, i] * move[0, i]
        far += there * there
        across += move[0, i] * there
        length += move[1, i] * move[1, i]
    return change, np.sqrt(length) * (near + across + far) / 3.0


@kernel(REORDER, inner=True)
def _full_ratio(lanes, kind, prior, rows, targets, t, x, ahead, points, values, gradients):
    """Return F_t(x) - F_t(ahead), from all data."""
    for q in range(x.size):
        points[0, q], points[1, q] = x[q], ahead[q]
    potentials(lanes, kind, prior, rows, targets, t, points, False, values, gradients)
    return values[0] - values[1]


@kernel(REORDER, inner=True)
def two_products(row, x, other):
    """Return row . x and row . other, over the first d values of a padded row."""
    first = second = 0.0
    for q in range(x.size):
        first += row[q] * x[q]
        second += row[q] * other[q]
    return first, second


@kernel()
def sampled_ratio(rng, rows, sums, scores, means, t, x, ahead, limit):
    """Return the log ratio of the second test and the number of data read: about limit * sums[t - 1]."""
    ratio, read = 0.0, 0
    left = limit * sums[t - 1] + np.log(1.0 - next_uniform(rng))  # a Poisson number of data: gaps of a unit process
    while left > 0.0:
        datum = place_in_sums(sums, t, next_uniform(rng) * sums[t - 1])
        most = limit * (sums[datum] - (sums[datum - 1] if datum else 0.0))
        score, further = two_products(rows[datum], x, ahead)
        change = logistic_remainder(score, further, scores[datum], means[datum])
        change = min(max(change, -most), most)  # rounding errors may exceed the bound
        rate = rate_of_datum(change, most)
        if next_uniform(rng) * most < rate:
            ratio += np.log((rate - change) / rate)
        read += 1
        left += np.log(1.0 - next_uniform(rng))
    return ratio, read


@kernel()
def advance(lanes, kind, precision, rows, targets, control, whitening, sums, chains, t, knobs, n, center, scale, accepted,
            counts):
    """Take up to n steps in every unfinished chain at epoch t; return whether all are done.

    ``control`` is the control point (D,) with the scores and means (>= t,) there; ``whitening`` is (C'^-1, C', curvature,
    slope) as in `proposal`, ``sums`` (>= t,) the running sums of the data's weights.
    """
    point, scores, means = control
    whiten, whole, curvature, slope = whitening
    width, dim, done = LANES * len(lanes), slope.size, True
    ahead, move, values = np.zeros(width), np.empty((2, dim)), np.empty(2)
    points, gradients = np.zeros((2, width)), np.empty((2, width))
    for k in range(chains.position.shape[0]):
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        x, noise, rng = chains.position[k], chains.noise[k], chains.rng[k, ACCEPT_STREAM]
        for _ in range(min(n, left)):
            at = take_normals(chains.rng[k, NOISE_STREAM], noise, chains.noise_at, k, dim)
            change, limit = proposal(whiten, curvature, slope, x, point, noise, at, scale, whole, move, ahead)
            size, read, taken = 0.0, 0, False
            for q in range(dim):
                size += ahead[q] * ahead[q]
            chance = np.log(1.0 - next_uniform(rng))
            if not limit * sums[t - 1] < t:  # so far out that reading all data is cheaper
                read = t
                ratio = _full_ratio(lanes, kind, precision[0], rows, targets, t, x, ahead, points, values, gradients)
                taken = chance < ratio
            elif chance < -change:
                ratio, read = sampled_ratio(rng, rows, sums, scores, means, t, x, ahead, limit)
                taken = np.log(1.0 - next_uniform(rng)) < ratio
            counts[0] += 1 + 2 * read
            counts[3] += 1
            if taken and size < FAR:
                land(lanes, chains, k, t, x, ahead, size, center)
                accepted[k] += 1
            else:
                chains.steps_done[k] += 1
        done &= left <= n
    return done
