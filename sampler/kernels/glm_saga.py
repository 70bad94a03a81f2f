"""SAGA-LD for one-score models: LMV-n Algorithm 1's step and Algorithm 2's epoch, on K chains.

Per chain and datum one 16-byte record is kept (calendar.ITEM): ``value`` is the cached mean(score), from
which the cached gradient is ``(value - target) * row``.
"""

import numpy as np
from numba import uint64

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.checkpoint_and_reset import begin_epoch
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_gradient import mean_at, means_inplace
from sampler.kernels.lanes import (
    LANES,
    aligned_empty,
    gathered_dots,
    gathered_sum,
    gathered_sums,
    prefetch,
    prefetch_record,
)
from sampler.kernels.langevin_step import FAR, count_steps, langevin_point, squared_distance
from sampler.kernels.refresh_calendar import file_all_under, find_due, open_bucket, turn_page
from sampler.kernels.rng import fill_normal, indices_at
from sampler.kernels.run_length import run_length

OUT_OF_CACHE = 400_000  # numbers in all rows beyond which the next step's rows are asked for ahead of time


@kernel()
def _differences(items, indices, fresh, out):
    """out[j] = fresh[j] - cached value of indices[j]."""
    for j in range(indices.size):
        out[j] = fresh[j] - items[uint64(indices[j])].value  # unsigned: no test for an index from the end


@kernel()
def _write_back(items, indices, fresh, t, out):
    """Cache the fresh values; out[j] = what that changed.

    A repeated index finds its fresh value cached already, so ``out`` sums over distinct indices without a search.
    """
    for j in range(indices.size):
        item, value = items[uint64(indices[j])], fresh[j]
        out[j] = value - item.value
        item.value, item.touched = value, t


@kernel()
def _ask_ahead(lanes, rows, items, indices):
    """Ask the memory for rows and records of a batch to come."""
    for j in range(indices.size):
        for lane in range(len(lanes)):
            prefetch(rows, indices[j], lane * LANES)
        prefetch_record(items, indices[j])


@kernel(REORDER, inline="always")  # a call with so many arrays costs as much as its work
def _saga_point(lanes, x, s, change, scale, prior, step_size, mask, noise, at, out):
    """Next point with SAGA's gradient, into ``out``; returns its squared norm. One loop: D numbers pass once."""
    noise_scale = np.sqrt(2.0 * step_size)
    size = 0.0
    for q in range(uint64(LANES * len(lanes))):
        gradient = prior[q] * x[q] + s[q] + scale * change[q]
        out[q] = x[q] - step_size * gradient + noise_scale * mask[q] * noise[uint64(at) + q]
        size += out[q] * out[q]
    return size


@kernel(REORDER)
def _record(row, x, s, change, guess, prior, scale, corrected, step_size, noise, at):
    """One step's terms for StepTrace: before, guess, correction, noise, into ``row`` (4, dim)."""
    for q in range(row.shape[1]):
        row[0, q], row[1, q] = x[q], guess[q]
        row[2, q] = prior[q] * x[q] + s[q] + scale * change[q] - guess[q] if corrected else 0.0
        row[3, q] = np.sqrt(2.0 * step_size) * noise[at + q]


