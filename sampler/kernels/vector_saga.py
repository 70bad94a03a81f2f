"""SAGA-LD for terms with any gradient: the cache holds one vector a datum a chain.

The gradients themselves come from outside, a batch at a time; ``advance_gaussian`` is the one model of this kind
that runs wholly in compiled code. ``values`` is the cache G (K, T, D), ``links`` its calendar (K, T).
"""

import numpy as np
from numba import uint64

from sampler.kernels.calendar import file_all_under, find_due, open_bucket, turn_page
from sampler.kernels.chains import (
    INDEX_STREAM,
    NOISE_STREAM,
    begin_epoch,
    land,
    langevin_point,
    run_length,
    squared_distance,
    take_normals,
)
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.lanes import LANES
from sampler.kernels.rng import GOLDEN, indices_at


@kernel()
def next_batch(chains, k, t, out):
    """Batch of chain k's next step, without taking it."""
    indices_at(chains.rng[k, INDEX_STREAM, 0], t, out)


@kernel()
def opens_at_checkpoint(chains, k, t, knobs):
    """Will epoch t start at the checkpoint? Changes nothing (same rule as chains.begin_epoch)."""
    fresh_checkpoint = ((t - 1) & (t - 2)) == 0 or t == 1
    far = squared_distance(chains.position[k], chains.checkpoint[k]) * (t + knobs.offset) > knobs.acceptance_radius**2
    return knobs.reset and far and not fresh_checkpoint


@kernel(REORDER)
def open_epoch(chains, values, links, k, t, knobs, rebuild, center, data, fresh, counts):
    """Lines 1-5 of LMV-n Algorithm 2 for chain k, given the gradients ``fresh`` of ``data`` at its start.

    ``data`` holds the new datum first, then what is due.
    """
    begin_epoch(chains, k, t, knobs, center)
    values[k, t - 1, :] = 0.0
    open_bucket(links[k], t)
    if knobs.refresh:
        turn_page(links[k], t, rebuild)
    for j in range(data.size):
        for q in range(fresh.shape[1]):
            chains.gradient_sum[k, q] += fresh[j, q] - values[k, data[j], q]
            values[k, data[j], q] = fresh[j, q]
    counts[0] += data.size
    counts[1] += chains.was_reset[k]
    counts[2] += data.size - 1


@kernel(REORDER)
def step(lanes, mask, chains, values, links, k, t, knobs, batch, fresh, prior, center, trace):
    """One step of LMV-n Algorithm 1 by chain k, given its batch's ``fresh`` gradients (b, d) and the prior's (d,)."""
    x, s = chains.position[k], chains.gradient_sum[k]
    dim, b = prior.size, batch.size
    scale, step_size = t / b, knobs.eta0 / (t + knobs.offset)
    guess, gradient = np.zeros(dim), np.zeros(LANES * len(lanes))
    for j in range(b):
        for q in range(dim):
            guess[q] += fresh[j, q]
            gradient[q] += fresh[j, q] - values[k, batch[j], q]
    for q in range(dim):
        guess[q] = prior[q] + scale * guess[q]
        gradient[q] = prior[q] + s[q] + scale * gradient[q] if knobs.variance_reduction else guess[q]
    at = take_normals(chains.rng[k, NOISE_STREAM], chains.noise[k], chains.noise_at, k, dim)
    if trace.size > 0:
        for q in range(dim):
            trace[0, q], trace[1, q], trace[2, q] = x[q], guess[q], gradient[q] - guess[q]
            trace[3, q] = np.sqrt(2.0 * step_size) * chains.noise[k, at + q]
    size = langevin_point(lanes, x, gradient, step_size, mask, chains.noise[k], at)
    for j in range(b):  # a repeated index finds its fresh gradient cached already and adds nothing
        datum = batch[j]
        for q in range(dim):
            s[q] += fresh[j, q] - values[k, datum, q]
            values[k, datum, q] = fresh[j, q]
        links[k, datum].touched = t
    chains.rng[k, INDEX_STREAM, 0] += uint64(b) * GOLDEN
    return land(lanes, chains, k, t, x, gradient, size, center)


@kernel(REORDER)
def _gaussian_gradients(rows, indices, x, out):
    """2 (x - y_k) for each index."""
    for j in range(indices.size):
        for q in range(out.shape[1]):
            out[j, q] = 2.0 * (x[q] - rows[indices[j], q])


@kernel(REORDER)
def _gaussian_steps(lanes, mask, rows, chains, values, links, k, t, knobs, n, center, trace):
    """Up to n steps of chain k for GaussianMean; returns the number made."""
    dim = rows.shape[1]
    batch, fresh, prior = np.empty(knobs.batch_size, np.int64), np.empty((knobs.batch_size, dim)), np.zeros(dim)
    for i in range(n):
        next_batch(chains, k, t, batch)
        _gaussian_gradients(rows, batch, chains.position[k], fresh)
        row = trace[i] if trace.shape[0] else np.empty((0, 0))
        if not step(lanes, mask, chains, values, links, k, t, knobs, batch, fresh, prior, center, row):
            return i + 1
    return n


@kernel(REORDER)
def advance_gaussian(lanes, mask, rows, chains, values, links, t, knobs, n, center, traced, trace, counts):
    """Up to n steps in every unfinished chain for GaussianMean; all done?"""
    done = True
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        if left > 0:
            made = _gaussian_steps(lanes, mask, rows, chains, values, links, k, t, knobs, min(n, left), center,
                                   trace if k == traced else np.empty((0, 4, 0)))
            counts[0] += made * knobs.batch_size
            counts[3] += made
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done


@kernel(REORDER)
def arrive_gaussian(rows, chains, values, links, t, knobs, rebuild, center, scratch, counts):
    """Open epoch t in every chain for GaussianMean."""
    for k in range(chains.position.shape[0]):
        scratch[0] = t - 1
        n = 1 + (find_due(links[k], t, rebuild, scratch[1:]) if knobs.refresh else 0)
        fresh = np.empty((n, rows.shape[1]))
        start = chains.checkpoint[k] if opens_at_checkpoint(chains, k, t, knobs) else chains.position[k]
        _gaussian_gradients(rows, scratch[:n], start, fresh)
        open_epoch(chains, values, links, k, t, knobs, rebuild, center, scratch[:n], fresh, counts)


@kernel(REORDER)
def rebuild_chain(chains, values, links, k, t, fresh):
    """All t cached gradients of chain k replaced by ``fresh`` (t, d), the sum from nothing."""
    chains.gradient_sum[k, :] = 0.0
    for datum in range(t):
        for q in range(fresh.shape[1]):
            values[k, datum, q] = fresh[datum, q]
            chains.gradient_sum[k, q] += fresh[datum, q]
    file_all_under(links[k], t)
