"""SAGA-LD for terms with any gradient, plain or preconditioned: the cache holds one vector per datum and chain.

Gradients of a batch come from a Python callback, from compiled functions of the user, or from GaussianMean, the library's
only model of this kind. ``values`` is the cache G (K, T, D), ``links`` its calendar (K, T). ``cache`` is both, or () for
SGLD, which caches nothing and requires variance reduction off. ``metric`` is () for the plain sampler; see
kernels.preconditioned_steps for the preconditioned one.
"""

import numpy as np
from numba import uint64

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.langevin_step import FAR, begin_epoch, count_steps, langevin_point, run_length, squared_distance
from sampler.kernels.preconditioned_steps import begin_in_metric, opens_at_checkpoint, record_in_metric, unwhiten, whiten
from sampler.kernels.python_callback import call_back, call_gradients, call_prior
from sampler.kernels.refresh_calendar import file_all_under, find_due, open_bucket, refile_due
from sampler.kernels.rng import fill_normal, indices_at
from sampler.kernels.simd_lanes import LANES, LINE, aligned_empty, set_vector


@kernel(REORDER)
def open_epoch(chains, values, links, metric, k, t, knobs, rebuild, center, data, fresh, prior, counts):
    """Run lines 1-5 of LMV-n Algorithm 2 for chain k, with the gradients ``fresh`` of ``data`` at its start.

    ``data`` has the new datum first, then those due for a refresh; the caller counts their evaluation. ``prior`` (D,)
    is grad f_0 at X^{t-1}, for a metric.
    """
    if len(metric) == 0:
        begin_epoch(chains, k, t, knobs, knobs.reset, center)
    else:
        begin_in_metric(chains, metric, k, t, values.shape[2], knobs, prior, center)
    values[k, t - 1, :] = 0.0
    open_bucket(links[k], t)
    if knobs.refresh:
        refile_due(links[k], t, rebuild)
    for j in range(data.size):
        for q in range(fresh.shape[1]):
            chains.gradient_sum[k, q] += fresh[j, q] - values[k, data[j], q]
            values[k, data[j], q] = fresh[j, q]
    counts[1] += chains.was_reset[k]
    counts[2] += data.size - 1


@kernel(REORDER)
def gaussian_gradients(rows, indices, x, out):
    """Write 2 (x - y_k) for each index into ``out`` (b, d)."""
    for j in range(indices.size):
        for q in range(out.shape[1]):
            out[j, q] = 2.0 * (x[q] - rows[uint64(indices[j]), q])


@kernel(REORDER, inner=True)
def _add_up(fresh, prior, scale, out):
    """Write SGLD's gradient into ``out``: prior plus scaled sum of the batch."""
    for q in range(prior.size):
        total = 0.0
        for j in range(fresh.shape[0]):
            total += fresh[j, q]
        out[q] = prior[q] + scale * total


@kernel(REORDER, inner=True)
def _add_differences(cache, indices, fresh, prior, s, scale, out):
    """Write SAGA's gradient into ``out``: prior plus s plus scaled differences of the batch from the cache."""
    out[:] = 0.0
    for j in range(indices.size):
        datum = uint64(indices[j])  # unsigned: no branch for negative indices
        for q in range(uint64(prior.size)):
            out[q] += fresh[j, q] - cache[datum, q]
    for q in range(prior.size):
        out[q] = prior[q] + s[q] + scale * out[q]


@kernel(REORDER, inner=True)
def _write_back(cache, links, indices, fresh, t, s):
    """Cache the fresh gradients and update their sum s; a repeated index changes nothing the second time."""
    for j in range(indices.size):
        datum = uint64(indices[j])
        for q in range(uint64(fresh.shape[1])):
            s[q] += fresh[j, q] - cache[datum, q]
            cache[datum, q] = fresh[j, q]
        links[datum].touched = t


@kernel(REORDER, inner=True)
def _whitened_point(metric, k, x, gradient, eta0, noise, at, dim, white):
    """Replace ``gradient`` by the next point X + W' (-eta_0 W g + sqrt(2 eta_0) xi); return its squared norm."""
    scale, size = np.sqrt(2.0 * eta0), 0.0
    whiten(metric, k, gradient, white)
    for q in range(dim):
        white[q] = scale * noise[uint64(at + q)] - eta0 * white[q]
    unwhiten(metric, k, white, gradient)
    for q in range(gradient.size):
        gradient[q] += x[q]
        size += gradient[q] * gradient[q]
    return size


