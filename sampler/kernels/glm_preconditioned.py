"""Preconditioned SAGA-LD for one-score models on K chains: glm_saga's epochs and steps in whitened coordinates.

With H = L L' the curvature collected so far and W = L^-1, fixed within an epoch, a step is

    v = W g;   X <- X + W' (-eta0 v + sqrt(2 eta0) xi)

which is SAGA-LD's own step in y = L' X, with rows W u_k and no division by t + c.
"""

import numpy as np
from numba import uint64

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.checkpoint_and_reset import begin_epoch, new_checkpoint
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_gradient import POISSON, mean_at, means_inplace
from sampler.kernels.glm_saga import OUT_OF_CACHE, _ask_ahead, _differences, _write_back
from sampler.kernels.lanes import LANES, aligned_empty, gathered_dots, gathered_sum, gathered_sums
from sampler.kernels.langevin_step import FAR, count_steps, squared_distance
from sampler.kernels.low_rank_basis import follow_low_rank
from sampler.kernels.low_rank_metric import freeze, frozen_distance, lengthen, whitened_size
from sampler.kernels.refresh_calendar import find_due, open_bucket, turn_page
from sampler.kernels.rng import fill_normal, indices_at
from sampler.kernels.run_length import run_length
from sampler.kernels.whitening import DENSE, factor, follow, largest_mean, limit_means, set_matrix, squared_norm_in

SQRT_8 = np.sqrt(8.0)
TEST_FROM = 8  # in units of d: below 8 d data no acceptance test, the metric is still the prior's


@kernel(REORDER)
def _white_product(lanes, whitener, every, g, white, out):
    """Out = W' W g = P g, through white = W g."""
    gathered_dots(lanes, whitener, every, every.size, g, white)
    gathered_sum(lanes, whitener, every, every.size, white, out)


@kernel(REORDER)
def _record(lanes, row, x, total, guess, corrected, whitener, every, noise, white, part):
    """One step's terms in X's own coordinates: before, P guess, P correction, noise, into ``row`` (4, dim)."""
    for q in range(total.size):
        total[q] -= guess[q]
    _white_product(lanes, whitener, every, guess, white, part)
    for q in range(every.size):
        row[0, q], row[1, q], row[3, q] = x[q], part[q], noise[q]
    _white_product(lanes, whitener, every, total, white, part)
    for q in range(every.size):
        row[2, q] = part[q] if corrected else 0.0


@kernel(REORDER)
def _record_low_rank(row, x, total, guess, short, basis, pull, push):
    """`_record` in a low-rank metric; ``push`` is the noise before W'."""
    dim = row.shape[1]
    parts = np.empty((3, dim))
    for q in range(dim):
        parts[0, q], parts[1, q], parts[2, q] = short[q] * guess[q], short[q] * (total[q] - guess[q]), push[q]
    for i in range(3):
        lengthen(basis, pull, parts[i])
        if i < 2:
            lengthen(basis, pull, parts[i])
    for q in range(dim):
        row[0, q] = x[q]
        for i in range(3):
            row[i + 1, q] = short[q] * parts[i, q]


