"""Preconditioned SAGA-LD for terms with any gradient: vector_saga's epochs and steps in whitened coordinates.

The metric is a `Whitening` (dense) or a `LowRankMetric`; numba knows which by the length of the tuple, so that the branch
not taken is never compiled.
"""

import numpy as np
from numba import uint64

from sampler.kernels import low_rank_metric
from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.checkpoint_and_reset import new_checkpoint
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.lanes import LANES
from sampler.kernels.langevin_step import FAR, count_steps, squared_distance
from sampler.kernels.python_callback import call_back
from sampler.kernels.refresh_calendar import find_due
from sampler.kernels.rng import fill_normal, indices_at
from sampler.kernels.run_length import run_length
from sampler.kernels.user_gradient_saga import call_gradients, call_prior
from sampler.kernels.vector_saga import _add_differences, _add_up, _gaussian_gradients, _write_back, open_epoch
from sampler.kernels.whitening import DENSE, set_matrix, squared_norm_in

SQRT_8 = np.sqrt(8.0)
TEST_FROM = 8  # in units of d, as for one-score models


@kernel(REORDER)
def _multiply(matrix, vector, out):
    """Out = matrix vector; both padded."""
    for i in range(matrix.shape[0]):
        total = 0.0
        for q in range(matrix.shape[1]):
            total += matrix[i, q] * vector[q]
        out[i] = total


@kernel(REORDER)
def whiten(metric, k, gradient, white):
    """White = W gradient, gradient (D,)."""
    if len(metric) == DENSE:
        _multiply(metric.whitener[k], gradient, white)
    else:
        for q in range(white.size):
            white[q] = metric.short[k, q] * gradient[q]
        low_rank_metric.lengthen(metric.basis[k], metric.pull[k], white)


@kernel(REORDER)
def unwhiten(metric, k, white, out):
    """Out = W' white, (D,); white is scratch afterwards."""
    if len(metric) == DENSE:
        whitener = metric.whitener[k]
        out[:] = 0.0
        for i in range(whitener.shape[0]):
            for q in range(whitener.shape[1]):
                out[q] += white[i] * whitener[i, q]
    else:
        low_rank_metric.lengthen(metric.basis[k], metric.pull[k], white)
        for q in range(out.size):
            out[q] = metric.short[k, q] * white[q]


@kernel()
def sent_back(chains, metric, k, t, reset, radius):
    """Will chain k open epoch t at its checkpoint? Changes nothing."""
    if not reset or new_checkpoint(t) or not metric.trusted[k]:
        return False
    x, checkpoint = chains.position[k], chains.checkpoint[k]
    if len(metric) == DENSE:
        away = squared_norm_in(metric.frozen[k], x, checkpoint)
    else:
        away = low_rank_metric.frozen_distance(metric, k, x, checkpoint)
    return away > radius**2


@kernel()
def open_in_metric(chains, values, links, metric, k, t, knobs, back, rebuild, center, data, fresh, prior, counts):
    """Open epoch t in chain k: checkpoint and its metric, warm start or return, gradients ``fresh`` of ``data``.

    ``prior`` (D,) is grad f_0 at X^{t-1}; ``back`` is what `sent_back` said; ``knobs`` has its own reset off.
    """
    dim, looks = values.shape[2], False
    if new_checkpoint(t) and t > TEST_FROM * dim:
        gradient, white, size = np.zeros(prior.size), np.zeros(prior.size), 0.0
        for q in range(prior.size):
            gradient[q] = prior[q] + chains.gradient_sum[k, q]
        whiten(metric, k, gradient, white)
        for q in range(dim):
            size += white[q] * white[q]
        looks = size <= knobs.acceptance_radius**2 / 8.0
    open_epoch(chains, values, links, k, t, knobs, rebuild, center, data, fresh, counts)
    if new_checkpoint(t):
        metric.trusted[k] = looks
        if len(metric) == DENSE:
            set_matrix(metric.frozen[k], 1.0, metric.precision[k])
        else:
            low_rank_metric.freeze(metric, k)
    if back:
        chains.position[k, :] = chains.checkpoint[k]
        chains.was_reset[k], metric.trusted[k] = True, False
        chains.farthest[k] = squared_distance(chains.position[k], center) if center.size else 0.0
        counts[1] += 1


@kernel(REORDER)
def arrive_gaussian(rows, chains, values, links, metric, t, knobs, reset, rebuild, center, scratch, counts):
    """Open epoch t in every chain for GaussianMean, whose H is 2 t I."""
    prior = np.zeros(chains.position.shape[1])
    for k in range(chains.position.shape[0]):
        back = sent_back(chains, metric, k, t, reset, knobs.acceptance_radius)
        scratch[0] = t - 1
        n = 1 + (find_due(links[k], t, rebuild, scratch[1:]) if knobs.refresh else 0)
        fresh = np.empty((n, rows.shape[1]))
        _gaussian_gradients(rows, scratch[:n], chains.checkpoint[k] if back else chains.position[k], fresh)
        open_in_metric(chains, values, links, metric, k, t, knobs, back, rebuild, center, scratch[:n], fresh, prior,
                       counts)
        for q in range(rows.shape[1]):
            metric.short[k, q] = 1.0 / np.sqrt(2.0 * t)


