"""Full gradients and Langevin steps for one-score models on K chains, and draws of the Laplace samplers."""

import numpy as np

from sampler.kernels.chains import NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.langevin_step import begin_epoch, land, langevin_point, run_length, take_normals
from sampler.kernels.rng import fast_exp
from sampler.kernels.simd_lanes import LANES, gathered_dots, gathered_sum

LOGISTIC, LINEAR, POISSON = 0, 1, 2  # ``kind_code`` of the problems


@kernel(fastmath={"contract", "arcp", "nsz"})
def means_inplace(kind, scores):
    """Replace scores by mean(score), in loops without branches that vectorise."""
    if kind == LOGISTIC:
        for j in range(scores.size):
            scores[j] = 1.0 / (1.0 + fast_exp(-scores[j]))
    elif kind == POISSON:
        for j in range(scores.size):
            scores[j] = fast_exp(scores[j])


@kernel(REORDER, inner=True)
def mean_at(kind, rows, datum, x, one):
    """Return mean(score) of one datum at x; ``one`` (1,) is scratch."""
    total = 0.0
    for q in range(x.size):
        total += rows[datum, q] * x[q]
    one[0] = total
    means_inplace(kind, one)
    return one[0]


@kernel(REORDER)
def full_gradient(lanes, kind, precision, rows, targets, t, x, out, block):
    """Write the gradient of F_t at x into ``out`` (D,), over blocks of rows that fit the first-level cache.

    ``block`` is int64 scratch; its length is the block size.
    """
    size = block.size
    scores, part = np.zeros(-(-size // LANES) * LANES), np.empty(x.size)
    for q in range(x.size):
        out[q] = precision[q] * x[q]
    for start in range(0, t, size):
        n = min(size, t - start)
        for j in range(n):
            block[j] = start + j
        gathered_dots(lanes, rows, block, n, x, scores)
        means_inplace(kind, scores)
        for j in range(n):
            scores[j] -= targets[start + j]
        gathered_sum(lanes, rows, block, n, scores, part)
        for q in range(x.size):
            out[q] += part[q]


BLOCK = 64  # rows whose scores fit the first-level cache; a product of 64 factors in (1, 2] cannot overflow


@kernel(REORDER)
def arrive(chains, t, knobs, center, counts):
    """Begin epoch t in every chain; evaluates no gradient."""
    for k in range(chains.position.shape[0]):
        begin_epoch(chains, k, t, knobs, knobs.reset, center)
        counts[1] += chains.was_reset[k]


@kernel(REORDER)
def advance(lanes, kind, precision, rows, targets, chains, t, knobs, n, center, traced, trace, counts):
    """Take up to n full-gradient steps in every unfinished chain at epoch t; return whether all are done."""
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


@kernel(REORDER)
def draw(lanes, chains, t, mean, root, center, counts):
    """Draw X = mean + root xi once per epoch in every chain; ``root`` is (d, d), or (1, d) for a diagonal."""
    dim, point = mean.size, np.zeros(LANES * len(lanes))
    for k in range(chains.position.shape[0]):
        if chains.steps_done[k] > 0:
            continue
        noise = chains.noise[k]
        at = take_normals(chains.rng[k, NOISE_STREAM], noise, chains.noise_at, k, dim)
        size = 0.0
        for i in range(dim):
            away = root[0, i] * noise[at + i]
            if root.shape[0] == dim:
                away = 0.0
                for j in range(dim):
                    away += root[i, j] * noise[at + j]
            point[i] = mean[i] + away
            size += point[i] * point[i]
        land(lanes, chains, k, t, chains.position[k], point, size, center)
        counts[3] += 1
