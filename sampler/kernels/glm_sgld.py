"""SGLD steps on K chains: one-score models and the Gaussian mean, with SAGA-LD's own batches and noise."""

import numpy as np
from numba import uint64

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_gradient import means_inplace
from sampler.kernels.lanes import LANES, aligned_empty, gathered_dots, gathered_sum, prefetch
from sampler.kernels.langevin_step import FAR, count_steps, langevin_point, squared_distance
from sampler.kernels.rng import fill_normal, indices_at
from sampler.kernels.run_length import run_length

OUT_OF_CACHE = 400_000  # numbers in all rows beyond which the next step's rows are asked for ahead of time
GAUSSIAN_MEAN = -1  # in the place of a model's ``kind_code``


@kernel(REORDER)
def _batch_gradient(lanes, kind, precision, rows, targets, t, x, batch, scores, out):
    """Prior gradient + (t/b) sum of the batch's gradients at x, into ``out`` (D,); ``scores`` is scratch."""
    b = batch.size
    gathered_dots(lanes, rows, batch, b, x, scores)
    means_inplace(kind, scores)
    for j in range(b):
        scores[j] -= targets[batch[j]]
    gathered_sum(lanes, rows, batch, b, scores, out)
    for q in range(LANES * len(lanes)):
        out[q] = precision[0, q] * x[q] + t / b * out[q]


@kernel(REORDER)
def _gaussian_gradient(rows, t, x, batch, out):
    """(t/b) sum over the batch of 2 (x - y_k), into ``out`` (D,)."""
    for q in range(rows.shape[1]):
        total = 0.0
        for j in range(batch.size):
            total += x[q] - rows[batch[j], q]
        out[q] = t / batch.size * 2.0 * total


@kernel()
def _ask_ahead(lanes, rows, indices):
    """Ask the memory for the rows of a batch to come."""
    for j in range(indices.size):
        for lane in range(len(lanes)):
            prefetch(rows, indices[j], lane * LANES)


@kernel(REORDER)
def _steps(lanes, kind, precision, rows, targets, chains, k, t, knobs, n, center, trace):
    """Up to n steps of chain k at epoch t; returns the number made (fewer if it diverged).

    As in glm_saga, what the loop needs of ``chains`` is taken out before it.
    """
    width, b = LANES * len(lanes), knobs.batch_size
    x, farthest, mask = chains.position[k], chains.farthest[k], precision[1]
    index_rng, noise_rng = chains.rng[k, INDEX_STREAM], chains.rng[k, NOISE_STREAM]
    counter, increment = index_rng[0], index_rng[1]
    noise, noise_at = chains.noise[k], chains.noise_at[k]
    block = noise[:noise.size - LANES]
    dim, step_size = np.int64(mask.sum()), knobs.eta0 / (t + knobs.offset)
    batch, later = np.empty(b, np.int64), np.empty(b, np.int64)
    scores, point = aligned_empty(-(-b // LANES) * LANES), aligned_empty(width)
    scores[:], point[:] = 0.0, 0.0
    stride, far = uint64(b) * increment, t * width > OUT_OF_CACHE
    made, sound = 0, True
    while sound and made < n:
        indices_at(counter, increment, t, batch)
        if kind == GAUSSIAN_MEAN:
            _gaussian_gradient(rows, t, x, batch, point)
        else:
            if far:
                indices_at(counter + stride, increment, t, later)
                _ask_ahead(lanes, rows, later)
            _batch_gradient(lanes, kind, precision, rows, targets, t, x, batch, scores, point)
        if noise_at + dim > block.size:
            fill_normal(noise_rng, block)
            noise_at = 0
        if trace.size > 0:
            for q in range(dim):
                trace[made, 0, q], trace[made, 1, q] = x[q], point[q]
                trace[made, 3, q] = np.sqrt(2.0 * step_size) * noise[noise_at + q]
        size = langevin_point(lanes, x, point, step_size, mask, noise, noise_at)
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
def advance(lanes, kind, precision, rows, targets, chains, t, knobs, n, center, traced, trace, counts):
    """Up to n SGLD steps in every unfinished chain at epoch t; all done?"""
    done, no_trace = True, np.empty((0, 4, 0))
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        if left > 0:
            made = _steps(lanes, kind, precision, rows, targets, chains, k, t, knobs, min(n, left), center,
                          trace if k == traced else no_trace)
            counts[0] += made * knobs.batch_size
            counts[3] += made
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done