@kernel(REORDER)
def _step(chains, values, links, metric, k, t, knobs, asked, center, trace):
    """One step by chain k, given the gradients in ``asked``; is it sound?

    ``trace`` (4, d) gains the terms in X's own coordinates, or has no row.
    """
    x, s, batch, fresh, prior = chains.position[k], chains.gradient_sum[k], asked.batch, asked.fresh, asked.prior
    dim, width, b = prior.size, chains.position.shape[1], batch.size
    inside = dim if len(metric) == DENSE else width
    gradient, guess, white, point = np.zeros(width), np.zeros(width), np.zeros(inside), np.zeros(width)
    if trace.size > 0 or not knobs.variance_reduction:
        _add_up(fresh, prior, t / b, guess)
    if knobs.variance_reduction:
        _add_differences(values[k], batch, fresh, prior, s, t / b, gradient)
    else:
        gradient[:] = guess
    noise, block = chains.noise[k], chains.noise.shape[1] - LANES
    if chains.noise_at[k] + dim > block:
        fill_normal(chains.rng[k, NOISE_STREAM], noise[:block])
        chains.noise_at[k] = 0
    at, scale = chains.noise_at[k], np.sqrt(2.0 * knobs.eta0)
    if trace.size > 0:
        _record(metric, k, x, gradient, guess, noise, at, scale, trace)
    whiten(metric, k, gradient, white)
    for q in range(dim):
        white[q] = scale * noise[uint64(at + q)] - knobs.eta0 * white[q]
    unwhiten(metric, k, white, point)
    size = 0.0
    for q in range(width):
        point[q] += x[q]
        size += point[q] * point[q]
    _write_back(values[k], links[k], batch, fresh, t, s)
    chains.rng[k, INDEX_STREAM, 0] += uint64(b) * chains.rng[k, INDEX_STREAM, 1]
    chains.noise_at[k] = at + dim
    sound = size < FAR
    if sound:
        x[:] = point
        if center.size:
            chains.farthest[k] = max(chains.farthest[k], squared_distance(x, center))
    count_steps(chains, k, t, 1, sound)
    return sound


@kernel(REORDER)
def _record(metric, k, x, gradient, guess, noise, at, scale, trace):
    """One step's terms: before, P guess, P correction, noise, into ``trace`` (4, d)."""
    dim, width = trace.shape[1], x.size
    inside = dim if len(metric) == DENSE else width
    white, part = np.zeros(inside), np.zeros(width)
    trace[0, :] = x[:dim]
    whiten(metric, k, guess, white)
    unwhiten(metric, k, white, part)
    trace[1, :] = part[:dim]
    whiten(metric, k, gradient, white)
    unwhiten(metric, k, white, part)
    trace[2, :] = part[:dim] - trace[1]
    white[:] = 0.0
    for q in range(dim):
        white[q] = scale * noise[at + q]
    unwhiten(metric, k, white, part)
    trace[3, :] = part[:dim]


@kernel(REORDER)
def _ask(rows, function, prior_function, data, asked, x):
    """Gradients of the batch at x, from GaussianMean, the user's compiled functions or Python; was there an answer?"""
    if function is not None:
        for q in range(asked.theta.size):
            asked.theta[q] = x[q]
        call_gradients(function, asked.batch, asked.theta, data, asked.fresh)
        call_prior(prior_function, asked.theta, asked.prior)
    elif asked.address:
        for q in range(asked.theta.size):
            asked.theta[q] = x[q]
        return call_back(asked.address) != 0
    else:
        _gaussian_gradients(rows, asked.batch, x, asked.fresh)
    return True


@kernel(REORDER)
def advance(rows, function, prior_function, data, chains, values, links, metric, t, knobs, n, center, traced, trace, asked,
            counts):
    """Up to n steps in every unfinished chain; all done? Stops at once when asking for gradients fails.

    ``function`` and ``prior_function`` are the user's compiled ones, or None.
    """
    done, no_trace = True, np.empty((0, 0))
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        for i in range(min(n, left)):
            indices_at(chains.rng[k, INDEX_STREAM, 0], chains.rng[k, INDEX_STREAM, 1], t, asked.batch)
            if not _ask(rows, function, prior_function, data, asked, chains.position[k]):
                return False
            counts[0] += knobs.batch_size
            counts[3] += 1
            if not _step(chains, values, links, metric, k, t, knobs, asked, center, trace[i] if k == traced else no_trace):
                break
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done