@kernel(REORDER, inner=True)
def _steps(lanes, mask, rows, function, prior_function, data, buffers, chains, cache, metric, k, t, knobs, n, center,
           trace):
    """Take up to n steps of LMV-n Algorithm 1 with chain k; gradients by compiled functions, callback or GaussianMean.

    Return the number made, fewer than n if the chain diverged, or -1 minus it if the callback failed. Arrays are taken
    out of the tuples before the loop: each access inside it costs two atomic reference counts.
    """
    x, s, farthest = chains.position[k], chains.gradient_sum[k], chains.farthest[k]
    if len(cache) != 0:
        values, links = cache[0][k], cache[1][k]
    index_rng, noise_rng = chains.rng[k, INDEX_STREAM], chains.rng[k, NOISE_STREAM]
    counter, increment = index_rng[0], index_rng[1]
    noise, noise_at = chains.noise[k], chains.noise_at[k]
    block = noise[:noise.size - LINE]
    batch, theta, fresh, prior = buffers.batch, buffers.theta, buffers.fresh, buffers.prior
    b, dim, width = batch.size, prior.size, LANES * len(lanes)
    scale, stride = t / b, uint64(b) * increment
    step_size = knobs.eta0 / (t + knobs.offset) if len(metric) == 0 else knobs.eta0
    guess, gradient, white = aligned_empty(width), aligned_empty(width), aligned_empty(width)
    guess[:], white[:] = 0.0, 0.0  # including padding
    guessing, failed = not knobs.variance_reduction or trace.size > 0, False
    made, sound = 0, True
    while sound and made < n:
        indices_at(counter, increment, t, batch)
        if function is not None:
            set_vector(theta, x)
            call_gradients(function, batch, theta, data, fresh)
            call_prior(prior_function, theta, prior)
        elif buffers.address:
            set_vector(theta, x)
            if not call_back(buffers.address):
                failed = True
                break
        else:
            gaussian_gradients(rows, batch, x, fresh)
        if guessing:
            _add_up(fresh, prior, scale, guess)
        if len(cache) != 0 and knobs.variance_reduction:
            _add_differences(values, batch, fresh, prior, s, scale, gradient)
        else:
            set_vector(gradient, guess)
        if noise_at + dim > block.size:
            fill_normal(noise_rng, block)
            noise_at = 0
        if len(metric) == 0:
            if trace.size > 0:
                for q in range(dim):
                    trace[made, 0, q], trace[made, 1, q], trace[made, 2, q] = x[q], guess[q], gradient[q] - guess[q]
                    trace[made, 3, q] = np.sqrt(2.0 * step_size) * noise[noise_at + q]
            size = langevin_point(lanes, x, gradient, step_size, mask, noise, noise_at)
        else:
            if trace.size > 0:
                record_in_metric(metric, k, x, gradient, guess, noise, noise_at, np.sqrt(2.0 * step_size), trace[made])
            size = _whitened_point(metric, k, x, gradient, step_size, noise, noise_at, dim, white)
        if len(cache) != 0:
            _write_back(values, links, batch, fresh, t, s)
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
def advance(lanes, mask, rows, function, prior_function, data, buffers, chains, cache, metric, t, knobs, n, center,
            traced, trace, counts):
    """Take up to n steps in every unfinished chain; return whether all are done. Stops if a gradient callback fails.

    ``function`` and ``prior_function`` are the user's compiled functions, or None.
    """
    done, no_trace = True, np.empty((0, 4, 0))
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        if left > 0:
            made = _steps(lanes, mask, rows, function, prior_function, data, buffers, chains, cache, metric, k, t,
                          knobs, min(n, left), center, trace if k == traced else no_trace)
            failed = made < 0
            made = -1 - made if failed else made
            counts[0] += made * knobs.batch_size
            counts[3] += made
            if failed:
                return False
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done


@kernel(REORDER)
def arrive_gaussian(rows, chains, values, links, metric, t, knobs, rebuild, center, scratch, counts):
    """Begin epoch t in every chain for GaussianMean, with H = 2 t I."""
    prior = np.zeros(chains.position.shape[1])
    for k in range(chains.position.shape[0]):
        scratch[0] = t - 1
        n = 1 + (find_due(links[k], t, rebuild, scratch[1:]) if knobs.refresh else 0)
        fresh = np.empty((n, rows.shape[1]))
        start = chains.checkpoint[k] if opens_at_checkpoint(chains, metric, k, t, knobs) else chains.position[k]
        gaussian_gradients(rows, scratch[:n], start, fresh)
        counts[0] += n
        open_epoch(chains, values, links, metric, k, t, knobs, rebuild, center, scratch[:n], fresh, prior, counts)
        if len(metric) != 0:
            for q in range(rows.shape[1]):
                metric.short[k, q] = 1.0 / np.sqrt(2.0 * t)


@kernel(REORDER)
def rebuild_chain(chains, values, links, k, t, fresh):
    """Replace all t cached gradients of chain k by ``fresh`` (t, d) and recompute their sum."""
    chains.gradient_sum[k, :] = 0.0
    for datum in range(t):
        for q in range(fresh.shape[1]):
            values[k, datum, q] = fresh[datum, q]
            chains.gradient_sum[k, q] += fresh[datum, q]
    file_all_under(links[k], t)


@kernel()
def keep_last(gradient_sum, values, links, dropped, t):
    """Shift the caches of all chains by ``dropped`` data, keeping the last t, as `glm_saga.keep_last`."""
    for k in range(gradient_sum.shape[0]):
        gradient_sum[k, :] = 0.0
        for datum in range(t):
            links[k, datum].touched = max(links[k, datum + dropped].touched - dropped, 0)
            links[k, datum].following = -1
            for q in range(values.shape[2]):
                values[k, datum, q] = values[k, datum + dropped, q]
                gradient_sum[k, q] += values[k, datum, q]
