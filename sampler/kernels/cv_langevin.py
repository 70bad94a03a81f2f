"""Langevin steps with control variates on batches without replacement, for one-score models on K chains."""

import numpy as np
from numba import int64

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_langevin import means_inplace
from sampler.kernels.langevin_step import land, langevin_point, run_length, take_normals
from sampler.kernels.rng import next_uniform
from sampler.kernels.simd_lanes import LANES, gathered_dots, gathered_sum


@kernel(inner=True)
def reshuffle(rng, order, first, last, t, batch):
    """Draw positions ``first`` to ``last`` - 1 of a random permutation of 0..t-1 into ``batch``.

    An incremental Fisher-Yates shuffle of ``order``, which may start from any permutation at position 0.
    """
    for j in range(first, last):
        other = j + int64(next_uniform(rng) * (t - j))
        drawn = order[other]
        order[other], order[j] = order[j], drawn
        batch[j - first] = drawn


@kernel(REORDER)
def advance(lanes, kind, precision, rows, point, gradient, means, order, chains, t, knobs, n, center, traced, trace, counts):
    """Take up to n steps in every unfinished chain at epoch t; return whether all are done.

    ``point`` (D,) is the control point, ``gradient`` (D,) the gradient of F_t there, ``means`` (t,) the data's mean(score)
    there. The first t entries of each row of ``order`` (K, >= t), int32, are a permutation of 0..t-1.
    """
    done, width = True, LANES * len(lanes)
    prior, mask = precision[0], precision[1]
    dim, step_size = np.int64(mask.sum()), knobs.eta0 / (t + knobs.offset)
    batches = -(-t // knobs.batch_size)
    size = -(-t // batches)
    batch, scores = np.empty(size, np.int64), np.zeros(-(-size // LANES) * LANES)
    change, ahead = np.empty(width), np.empty(width)
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        x, noise = chains.position[k], chains.noise[k]
        for i in range(min(n, left)):
            turn = chains.steps_done[k] % batches
            first, last = turn * t // batches, (turn + 1) * t // batches
            reshuffle(chains.rng[k, INDEX_STREAM], order[k], first, last, t, batch)
            gathered_dots(lanes, rows, batch, last - first, x, scores)
            means_inplace(kind, scores)
            for j in range(last - first):
                scores[j] -= means[batch[j]]
            gathered_sum(lanes, rows, batch, last - first, scores, change)
            at = take_normals(chains.rng[k, NOISE_STREAM], noise, chains.noise_at, k, dim)
            for q in range(width):
                guess, correction = gradient[q] + prior[q] * (x[q] - point[q]), batches * change[q]
                ahead[q] = guess + correction
                if k == traced and q < dim:
                    trace[i, 0, q], trace[i, 1, q], trace[i, 2, q] = x[q], guess, correction
                    trace[i, 3, q] = np.sqrt(2.0 * step_size) * noise[at + q]
            squared = langevin_point(lanes, x, ahead, step_size, mask, noise, at)
            counts[0] += last - first
            counts[3] += 1
            if not land(lanes, chains, k, t, x, ahead, squared, center):
                break
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done
