"""Epochs and steps in whitened coordinates: the parts of glm_saga and vector_saga that depend on a metric.

With H = L L' the curvature collected so far and W = L^-1, fixed within an epoch, a step is

    v = W g;   X <- X + W' (-eta0 v + sqrt(2 eta0) xi)

which is the SAGA-LD step in y = L' X, with rows W u_k and no division by t + c.

``metric`` is a `Whitening` (dense), a `LowRankWhitening`, a `LowRankMetric`, or () without a metric; the length of the tuple
is a compile-time constant, so that branches not taken cost nothing.
"""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.langevin_step import begin_epoch, new_checkpoint, outside_acceptance_ball, squared_distance
from sampler.kernels.low_rank_metric import follow_low_rank, freeze, frozen_distance, lengthen
from sampler.kernels.simd_lanes import set_vector
from sampler.kernels.whitening import DENSE, factor, follow, set_matrix, squared_norm_in

TEST_FROM = 8  # in units of d: below 8 d data no acceptance test, as the metric is still close to the prior's


@kernel(REORDER, inner=True)
def _multiply(matrix, vector, out):
    """Write matrix @ vector, both padded, into ``out``."""
    for i in range(matrix.shape[0]):
        total = 0.0
        for q in range(matrix.shape[1]):
            total += matrix[i, q] * vector[q]
        out[i] = total


@kernel(REORDER, inner=True)
def whiten(metric, k, gradient, white):
    """Write W gradient, gradient (D,), into ``white``."""
    if len(metric) == DENSE:
        _multiply(metric.whitener[k], gradient, white)
    else:
        for q in range(white.size):
            white[q] = metric.short[k, q] * gradient[q]
        lengthen(metric.basis[k], metric.pull[k], white)


@kernel(REORDER, inner=True)
def unwhiten(metric, k, white, out):
    """Write W' white into ``out`` (D,); overwrites ``white`` in a low-rank metric."""
    if len(metric) == DENSE:
        whitener = metric.whitener[k]
        out[:] = 0.0
        for i in range(whitener.shape[0]):
            for q in range(whitener.shape[1]):
                out[q] += white[i] * whitener[i, q]
    else:
        lengthen(metric.basis[k], metric.pull[k], white)
        for q in range(out.size):
            out[q] = metric.short[k, q] * white[q]


@kernel()
def opens_at_checkpoint(chains, metric, k, t, knobs):
    """Return whether chain k will begin epoch t at its checkpoint, changing nothing."""
    x, checkpoint = chains.position[k], chains.checkpoint[k]
    if not knobs.reset or new_checkpoint(t):
        return False
    if len(metric) == 0:
        return outside_acceptance_ball(x, checkpoint, t, knobs)
    if not metric.trusted[k]:
        return False
    if len(metric) == DENSE:
        away = squared_norm_in(metric.frozen[k], x, checkpoint)
    else:
        away = frozen_distance(metric, k, x, checkpoint)
    return away > knobs.acceptance_radius**2


@kernel(REORDER, inner=True)
def begin_in_metric(chains, metric, k, t, dim, knobs, prior, center):
    """Run `begin_epoch` with the acceptance test in the metric H at the time of the checkpoint.

    A checkpoint is trusted, for one reset, if ||W (grad f_0 + s)|| <= C'/sqrt(8): the cached gradient is then as small as
    for a draw from pi_t. ``prior`` (D,) is grad f_0 at X^{t-1}.
    """
    back = opens_at_checkpoint(chains, metric, k, t, knobs)
    begin_epoch(chains, k, t, knobs, False, center)
    x, s = chains.position[k], chains.gradient_sum[k]
    if new_checkpoint(t):
        gradient, white, size = np.empty(x.size), np.zeros(x.size), 0.0
        for q in range(x.size):
            gradient[q] = prior[q] + s[q]
        whiten(metric, k, gradient, white)
        for q in range(dim):
            size += white[q] * white[q]
        metric.trusted[k] = t > TEST_FROM * dim and size <= knobs.acceptance_radius**2 / 8.0
        if len(metric) == DENSE:
            set_matrix(metric.frozen[k], metric.precision[k])
        else:
            freeze(metric, k)
    if back:
        set_vector(x, chains.checkpoint[k])
        chains.was_reset[k], metric.trusted[k] = True, False
        chains.farthest[k] = squared_distance(x, center) if center.size else 0.0


@kernel(REORDER, inner=True)
def record_in_metric(metric, k, x, gradient, guess, noise, at, scale, trace):
    """Write one step's terms in coordinates of X, position before, P guess, P correction, noise, into ``trace`` (4, d)."""
    dim, white, part = trace.shape[1], np.zeros(x.size), np.zeros(x.size)
    set_vector(trace[0], x[:dim])
    whiten(metric, k, guess, white)
    unwhiten(metric, k, white, part)
    set_vector(trace[1], part[:dim])
    whiten(metric, k, gradient, white)
    unwhiten(metric, k, white, part)
    for q in range(dim):
        trace[2, q] = part[q] - trace[1, q]
    white[:] = 0.0
    for q in range(dim):
        white[q] = scale * noise[at + q]
    unwhiten(metric, k, white, part)
    set_vector(trace[3], part[:dim])


@kernel(REORDER, inner=True)
def follow_metric(kind, prior, rows, targets, items, whitening, weighting, k, t):
    """Update weights, H and W of chain k to epoch t, for the whole epoch; one-score models."""
    if len(whitening) == DENSE:
        follow(kind, rows, targets, items, whitening.weights[k], whitening.precision[k], t, weighting)
        factor(whitening.precision[k], np.empty_like(whitening.whitener[k]), whitening.whitener[k])
    else:
        follow_low_rank(kind, rows, targets, items, prior, whitening, k, t, weighting)