@kernel(REORDER)
def _steps(lanes, kind, precision, rows, targets, chains, items, whitening, k, t, knobs, n, center, trace):
    """Up to n steps by chain k at epoch t; returns the number made (fewer if it diverged).

    As in glm_saga, what the loop needs of ``chains`` is taken out before it.
    """
    width, b, curvatures = LANES * len(lanes), knobs.batch_size, whitening.weights[k]
    if len(whitening) == DENSE:
        whitener = whitening.whitener[k]
        dim = whitener.shape[0]
    else:
        short, basis, pull, dim = whitening.short[k], whitening.basis[k], whitening.pull[k], whitening.diagonal.shape[1]
    x, s, farthest = chains.position[k], chains.gradient_sum[k], chains.farthest[k]
    index_rng, noise_rng = chains.rng[k, INDEX_STREAM], chains.rng[k, NOISE_STREAM]
    counter, increment = index_rng[0], index_rng[1]
    noise, noise_at = chains.noise[k], chains.noise_at[k]
    block = noise[:noise.size - LANES]
    prior, step_size, scale, noise_scale = precision[0], knobs.eta0, t / b, np.sqrt(2.0 * knobs.eta0)
    batch, later, every = np.empty(b, np.int64), np.empty(b, np.int64), np.arange(dim)
    fresh, weights, distinct = aligned_empty(-(-b // LANES) * LANES), aligned_empty(b), aligned_empty(b)
    fresh[:] = 0.0
    change, gain, guess, total = aligned_empty(width), aligned_empty(width), aligned_empty(width), aligned_empty(width)
    point, part, white, push = aligned_empty(width), aligned_empty(width), aligned_empty(dim), aligned_empty(dim)
    stride, far = uint64(b) * increment, t * width > OUT_OF_CACHE
    guessing = not knobs.variance_reduction or trace.size > 0
    made, sound = 0, True
    while sound and made < n:
        indices_at(counter, increment, t, batch)
        if far:
            indices_at(counter + stride, increment, t, later)
            _ask_ahead(lanes, rows, items, later)
        gathered_dots(lanes, rows, batch, b, x, fresh)
        means_inplace(kind, fresh)
        if kind == POISSON:
            limit_means(fresh, batch, targets, curvatures)
        if guessing:  # the batch alone, as SGLD uses it
            for j in range(b):
                weights[j] = fresh[j] - targets[batch[j]]
            gathered_sum(lanes, rows, batch, b, weights, guess)
            for q in range(width):
                guess[q] = prior[q] * x[q] + scale * guess[q]
        _differences(items, batch, fresh, weights)
        _write_back(items, batch, fresh, t, distinct)
        gathered_sums(lanes, rows, batch, b, weights, change, distinct, gain)
        for q in range(width):
            total[q] = prior[q] * x[q] + s[q] + scale * change[q] if knobs.variance_reduction else guess[q]
        if noise_at + dim > block.size:
            fill_normal(noise_rng, block)
            noise_at = 0
        if len(whitening) == DENSE:
            gathered_dots(lanes, whitener, every, dim, total, white)
            for q in range(dim):
                push[q] = noise_scale * noise[uint64(noise_at + q)] - step_size * white[q]
            gathered_sum(lanes, whitener, every, dim, push, point)
        else:
            for q in range(dim):
                white[q] = short[q] * total[q]
            lengthen(basis, pull, white)
            for q in range(dim):
                push[q] = noise_scale * noise[uint64(noise_at + q)] - step_size * white[q]
            lengthen(basis, pull, push)
            for q in range(width):
                point[q] = short[q] * push[q] if q < dim else 0.0
        size = 0.0
        for q in range(uint64(width)):
            point[q] += x[q]
            size += point[q] * point[q]
        if trace.size > 0:
            for q in range(dim):
                push[q] = noise_scale * noise[noise_at + q]
            if len(whitening) == DENSE:
                gathered_sum(lanes, whitener, every, dim, push, change)
                _record(lanes, trace[made], x, total, guess, knobs.variance_reduction, whitener, every, change, white, part)
            else:
                _record_low_rank(trace[made], x, total, guess, short, basis, pull, push)
        for q in range(width):
            s[q] += gain[q]
        counter += stride
        noise_at += dim
        made += 1
        sound = size < FAR
        if sound:
            for q in range(width):
                x[q] = point[q]
            if center.size:
                farthest = max(farthest, squared_distance(x, center))
    chains.rng[k, INDEX_STREAM, 0], chains.noise_at[k], chains.farthest[k] = counter, noise_at, farthest
    count_steps(chains, k, t, made, sound)
    return made


@kernel(REORDER)
def _recompute(kind, rows, targets, chains, items, weights, k, data, one):
    """Cache the gradients of ``data`` at chain k's position, s too."""
    x, s = chains.position[k], chains.gradient_sum[k]
    for datum in data:
        value = mean_at(kind, rows, datum, x, one)
        if kind == POISSON:
            value = min(value, largest_mean(weights[datum], targets[datum]))
        change = value - items[datum].value
        items[datum].value = value
        for q in range(x.size):
            s[q] += change * rows[datum, q]


@kernel(REORDER)
def _looks_like_a_sample(x, s, prior, whitener, radius):
    """Return whether ||L^-1 (grad f_0 + s)|| <= radius: the cached gradient is as small as that of a draw from pi_t."""
    total = 0.0
    for i in range(whitener.shape[0]):
        part = 0.0
        for q in range(x.size):
            part += whitener[i, q] * (prior[q] * x[q] + s[q])
        total += part * part
    return total <= radius**2


@kernel(REORDER)
def _begin(prior, chains, whitening, k, t, knobs, reset, center):
    """Checkpoint and warm start; the acceptance test is in the metric H had when the checkpoint was taken.

    ``knobs`` has its own reset off, so that begin_epoch makes no test by plain distance.
    """
    begin_epoch(chains, k, t, knobs, center)
    x, s, checkpoint = chains.position[k], chains.gradient_sum[k], chains.checkpoint[k]
    if new_checkpoint(t):
        if len(whitening) == DENSE:
            set_matrix(whitening.frozen[k], 1.0, whitening.precision[k])
            whitening.trusted[k] = t > TEST_FROM * whitening.precision.shape[1] and _looks_like_a_sample(
                x, s, prior, whitening.whitener[k], knobs.acceptance_radius / SQRT_8)
        else:
            freeze(whitening, k)
            whitening.trusted[k] = (t > TEST_FROM * whitening.diagonal.shape[1] and
                                    whitened_size(whitening, k, prior * x + s) <= knobs.acceptance_radius**2 / 8.0)
    if reset and whitening.trusted[k]:
        if len(whitening) == DENSE:
            away = squared_norm_in(whitening.frozen[k], x, checkpoint)
        else:
            away = frozen_distance(whitening, k, x, checkpoint)
        chains.was_reset[k] = away > knobs.acceptance_radius**2
        if chains.was_reset[k]:
            for q in range(x.size):
                x[q] = checkpoint[q]
            whitening.trusted[k] = False
            chains.farthest[k] = squared_distance(x, center) if center.size else 0.0


@kernel(REORDER)
def _arrive(kind, precision, rows, targets, chains, cache, whitening, weighting, k, t, knobs, reset, rebuild, center,
            scratch, counts):
    """Open epoch t in chain k: start, new gradient, refresh, weights, and the whitener of the whole epoch."""
    _begin(precision[0], chains, whitening, k, t, knobs, reset, center)
    x, s, items, one = chains.position[k], chains.gradient_sum[k], cache[k], np.empty(1)
    value = mean_at(kind, rows, t - 1, x, one)
    if kind == POISSON:
        value = min(value, largest_mean(0.0, targets[t - 1]))
    items[t - 1].value = value
    for q in range(x.size):
        s[q] += (value - targets[t - 1]) * rows[t - 1, q]
    open_bucket(items, t)
    counts[0] += 1
    counts[1] += chains.was_reset[k]
    if knobs.refresh:
        n = find_due(items, t, rebuild, scratch)
        turn_page(items, t, rebuild)
        _recompute(kind, rows, targets, chains, items, whitening.weights[k], k, scratch[:n], one)
        counts[0] += n
        counts[2] += n
    if len(whitening) == DENSE:
        follow(kind, rows, targets, items, whitening.weights[k], whitening.precision[k], precision[0], t, knobs.offset,
               weighting)
        factor(whitening.precision[k], np.empty_like(whitening.whitener[k]), whitening.whitener[k])
    else:
        follow_low_rank(kind, rows, targets, items, precision[0], whitening, k, t, knobs.offset, weighting)


@kernel(REORDER)
def arrive(kind, precision, rows, targets, chains, cache, whitening, weighting, t, knobs, reset, rebuild, center,
           scratch, counts):
    """Open epoch t in every chain. ``counts`` (4,) gains gradient evaluations, resets, refreshed, steps."""
    for k in range(chains.position.shape[0]):
        _arrive(kind, precision, rows, targets, chains, cache, whitening, weighting, k, t, knobs, reset, rebuild,
                center, scratch, counts)


@kernel(REORDER)
def advance(lanes, kind, precision, rows, targets, chains, cache, whitening, t, knobs, n, center, traced, trace,
            counts):
    """Up to n steps in every unfinished chain at epoch t; chain ``traced`` writes ``trace`` (n, 4, d). All done?"""
    done, no_trace = True, np.empty((0, 4, 0))
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        if left > 0:
            made = _steps(lanes, kind, precision, rows, targets, chains, cache[k], whitening, k, t, knobs,
                          min(n, left), center, trace if k == traced else no_trace)
            counts[0] += made * knobs.batch_size
            counts[3] += made
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done


@kernel(REORDER)
def run_epochs(lanes, kind, precision, rows, targets, chains, cache, whitening, weighting, first, last, knobs, reset,
               rebuild, center, scratch, counts):
    """Epochs first..last whole, chain by chain, so that a chain's records stay in the processor's cache."""
    no_trace = np.empty((0, 4, 0))
    for k in range(chains.position.shape[0]):
        for t in range(first, last + 1):
            if chains.diverged_epoch[k]:
                break
            _arrive(kind, precision, rows, targets, chains, cache, whitening, weighting, k, t, knobs, reset,
                    rebuild and t == first, center, scratch, counts)
            n = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length)
            made = _steps(lanes, kind, precision, rows, targets, chains, cache[k], whitening, k, t, knobs, n,
                          center, no_trace)
            counts[0] += made * knobs.batch_size
            counts[3] += made
