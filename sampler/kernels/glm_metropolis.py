"""Metropolis-Hastings steps for one-score models on K chains: Langevin (MALA) or random-walk proposals."""

import numpy as np

from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm_langevin import BLOCK, LINEAR, LOGISTIC, means_inplace
from sampler.kernels.langevin_step import FAR, land, run_length, take_normals
from sampler.kernels.rng import fast_exp, next_uniform
from sampler.kernels.simd_lanes import LANES, gathered_dots, gathered_sum, set_vector

ACCEPT_STREAM = INDEX_STREAM  # these chains draw no batches


@kernel(REORDER, inner=True)
def _losses(kind, scores, targets, start, n):
    """Return the sum of f_k over n rows from ``start``, up to a constant."""
    total = 0.0
    if kind == LOGISTIC:  # log(1 + e^z) = max(z, 0) + log(1 + e^-|z|), with one logarithm per block
        factor = 1.0
        for j in range(n):
            total += max(scores[j], 0.0)
            factor *= 1.0 + fast_exp(-abs(scores[j]))
        return total + np.log(factor)
    for j in range(n):
        z, target = scores[j], targets[start + j]
        total += 0.5 * (z - target) ** 2 if kind == LINEAR else fast_exp(z) - target * z
    return total


@kernel(REORDER)
def potentials(lanes, kind, prior, rows, targets, t, points, with_gradients, values, gradients):
    """Write F_t up to a constant at ``points`` (n, D) into ``values`` (n,), O(n t D).

    ``gradients`` (n, D) receives its gradients if ``with_gradients``, else the prior's part only. Rows are read in blocks.
    """
    scores, block, part = np.zeros(BLOCK), np.empty(BLOCK, np.int64), np.empty(prior.size)
    for i in range(points.shape[0]):
        values[i] = 0.0
        for q in range(prior.size):
            gradients[i, q] = prior[q] * points[i, q]
            values[i] += 0.5 * prior[q] * points[i, q] * points[i, q]
    for start in range(0, t, BLOCK):
        n = min(BLOCK, t - start)
        for j in range(n):
            block[j] = start + j
        for i in range(points.shape[0]):
            gathered_dots(lanes, rows, block, n, points[i], scores)
            values[i] += _losses(kind, scores, targets, start, n)
            if with_gradients:
                means_inplace(kind, scores)
                for j in range(n):
                    scores[j] -= targets[start + j]
                gathered_sum(lanes, rows, block, n, scores, part)
                for q in range(prior.size):
                    gradients[i, q] += part[q]


@kernel(REORDER, inner=True)
def _steps(lanes, kind, precision, rows, targets, chains, k, t, step_size, n, center, langevin, values, gradients,
           accepted, trace):
    """Take n steps of chain k: propose X - eta g + sqrt(2 eta) xi (g = 0 unless ``langevin``), then accept or reject."""
    width, dim = LANES * len(lanes), np.int64(precision[1].sum())
    x, gradient, noise, scale = chains.position[k], gradients[k], chains.noise[k], np.sqrt(2.0 * step_size)
    drift = step_size if langevin else 0.0
    points, aheads, value = np.empty((1, width)), np.empty((1, width)), np.empty(1)
    point, ahead = points[0], aheads[0]
    for i in range(n):
        at = take_normals(chains.rng[k, NOISE_STREAM], noise, chains.noise_at, k, dim)
        size = there = back = 0.0
        for q in range(width):
            xi = precision[1, q] * noise[at + q]
            point[q] = x[q] - drift * gradient[q] + scale * xi
            there += xi * xi
            size += point[q] * point[q]
        if trace.size > 0:
            for q in range(dim):
                trace[i, 0, q], trace[i, 1, q] = x[q], gradient[q] if langevin else 0.0
                trace[i, 3, q] = scale * noise[at + q]
        potentials(lanes, kind, precision[0], rows, targets, t, points, langevin, value, aheads)
        log_ratio = values[k] - value[0]
        if langevin:  # y - x + eta g(x) is sqrt(2 eta) xi, so only the reverse proposal needs a norm
            for q in range(width):
                back += (x[q] - point[q] + step_size * ahead[q]) ** 2
            log_ratio -= back / (4.0 * step_size) - 0.5 * there
        # A nan ratio compares false and rejects.
        if np.log(next_uniform(chains.rng[k, ACCEPT_STREAM])) < log_ratio and size < FAR:
            land(lanes, chains, k, t, x, point, size, center)
            set_vector(gradient, ahead)
            values[k] = value[0]
            accepted[k] += 1
        else:
            chains.steps_done[k] += 1


@kernel(REORDER)
def advance(lanes, kind, precision, rows, targets, chains, t, knobs, n, center, langevin, values, gradients, accepted,
            traced, trace, counts):
    """Take up to n steps in every unfinished chain at epoch t; return whether all are done."""
    done, no_trace, step_size = True, np.empty((0, 4, 0)), knobs.eta0 / (t + knobs.offset)
    for k in range(chains.position.shape[0]):
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        if left > 0:
            _steps(lanes, kind, precision, rows, targets, chains, k, t, step_size, min(n, left), center, langevin,
                   values, gradients, accepted, trace if k == traced else no_trace)
            counts[0] += min(n, left) * t
            counts[3] += min(n, left)
        done &= left <= n
    return done
