"""SGLD steps on K chains: one-score models and the Gaussian mean, with SAGA-LD's own batches and noise."""

import numpy as np
from numba import uint64

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM, land, langevin_point, run_length, take_normals
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm import means_inplace
from sampler.kernels.lanes import LANES, gathered_dots, gathered_sum, prefetch
from sampler.kernels.rng import GOLDEN, fill_index, indices_at

OUT_OF_CACHE = 50_000  # data beyond which rows are asked for ahead of time
AHEAD = uint64(2)  # steps ahead
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
def _ask_ahead(lanes, rows, counter, t, batch):
    """Ask the memory for the rows of the batch at ``counter``, which is ``AHEAD`` steps away."""
    indices_at(counter, t, batch)
    for j in range(batch.size):
        for lane in range(len(lanes)):
            prefetch(rows, batch[j], lane * LANES)


@kernel(REORDER)
def _steps(lanes, kind, precision, rows, targets, chains, k, t, knobs, n, center, trace):
    """Up to n steps of chain k at epoch t; returns the number made (fewer if it diverged)."""
    width, b = LANES * len(lanes), knobs.batch_size
    x, noise, noise_rng, index_rng = (
        chains.position[k], chains.noise[k], chains.rng[k, NOISE_STREAM], chains.rng[k, INDEX_STREAM])
    dim, step_size = np.int64(precision[1].sum()), knobs.eta0 / (t + knobs.offset)
    batch, later, scores = np.empty(b, np.int64), np.empty(b, np.int64), np.zeros(-(-b // LANES) * LANES)
    point = np.zeros(width)
    for i in range(n):
        fill_index(index_rng, t, batch)
        if kind == GAUSSIAN_MEAN:
            _gaussian_gradient(rows, t, x, batch, point)
        else:
            if t > OUT_OF_CACHE:
                _ask_ahead(lanes, rows, index_rng[0] + (AHEAD - uint64(1)) * uint64(b) * GOLDEN, t, later)
            _batch_gradient(lanes, kind, precision, rows, targets, t, x, batch, scores, point)
        at = take_normals(noise_rng, noise, chains.noise_at, k, dim)
        if trace.size > 0:
            for q in range(dim):
                trace[i, 0, q], trace[i, 1, q] = x[q], point[q]
                trace[i, 3, q] = np.sqrt(2.0 * step_size) * noise[at + q]
        size = langevin_point(lanes, x, point, step_size, precision[1], noise, at)
        if not land(lanes, chains, k, t, x, point, size, center):
            return i + 1
    return n


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
