"""SAGA-LD for one-score models: LMV-n Algorithm 1's step and Algorithm 2's epoch, on K chains.

Per chain and datum one 16-byte record is kept (calendar.ITEM): ``value`` is the cached mean(score), from
which the cached gradient is ``(value - target) * row``.
"""

import numpy as np
from numba import uint64

from sampler.kernels.calendar import file_all_under, find_due, open_bucket, turn_page
from sampler.kernels.chains import INDEX_STREAM, begin_epoch, langevin_move, run_length
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm import mean_at, means_inplace
from sampler.kernels.lanes import LANES, gathered_dots, gathered_sum, prefetch
from sampler.kernels.rng import GOLDEN, indices_at

OUT_OF_CACHE = 50_000  # data beyond which the next batch's rows are asked for ahead of time


@kernel()  # strict floating point on purpose: a repeat must show as an exact residue
def _differences(cache, k, indices, fresh, out):
    """out[j] = fresh[j] - cached value of indices[j]."""
    for j in range(indices.size):
        out[j] = fresh[j] - cache[k, indices[j]].value


@kernel()  # strict floating point on purpose
def _write_back(cache, k, indices, fresh, differences, t):
    """Cache the fresh values. A repeated index has left a residue in the sum: these come back, packed in front.

    All differences were taken before any write, so a first visit gives exactly zero here. Returns how many repeats.
    """
    repeats = 0
    for j in range(indices.size):
        datum, value = indices[j], fresh[j]
        residue = differences[j] - (value - cache[k, datum].value)
        cache[k, datum].value = value
        cache[k, datum].touched = t
        differences[repeats], indices[repeats] = residue, datum
        repeats += residue != 0.0
    return repeats


@kernel(REORDER)
def _steps(lanes, kind, precision, rows, targets, chains, cache, k, t, knobs, n, center, trace):
    """Up to n steps of LMV-n Algorithm 1 by chain k at epoch t; returns the number made (fewer if it diverged)."""
    x, s = chains.position[k], chains.gradient_sum[k]
    width, b, dim = x.size, knobs.batch_size, precision.size
    step_size, scale = knobs.eta0 / (t + knobs.offset), t / b
    batch, ahead = np.empty(b, np.int64), np.empty(b, np.int64)
    fresh, weights = np.zeros(-(-b // LANES) * LANES), np.empty(b)
    change, guess, gradient = np.empty(width), np.empty(width), np.empty(width)
    nothing = np.empty(0)
    counter = chains.rng[k, INDEX_STREAM, 0]
    indices_at(counter, t, batch)
    for i in range(n):
        counter += uint64(b) * GOLDEN
        if i + 1 < n:
            indices_at(counter, t, ahead)
            if t > OUT_OF_CACHE:
                for j in range(b):
                    for q in range(0, width, LANES):
                        prefetch(rows, ahead[j], q)
                    prefetch(cache, k, ahead[j])
        gathered_dots(lanes, rows, batch, b, x, fresh)
        means_inplace(kind, fresh)
        if not knobs.variance_reduction or trace.size:  # the guess alone, as SGLD makes it
            for j in range(b):
                weights[j] = fresh[j] - targets[batch[j]]
            gathered_sum(lanes, rows, batch, b, weights, guess)
            for q in range(dim):
                guess[q] = precision[q] * x[q] + scale * guess[q]
        _differences(cache, k, batch, fresh, weights)
        gathered_sum(lanes, rows, batch, b, weights, change)
        if knobs.variance_reduction:
            for q in range(dim):
                gradient[q] = precision[q] * x[q] + s[q] + scale * change[q]
        else:
            for q in range(dim):
                gradient[q] = guess[q]
        if trace.size:
            for q in range(dim):
                trace[i, 0, q], trace[i, 1, q], trace[i, 2, q] = x[q], guess[q], gradient[q] - guess[q]
        sound = langevin_move(chains, k, gradient, step_size, dim, center, trace[i, 3] if trace.size else nothing)
        for q in range(width):
            s[q] += change[q]
        repeats = _write_back(cache, k, batch, fresh, weights, t)
        if repeats > 0:
            gathered_sum(lanes, rows, batch, repeats, weights, change)
            for q in range(width):
                s[q] -= change[q]
        chains.steps_done[k] += 1
        if not sound:
            chains.diverged_epoch[k], chains.diverged_step[k] = t, chains.steps_done[k]
            chains.rng[k, INDEX_STREAM, 0] = counter
            return i + 1
        batch, ahead = ahead, batch
    chains.rng[k, INDEX_STREAM, 0] = counter
    return n


@kernel(REORDER)
def _recompute(kind, rows, targets, chains, cache, k, data, one):
    """Cache the gradients of ``data`` at chain k's position, s too."""
    x, s = chains.position[k], chains.gradient_sum[k]
    for datum in data:
        value = mean_at(kind, rows, datum, x, one)
        change = value - cache[k, datum].value
        cache[k, datum].value = value
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
        _recompute(kind, rows, targets, chains, cache, k, scratch[:n], one)
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
            made = _steps(lanes, kind, precision, rows, targets, chains, cache, k, t, knobs, min(n, left), center,
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
            made = _steps(lanes, kind, precision, rows, targets, chains, cache, k, t, knobs, n, center, no_trace)
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
