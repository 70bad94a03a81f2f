"""SAGA-LD for one-score models on K chains: steps of LMV-n Algorithm 1, epochs of Algorithm 2, plain or preconditioned.

The cache holds one 16-byte record (refresh_calendar.ITEM) per chain and datum: ``value`` is the cached mean(score), and
the cached gradient is ``(value - target) * row``. ``cache`` is (records,), or () for SGLD, which caches nothing and
requires variance reduction off.

``whitening`` is () for the plain sampler, a `Whitening` or a `LowRankWhitening` for the preconditioned one. Tuple lengths
are compile-time constants, so that branches not taken cost nothing.
"""

import numpy as np
from numba import uint64

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_langevin import POISSON, mean_at, means_inplace
from sampler.kernels.langevin_step import FAR, begin_epoch, count_steps, langevin_point, run_length, squared_distance
from sampler.kernels.low_rank_metric import lengthen
from sampler.kernels.preconditioned_steps import begin_in_metric, follow_metric, record_in_metric
from sampler.kernels.refresh_calendar import file_all_under, find_due, open_bucket, refile_due
from sampler.kernels.rng import fill_normal, indices_at
from sampler.kernels.simd_lanes import (
    LANES,
    LINE,
    aligned_empty,
    gathered_dots,
    gathered_sum,
    gathered_sums,
    prefetch,
    prefetch_record,
    set_vector,
)
from sampler.kernels.whitening import DENSE, LARGEST_MEAN, OWN_COUNT, largest_mean, limit_means, weigh_all

OUT_OF_CACHE = 400_000  # float64 values in all rows beyond which the rows of the next step are prefetched


@kernel(inner=True)
def _differences(items, indices, fresh, out):
    """Set out[j] to fresh[j] minus the cached value of indices[j]."""
    for j in range(indices.size):
        out[j] = fresh[j] - items[uint64(indices[j])].value  # unsigned: no branch for negative indices


@kernel(inner=True)
def _write_back(items, indices, fresh, t, out):
    """Cache the fresh values and write the changes of the cache into ``out``.

    A repeated index changes nothing the second time, so ``out`` counts each distinct index once.
    """
    for j in range(indices.size):
        item, value = items[uint64(indices[j])], fresh[j]
        out[j] = value - item.value
        item.value, item.touched = value, t


@kernel(inner=True)
def _prefetch_batch(lanes, rows, cache, k, indices):
    """Prefetch the rows and records of the next batch."""
    for j in range(indices.size):
        for lane in range(len(lanes)):
            prefetch(rows, indices[j], lane * LANES)
        if len(cache) != 0:
            prefetch_record(cache[0][k], indices[j])


@kernel(REORDER, inline="always")  # a call with this many arrays costs as much as the computation
def _saga_point(lanes, x, s, change, scale, prior, step_size, mask, noise, at, out):
    """Write the next point, with SAGA's gradient, into ``out`` and return its squared norm, in one pass over D values."""
    noise_scale = np.sqrt(2.0 * step_size)
    size = 0.0
    for q in range(uint64(LANES * len(lanes))):
        gradient = prior[q] * x[q] + s[q] + scale * change[q]
        out[q] = x[q] - step_size * gradient + noise_scale * mask[q] * noise[uint64(at) + q]
        size += out[q] * out[q]
    return size


@kernel(REORDER, inner=True)
def _record(row, x, s, change, guess, prior, scale, corrected, step_size, noise, at):
    """Write the terms of one step for StepTrace into ``row`` (4, dim): position before, guess, correction, noise."""
    for q in range(row.shape[1]):
        row[0, q], row[1, q] = x[q], guess[q]
        row[2, q] = prior[q] * x[q] + s[q] + scale * change[q] - guess[q] if corrected else 0.0
        row[3, q] = np.sqrt(2.0 * step_size) * noise[at + q]


