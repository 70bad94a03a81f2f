"""Preconditioned SAGA-LD for one-score models on K chains: glm_saga's epochs and steps in whitened coordinates.

With H = L L' the curvature collected so far and W = L^-1, fixed within an epoch, a step is

    v = W g;   X <- X + W' (-eta0 v + sqrt(2 eta0) xi)

which is SAGA-LD's own step in y = L' X, with rows W u_k and no division by t + c.
"""

import numpy as np
from numba import uint64

from sampler.kernels.calendar import find_due, open_bucket, turn_page
from sampler.kernels.chains import (
    INDEX_STREAM,
    NOISE_STREAM,
    begin_epoch,
    land,
    run_length,
    squared_distance,
    take_normals,
)
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm import mean_at, means_inplace
from sampler.kernels.lanes import LANES, gathered_dots, gathered_sum, prefetch, prefetch_record
from sampler.kernels.rng import GOLDEN, indices_at
from sampler.kernels.whitening import factor, follow, set_matrix, squared_norm_in

OUT_OF_CACHE = 50_000  # data beyond which rows are asked for ahead of time
AHEAD = uint64(2)  # steps ahead
SQRT_8 = np.sqrt(8.0)
TEST_FROM = 8  # in units of d: below 8 d data no acceptance test, the metric is still the prior's


@kernel()  # strict floating point on purpose: a repeat must show as an exact residue
def _differences(items, indices, fresh, out):
    """out[j] = fresh[j] - cached value of indices[j]."""
    for j in range(indices.size):
        out[j] = fresh[j] - items[uint64(indices[j])].value


@kernel()  # strict floating point on purpose
def _write_back(items, indices, fresh, differences, t):
    """Cache the fresh values; the residues of repeated indices come back packed in front. Returns how many.

    All differences were taken before any write, so a first visit gives exactly zero here.
    """
    repeats = 0
    for j in range(indices.size):
        datum, value = indices[j], fresh[j]
        item = items[uint64(datum)]
        residue = differences[j] - (value - item.value)
        item.value, item.touched = value, t
        differences[repeats], indices[repeats] = residue, datum
        repeats += residue != 0.0
    return repeats


@kernel()
def _ask_ahead(lanes, rows, items, counter, t, batch):
    """Ask the memory for the rows and records of the batch at ``counter``."""
    indices_at(counter, t, batch)
    for j in range(batch.size):
        for lane in range(len(lanes)):
            prefetch(rows, batch[j], lane * LANES)
        prefetch_record(items, batch[j])


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
def _steps(lanes, kind, precision, rows, targets, chains, items, whitener, k, t, knobs, n, center, trace):
    """Up to n steps by chain k at epoch t; returns the number made (fewer if it diverged)."""
    width, b, dim = LANES * len(lanes), knobs.batch_size, whitener.shape[0]
    x, s, noise, noise_rng = chains.position[k], chains.gradient_sum[k], chains.noise[k], chains.rng[k, NOISE_STREAM]
    prior, step_size, scale, noise_scale = precision[0], knobs.eta0, t / b, np.sqrt(2.0 * knobs.eta0)
    batch, later, every = np.empty(b, np.int64), np.empty(b, np.int64), np.arange(dim)
    fresh, weights = np.zeros(-(-b // LANES) * LANES), np.empty(b)
    change, guess, total, point = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    white, push = np.empty(dim), np.empty(dim)
    stride = uint64(b) * GOLDEN
    guessing = not knobs.variance_reduction or trace.size > 0
    for i in range(n):
        counter = chains.rng[k, INDEX_STREAM, 0]
        indices_at(counter, t, batch)
        if t > OUT_OF_CACHE:
            _ask_ahead(lanes, rows, items, counter + AHEAD * stride, t, later)
        gathered_dots(lanes, rows, batch, b, x, fresh)
        means_inplace(kind, fresh)
        if guessing:  # the batch alone, as SGLD uses it
            for j in range(b):
                weights[j] = fresh[j] - targets[batch[j]]
            gathered_sum(lanes, rows, batch, b, weights, guess)
            for q in range(width):
                guess[q] = prior[q] * x[q] + scale * guess[q]
        _differences(items, batch, fresh, weights)
        gathered_sum(lanes, rows, batch, b, weights, change)
        for q in range(width):
            total[q] = prior[q] * x[q] + s[q] + scale * change[q] if knobs.variance_reduction else guess[q]
        at = take_normals(noise_rng, noise, chains.noise_at, k, dim)
        gathered_dots(lanes, whitener, every, dim, total, white)
        for q in range(dim):
            push[q] = noise_scale * noise[at + q] - step_size * white[q]
        gathered_sum(lanes, whitener, every, dim, push, point)
        size = 0.0
        for q in range(width):
            point[q] += x[q]
            size += point[q] * point[q]
        if trace.size > 0:
            for q in range(dim):
                push[q] = noise_scale * noise[at + q]
            part = np.empty(width)
            gathered_sum(lanes, whitener, every, dim, push, part)
            _record(lanes, trace[i], x, total, guess, knobs.variance_reduction, whitener, every, part, white,
                    np.empty(width))
        repeats = _write_back(items, batch, fresh, weights, t)
        if repeats > 0:
            gathered_sum(lanes, rows, batch, repeats, weights, guess)
            for q in range(width):
                change[q] -= guess[q]
        for q in range(width):
            s[q] += change[q]
        chains.rng[k, INDEX_STREAM, 0] = counter + stride
        if not land(lanes, chains, k, t, x, point, size, center):
            return i + 1
    return n


@kernel(REORDER)
def _looks_like_a_sample(x, s, prior, whitener, radius):
    """Is ||L^-1 (grad f_0 + s)|| <= radius: is the cached gradient as small as that of a draw from pi_t?"""
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
    precision, frozen, x = whitening.precision[k], whitening.frozen[k], chains.position[k]
    if ((t - 1) & (t - 2)) == 0 or t == 1:
        set_matrix(frozen, 1.0, precision)
        whitening.trusted[k] = t > TEST_FROM * precision.shape[0] and _looks_like_a_sample(
            x, chains.gradient_sum[k], prior, whitening.whitener[k], knobs.acceptance_radius / SQRT_8)
    if reset and whitening.trusted[k]:
        checkpoint = chains.checkpoint[k]
        chains.was_reset[k] = squared_norm_in(frozen, x, checkpoint) > knobs.acceptance_radius**2
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
    items[t - 1].value = value
    for q in range(x.size):
        s[q] += (value - targets[t - 1]) * rows[t - 1, q]
    open_bucket(items, t)
    counts[0] += 1
    counts[1] += chains.was_reset[k]
    if knobs.refresh:
        n = find_due(items, t, rebuild, scratch)
        turn_page(items, t, rebuild)
        for datum in scratch[:n]:
            value = mean_at(kind, rows, datum, x, one)
            change = value - items[datum].value
            items[datum].value = value
            for q in range(x.size):
                s[q] += change * rows[datum, q]
        counts[0] += n
        counts[2] += n
    follow(kind, rows, targets, items, whitening.weights[k], whitening.precision[k], precision[0], t, knobs.offset,
           weighting)
    factor(whitening.precision[k], np.empty_like(whitening.whitener[k]), whitening.whitener[k])


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
            made = _steps(lanes, kind, precision, rows, targets, chains, cache[k], whitening.whitener[k], k, t, knobs,
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
            made = _steps(lanes, kind, precision, rows, targets, chains, cache[k], whitening.whitener[k], k, t, knobs,
                          n, center, no_trace)
            counts[0] += made * knobs.batch_size
            counts[3] += made
