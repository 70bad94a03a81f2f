"""Full-gradient Langevin steps for one-score models on K chains: the O(t) price online SAGA-LD avoids."""

import numpy as np

from sampler.kernels.chains import NOISE_STREAM
from sampler.kernels.checkpoint_and_reset import begin_epoch
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_gradient import full_gradient
from sampler.kernels.lanes import LANES
from sampler.kernels.langevin_step import land, langevin_point, take_normals
from sampler.kernels.run_length import run_length

BLOCK = 64  # rows whose scores fit the first-level cache


@kernel(REORDER)
def arrive(chains, t, knobs, center, counts):
    """Open epoch t in every chain: no gradient is needed."""
    for k in range(chains.position.shape[0]):
        begin_epoch(chains, k, t, knobs, center)
        counts[1] += chains.was_reset[k]


@kernel(REORDER)
def advance(lanes, kind, precision, rows, targets, chains, t, knobs, n, center, traced, trace, counts):
    """Up to n full-gradient steps in every unfinished chain at epoch t; all done?"""
    done, width = True, LANES * len(lanes)
    prior, mask = precision[0], precision[1]
    dim, step_size = np.int64(mask.sum()), knobs.eta0 / (t + knobs.offset)
    point, block = np.empty(width), np.empty(BLOCK, np.int64)
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        x, noise = chains.position[k], chains.noise[k]
        for i in range(min(n, left)):
            full_gradient(lanes, kind, prior, rows, targets, t, x, point, block)
            at = take_normals(chains.rng[k, NOISE_STREAM], noise, chains.noise_at, k, dim)
            if k == traced:
                for q in range(dim):
                    trace[i, 0, q], trace[i, 1, q] = x[q], point[q]
                    trace[i, 3, q] = np.sqrt(2.0 * step_size) * noise[at + q]
            size = langevin_point(lanes, x, point, step_size, mask, noise, at)
            counts[0] += t
            counts[3] += 1
            if not land(lanes, chains, k, t, x, point, size, center):
                break
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done