@kernel(REORDER, inner=True)
def _steps(lanes, kind, precision, rows, targets, chains, cache, whitening, k, t, knobs, n, center, trace):
    """Take up to n steps of LMV-n Algorithm 1 with chain k at epoch t; return the number made (fewer if it diverged).

    ``precision`` (2, D) holds the prior precision and the mask of real coordinates. Arrays are taken out of ``chains``
    before the loop: each access inside it costs two atomic reference counts, 10 ns per step.
    """
    width, b = LANES * len(lanes), knobs.batch_size
    x, s, farthest = chains.position[k], chains.gradient_sum[k], chains.farthest[k]
    index_rng, noise_rng = chains.rng[k, INDEX_STREAM], chains.rng[k, NOISE_STREAM]
    counter, increment = index_rng[0], index_rng[1]
    noise, noise_at = chains.noise[k], chains.noise_at[k]
    block = noise[:noise.size - LINE]
    prior, mask = precision[0], precision[1]
    scale, dim = t / b, np.int64(mask.sum())
    batch, later = np.empty(b, np.int64), np.empty(b, np.int64)
    fresh, weights, distinct = aligned_empty(-(-b // LANES) * LANES), aligned_empty(b), aligned_empty(b)
    fresh[:] = 0.0
    if len(cache) != 0:
        items = cache[0][k]
    change, gain, guess, point = aligned_empty(width), aligned_empty(width), aligned_empty(width), aligned_empty(width)
    if len(whitening) == 0:
        step_size = knobs.eta0 / (t + knobs.offset)
    else:
        step_size, noise_scale, curvatures = knobs.eta0, np.sqrt(2.0 * knobs.eta0), whitening.weights[k]
        total, white, push = aligned_empty(width), aligned_empty(dim), aligned_empty(dim)
        if len(whitening) == DENSE:
            whitener, every = whitening.whitener[k], np.arange(dim)
        else:
            short, basis, pull = whitening.short[k], whitening.basis[k], whitening.pull[k]
    stride, far = uint64(b) * increment, t * width > OUT_OF_CACHE
    guessing = not knobs.variance_reduction or trace.size > 0
    made, sound = 0, True
    while sound and made < n:
        indices_at(counter, increment, t, batch)
        if far:
            indices_at(counter + stride, increment, t, later)
            _prefetch_batch(lanes, rows, cache, k, later)
        gathered_dots(lanes, rows, batch, b, x, fresh)
        means_inplace(kind, fresh)
        if len(whitening) != 0:
            if kind == POISSON:
                limit_means(fresh, batch, targets, curvatures)
        if guessing:  # SGLD's gradient, from the batch alone
            for j in range(b):
                weights[j] = fresh[j] - targets[batch[j]]
            gathered_sum(lanes, rows, batch, b, weights, guess)
            for q in range(width):
                guess[q] = prior[q] * x[q] + scale * guess[q]
        if len(cache) != 0:
            _differences(items, batch, fresh, weights)
            _write_back(items, batch, fresh, t, distinct)
            gathered_sums(lanes, rows, batch, b, weights, change, distinct, gain)
        if noise_at + dim > block.size:
            fill_normal(noise_rng, block)
            noise_at = 0
        if len(whitening) == 0:
            if trace.size > 0:
                _record(trace[made], x, s, change, guess, prior, scale, knobs.variance_reduction, step_size, noise,
                        noise_at)
            if knobs.variance_reduction:
                size = _saga_point(lanes, x, s, change, scale, prior, step_size, mask, noise, noise_at, point)
            else:
                set_vector(point, guess)
                size = langevin_point(lanes, x, point, step_size, mask, noise, noise_at)
        else:
            for q in range(width):
                total[q] = prior[q] * x[q] + s[q] + scale * change[q] if knobs.variance_reduction else guess[q]
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
                record_in_metric(whitening, k, x, total, guess, noise, noise_at, noise_scale, trace[made])
        if len(cache) != 0:
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


@kernel(REORDER, inner=True)
def _recompute(kind, rows, targets, chains, items, whitening, k, data, one):
    """Recompute the cached gradients of ``data`` at chain k's position and update their sum s."""
    x, s = chains.position[k], chains.gradient_sum[k]
    for datum in data:
        value = mean_at(kind, rows, datum, x, one)
        if len(whitening) != 0:
            if kind == POISSON:
                value = min(value, largest_mean(whitening.weights[k, datum], targets[datum]))
        change = value - items[datum].value
        items[datum].value = value
        for q in range(x.size):
            s[q] += change * rows[datum, q]


@kernel(REORDER, inner=True)
def _arrive(kind, precision, rows, targets, chains, cache, whitening, weighting, k, t, knobs, rebuild, center, scratch,
            counts):
    """Run lines 1-5 of LMV-n Algorithm 2 for chain k: warm start or reset, the new gradient, refresh; update the metric."""
    x, s, items, one = chains.position[k], chains.gradient_sum[k], cache[0][k], np.empty(1)
    if len(whitening) == 0:
        begin_epoch(chains, k, t, knobs, knobs.reset, center)
    else:
        begin_in_metric(chains, whitening, k, t, np.int64(precision[1].sum()), knobs, precision[0] * x, center)
    value = mean_at(kind, rows, t - 1, x, one)
    if len(whitening) != 0:
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
        refile_due(items, t, rebuild)
        _recompute(kind, rows, targets, chains, items, whitening, k, scratch[:n], one)
        counts[0] += n
        counts[2] += n
    if len(whitening) != 0:
        follow_metric(kind, precision[0], rows, targets, items, whitening, weighting, k, t)


@kernel(REORDER)
def play(lanes, kind, precision, rows, targets, chains, cache, whitening, weighting, opens, t, last, knobs, n, rebuild,
         center, traced, trace, scratch, counts):
    """Run epochs t..last chain by chain, so that a chain's records stay in the CPU cache; return whether all are done.

    With ``opens`` epochs are begun here, else epoch t is continued; each takes at most ``n`` steps (0: only begin it). The
    steps of chain ``traced`` go into ``trace`` (n, 4, d). ``counts`` (4,) gains gradient evaluations, resets, refreshed
    gradients and steps. A single kernel, as each kernel that calls ``_steps`` compiles a copy of it.
    """
    done, no_trace = True, np.empty((0, 4, 0))
    for k in range(chains.position.shape[0]):
        for epoch in range(t, last + 1):
            if chains.diverged_epoch[k] and n > 0:
                break
            if opens:
                if len(cache) != 0:
                    _arrive(kind, precision, rows, targets, chains, cache, whitening, weighting, k, epoch, knobs,
                            rebuild and epoch == t, center, scratch, counts)
            left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
            if left > 0 and n > 0:
                made = _steps(lanes, kind, precision, rows, targets, chains, cache, whitening, k, epoch, knobs,
                              min(n, left), center, trace if k == traced else no_trace)
                counts[0] += made * knobs.batch_size
                counts[3] += made
            done &= left <= n or chains.diverged_epoch[k] > 0
    return done


@kernel(REORDER)
def rebuild_chain(kind, rows, targets, chains, items, k, t):
    """Recompute all t cached gradients of chain k at its position, and their sum, in O(t D)."""
    s, one = chains.gradient_sum[k], np.empty(1)
    x = chains.position[k]
    s[:] = 0.0
    for datum in range(t):
        value = mean_at(kind, rows, datum, x, one)
        items[k, datum].value = value
        for q in range(x.size):
            s[q] += (value - targets[datum]) * rows[datum, q]
    file_all_under(items[k], t)


@kernel()
def keep_last(rows, targets, gradient_sum, items, dropped, t):
    """Shift the caches of all chains by ``dropped`` data and epochs, keeping the last t, and recompute their sums.

    ``rows`` and ``targets`` are those of the remaining data. Gradients are added in order without fused multiply-adds, so
    that sums are bit-identical on all machines. The caller must rebuild the calendar.
    """
    for k in range(gradient_sum.shape[0]):
        s = gradient_sum[k]
        s[:] = 0.0
        for datum in range(t):
            old, item = items[k, datum + dropped], items[k, datum]
            item.value, item.touched, item.following = old.value, max(old.touched - dropped, 0), -1
            slope = item.value - targets[datum]
            for q in range(s.size):
                s[q] += slope * rows[datum, q]


@kernel()
def rebuild_metric(kind, precision, rows, targets, gradient_sum, items, weights, precision_matrix, k, t, weighting):
    """Recompute the weights and H (a matrix, or a diagonal) of chain k from its cache, in O(t D^2).

    Poisson means are limited as in a step: the rounding errors of larger ones would remain in the sum.
    """
    if kind == POISSON:
        s = gradient_sum[k]
        s[:] = 0.0
        for datum in range(t):
            value = min(items[k, datum].value, LARGEST_MEAN * (targets[datum] + OWN_COUNT))
            items[k, datum].value = value
            for q in range(s.size):
                s[q] += (value - targets[datum]) * rows[datum, q]
    weigh_all(kind, rows, targets, items[k], weights[k], precision_matrix[k], precision[0], t, weighting)
