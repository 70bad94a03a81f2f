"""SAGA-LD for terms with any gradient: the cache holds one vector a datum a chain.

The gradients themselves come from outside, a batch at a time, by calling back; GaussianMean is the one model of this
kind that runs wholly in compiled code. ``values`` is the cache G (K, T, D), ``links`` its calendar (K, T).
"""

import numpy as np
from numba import uint64

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.checkpoint_and_reset import begin_epoch, opens_at_checkpoint
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.lanes import LANES, aligned_empty
from sampler.kernels.langevin_step import FAR, count_steps, land, langevin_point, squared_distance, take_normals
from sampler.kernels.python_callback import call_back
from sampler.kernels.refresh_calendar import file_all_under, find_due, open_bucket, turn_page
from sampler.kernels.rng import fill_normal, indices_at
from sampler.kernels.run_length import run_length


@kernel()
def next_batch(chains, k, t, out):
    """Batch of chain k's next step, without taking it."""
    indices_at(chains.rng[k, INDEX_STREAM, 0], chains.rng[k, INDEX_STREAM, 1], t, out)


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
def _gaussian_gradients(rows, indices, x, out):
    """2 (x - y_k) for each index."""
    for j in range(indices.size):
        for q in range(out.shape[1]):
            out[j, q] = 2.0 * (x[q] - rows[uint64(indices[j]), q])


@kernel(REORDER)
def _add_up(fresh, prior, scale, out):
    """SGLD's gradient: the prior's and the batch's own, scaled."""
    for q in range(prior.size):
        total = 0.0
        for j in range(fresh.shape[0]):
            total += fresh[j, q]
        out[q] = prior[q] + scale * total


@kernel(REORDER)
def _add_differences(cache, indices, fresh, prior, s, scale, out):
    """SAGA's gradient: the prior's, s, and the batch's differences from the cache, scaled."""
    out[:] = 0.0
    for j in range(indices.size):
        datum = uint64(indices[j])  # unsigned: no test for an index from the end
        for q in range(uint64(prior.size)):
            out[q] += fresh[j, q] - cache[datum, q]
    for q in range(prior.size):
        out[q] = prior[q] + s[q] + scale * out[q]


@kernel(REORDER)
def _write_back(cache, links, indices, fresh, t, s):
    """Cache the fresh gradients, s with them; a repeated index finds its own cached already and adds nothing."""
    for j in range(indices.size):
        datum = uint64(indices[j])
        for q in range(uint64(fresh.shape[1])):
            s[q] += fresh[j, q] - cache[datum, q]
            cache[datum, q] = fresh[j, q]
        links[datum].touched = t


@kernel(REORDER)
def step(lanes, mask, chains, values, links, k, t, knobs, batch, fresh, prior, center, trace):
    """One step of LMV-n Algorithm 1 by chain k, given its batch's ``fresh`` gradients (b, d) and the prior's (d,)."""
    x, s = chains.position[k], chains.gradient_sum[k]
    dim, scale, step_size = prior.size, t / batch.size, knobs.eta0 / (t + knobs.offset)
    guess, gradient = np.zeros(dim), np.zeros(LANES * len(lanes))
    if trace.size > 0 or not knobs.variance_reduction:
        _add_up(fresh, prior, scale, guess)
    if knobs.variance_reduction:
        _add_differences(values[k], batch, fresh, prior, s, scale, gradient)
    else:
        gradient[:dim] = guess
    at = take_normals(chains.rng[k, NOISE_STREAM], chains.noise[k], chains.noise_at, k, dim)
    if trace.size > 0:
        for q in range(dim):
            trace[0, q], trace[1, q], trace[2, q] = x[q], guess[q], gradient[q] - guess[q]
            trace[3, q] = np.sqrt(2.0 * step_size) * chains.noise[k, at + q]
    size = langevin_point(lanes, x, gradient, step_size, mask, chains.noise[k], at)
    _write_back(values[k], links[k], batch, fresh, t, s)
    chains.rng[k, INDEX_STREAM, 0] += uint64(batch.size) * chains.rng[k, INDEX_STREAM, 1]
    return land(lanes, chains, k, t, x, gradient, size, center)


@kernel(REORDER)
def _steps(lanes, mask, rows, chains, values, links, k, t, knobs, n, center, trace, asked):
    """Up to n steps of LMV-n Algorithm 1 by chain k, gradients ``asked`` for or GaussianMean's.

    Returns the number made: fewer than n if the chain diverged; -1 minus it if asking failed. What the loop needs is
    taken out of the tuples before it: an array of theirs named inside costs two atomic reference counts.
    """
    x, s, cache, own_links = chains.position[k], chains.gradient_sum[k], values[k], links[k]
    farthest = chains.farthest[k]
    index_rng, noise_rng = chains.rng[k, INDEX_STREAM], chains.rng[k, NOISE_STREAM]
    counter, increment = index_rng[0], index_rng[1]
    noise, noise_at = chains.noise[k], chains.noise_at[k]
    block = noise[:noise.size - LANES]
    batch, theta, fresh, prior = asked.batch, asked.theta, asked.fresh, asked.prior
    b, dim, width = batch.size, prior.size, LANES * len(lanes)
    scale, step_size, stride = t / b, knobs.eta0 / (t + knobs.offset), uint64(b) * increment
    guess, gradient = aligned_empty(width), aligned_empty(width)
    guess[:] = 0.0  # the padding too
    guessing, failed = not knobs.variance_reduction or trace.size > 0, False
    made, sound = 0, True
    while sound and made < n:
        indices_at(counter, increment, t, batch)
        if asked.address:
            for q in range(dim):
                theta[q] = x[q]
            if not call_back(asked.address):
                failed = True
                break
        else:
            _gaussian_gradients(rows, batch, x, fresh)
        if guessing:
            _add_up(fresh, prior, scale, guess)
        if knobs.variance_reduction:
            _add_differences(cache, batch, fresh, prior, s, scale, gradient)
        else:
            gradient[:] = guess
        if noise_at + dim > block.size:
            fill_normal(noise_rng, block)
            noise_at = 0
        if trace.size > 0:
            for q in range(dim):
                trace[made, 0, q], trace[made, 1, q], trace[made, 2, q] = x[q], guess[q], gradient[q] - guess[q]
                trace[made, 3, q] = np.sqrt(2.0 * step_size) * noise[noise_at + q]
        size = langevin_point(lanes, x, gradient, step_size, mask, noise, noise_at)
        _write_back(cache, own_links, batch, fresh, t, s)
        counter += stride
        noise_at += dim
        made += 1
        sound = size < FAR
        if sound:
            for q in range(width):
                x[q] = gradient[q]
            if center.size:
                farthest = max(farthest, squared_distance(x, center))
    chains.rng[k, INDEX_STREAM, 0], chains.noise_at[k], chains.farthest[k] = counter, noise_at, farthest
    count_steps(chains, k, t, made, sound)
    return -1 - made if failed else made


@kernel(REORDER)
def advance(lanes, mask, rows, chains, values, links, t, knobs, n, center, traced, trace, asked, counts):
    """Up to n steps in every unfinished chain; all done? Stops at once when asking for gradients fails."""
    done, no_trace = True, np.empty((0, 4, 0))
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        if left > 0:
            made = _steps(lanes, mask, rows, chains, values, links, k, t, knobs, min(n, left), center,
                          trace if k == traced else no_trace, asked)
            failed = made < 0
            made = -1 - made if failed else made
            counts[0] += made * knobs.batch_size
            counts[3] += made
            if failed:
                return False
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