@kernel(REORDER)
def _steps(lanes, kind, precision, rows, targets, chains, items, k, t, knobs, n, center, trace):
    """Up to n steps of LMV-n Algorithm 1 by chain k at epoch t; returns the number made (fewer if it diverged).

    ``precision`` (2, D): the prior's, and the mask of real coordinates. What the loop needs of ``chains`` is taken out
    before it: an array of theirs named inside costs two atomic reference counts, 10 ns a step.
    """
    width, b = LANES * len(lanes), knobs.batch_size
    x, s, farthest = chains.position[k], chains.gradient_sum[k], chains.farthest[k]
    index_rng, noise_rng = chains.rng[k, INDEX_STREAM], chains.rng[k, NOISE_STREAM]
    counter, increment = index_rng[0], index_rng[1]
    noise, noise_at = chains.noise[k], chains.noise_at[k]
    block = noise[:noise.size - LANES]
    prior, mask = precision[0], precision[1]
    step_size, scale, dim = knobs.eta0 / (t + knobs.offset), t / b, np.int64(mask.sum())
    batch, later = np.empty(b, np.int64), np.empty(b, np.int64)
    fresh, weights, distinct = aligned_empty(-(-b // LANES) * LANES), aligned_empty(b), aligned_empty(b)
    fresh[:] = 0.0
    change, gain, guess, point = aligned_empty(width), aligned_empty(width), aligned_empty(width), aligned_empty(width)
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
        if guessing:  # the batch alone, as SGLD uses it
            for j in range(b):
                weights[j] = fresh[j] - targets[batch[j]]
            gathered_sum(lanes, rows, batch, b, weights, guess)
            for q in range(width):
                guess[q] = prior[q] * x[q] + scale * guess[q]
        _differences(items, batch, fresh, weights)
        _write_back(items, batch, fresh, t, distinct)
        gathered_sums(lanes, rows, batch, b, weights, change, distinct, gain)
        if noise_at + dim > block.size:
            fill_normal(noise_rng, block)
            noise_at = 0
        if trace.size > 0:
            _record(trace[made], x, s, change, guess, prior, scale, knobs.variance_reduction, step_size, noise,
                    noise_at)
        if knobs.variance_reduction:
            size = _saga_point(lanes, x, s, change, scale, prior, step_size, mask, noise, noise_at, point)
        else:
            point[:] = guess
            size = langevin_point(lanes, x, point, step_size, mask, noise, noise_at)
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
def _recompute(kind, rows, targets, chains, items, k, data, one):
    """Cache the gradients of ``data`` at chain k's position, s too."""
    x, s = chains.position[k], chains.gradient_sum[k]
    for datum in data:
        value = mean_at(kind, rows, datum, x, one)
        change = value - items[datum].value
        items[datum].value = value
        for q in range(x.size):
            s[q] += change * rows[datum, q]


@kernel(REORDER)
def _arrive(kind, rows, targets, chains, cache, k, t, knobs, rebuild, center, scratch, counts):
    """Lines 1-5 of LMV-n Algorithm 2 for chain k: warm start or reset, the new term's gradient, the refresh."""
    begin_epoch(chains, k, t, knobs, center)
    x, s, one = chains.position[k], chains.gradient_sum[k], np.empty(1)
    value = mean_at(kind, rows, t - 1, x, one)
    cache[k, t - 1].value = value
    for q in range(x.size):
        s[q] += (value - targets[t - 1]) * rows[t - 1, q]
    open_bucket(cache[k], t)
    counts[0] += 1
    counts[1] += chains.was_reset[k]
    if knobs.refresh:
        n = find_due(cache[k], t, rebuild, scratch)
        turn_page(cache[k], t, rebuild)
        _recompute(kind, rows, targets, chains, cache[k], k, scratch[:n], one)
        counts[0] += n
        counts[2] += n


@kernel(REORDER)
def arrive(kind, rows, targets, chains, cache, t, knobs, rebuild, center, scratch, counts):
    """Open epoch t in every chain. ``counts`` (4,) gains gradient evaluations, resets, refreshed, steps."""
    for k in range(chains.position.shape[0]):
        _arrive(kind, rows, targets, chains, cache, k, t, knobs, rebuild, center, scratch, counts)


@kernel(REORDER)
def advance(lanes, kind, precision, rows, targets, chains, cache, t, knobs, n, center, traced, trace, counts):
    """Up to n steps in every unfinished chain at epoch t; chain ``traced`` writes ``trace`` (n, 4, D). All done?"""
    done, no_trace = True, np.empty((0, 4, 0))
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        if left > 0:
            made = _steps(lanes, kind, precision, rows, targets, chains, cache[k], k, t, knobs, min(n, left),
                          center,
                          trace if k == traced else no_trace)
            counts[0] += made * knobs.batch_size
            counts[3] += made
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done


@kernel(REORDER)
def run_epochs(lanes, kind, precision, rows, targets, chains, cache, first, last, knobs, rebuild, center, scratch,
               counts):
    """Epochs first..last whole, chain by chain, so that a chain's records stay in the processor's cache."""
    no_trace = np.empty((0, 4, 0))
    for k in range(chains.position.shape[0]):
        for t in range(first, last + 1):
            if chains.diverged_epoch[k]:
                break
            _arrive(kind, rows, targets, chains, cache, k, t, knobs, rebuild and t == first, center, scratch, counts)
            n = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length)
            made = _steps(lanes, kind, precision, rows, targets, chains, cache[k], k, t, knobs, n, center, no_trace)
            counts[0] += made * knobs.batch_size
            counts[3] += made


@kernel(REORDER)
def rebuild_chain(kind, rows, targets, chains, cache, k, t):
    """All t cached gradients of chain k recomputed at its position, the sum from nothing: O(t D)."""
    s, one = chains.gradient_sum[k], np.empty(1)
    x = chains.position[k]
    s[:] = 0.0
    for datum in range(t):
        value = mean_at(kind, rows, datum, x, one)
        cache[k, datum].value = value
        for q in range(x.size):
            s[q] += (value - targets[datum]) * rows[datum, q]
    file_all_under(cache[k], t)
