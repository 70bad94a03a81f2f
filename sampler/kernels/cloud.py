"""Summaries of the chains at the end of an epoch: distances, mean, covariance, principal axes, projected balls.

Diverged chains are left out: ``sound`` (K,) is False for them.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.gradient_variance import raise_metric
from sampler.kernels.small_linear_algebra import cholesky, jacobi, product, solve_lower

LARGEST = 1e30  # cap on a squared distance in units of the ball's squared radius


@kernel()
def measure_cloud(samples, sound, mode, farthest, square, inside, result):
    """Compute squared distances of the chains from the center of a ball, in units of its squared radius.

    Parameters
    ----------
    samples : (K, d) array
    sound : (K,) array of bool
    mode : (d,) array
        Center of the ball.
    farthest : (K,) array
        Largest squared distance of each chain from the center in this epoch.
    square : float
        Squared radius of the ball.
    inside : (K,) array
        Output: squared distances of the sound chains over ``square``, packed at the front.
    result : (3,) array
        Output: number of sound chains; their largest ``farthest`` over ``square``; number of them that left the ball.
    """
    n, largest, left = 0, 0.0, 0
    for k in range(samples.shape[0]):
        if sound[k]:
            distance = 0.0
            for q in range(mode.size):
                distance += (samples[k, q] - mode[q]) ** 2
            inside[n] = min(distance / square, LARGEST)
            far = min(farthest[k] / square, LARGEST)
            largest = max(largest, far)
            left += far > 1.0
            n += 1
    result[0], result[1], result[2] = n, largest, left


@kernel()
def outline(samples, sound, mean, covariance):
    """Write mean (d,) and covariance (d, d) of the sound chains of samples (K, d); return False for fewer than two."""
    n, d = 0, mean.size
    for i in range(d):
        mean[i] = 0.0
        for j in range(d):
            covariance[i, j] = 0.0
    for k in range(samples.shape[0]):
        if sound[k]:
            n += 1
            for i in range(d):
                mean[i] += samples[k, i]
    if n < 2:
        return False
    for i in range(d):
        mean[i] /= n
    for k in range(samples.shape[0]):
        if sound[k]:
            for i in range(d):
                for j in range(d):
                    covariance[i, j] += (samples[k, i] - mean[i]) * (samples[k, j] - mean[j]) / (n - 1)
    return True


@kernel()
def widest_axes(covariance, axes):
    """Write the eigenvectors of a covariance (d, d) with the m largest eigenvalues into ``axes`` (m, d), largest first.

    The entry of largest magnitude of each is positive, so that an axis keeps its sign between fits.
    """
    d = covariance.shape[0]
    vectors = np.eye(d)
    jacobi(covariance.copy(), vectors)
    for a in range(axes.shape[0]):
        largest = 0.0
        for i in range(d):
            axes[a, i] = vectors[i, d - 1 - a]
            if abs(axes[a, i]) > abs(largest):
                largest = axes[a, i]
        for i in range(d):
            axes[a, i] = axes[a, i] if largest > 0.0 else -axes[a, i]


@kernel()
def shadow(metric, rounding, axes, out):
    """Write B' H^-1 B for a metric H (d, d) into ``out`` (m, m); return False if H is not positive definite.

    The diagonal of H is scaled by 1 + ``rounding``, and B' = ``axes`` (m, d) is overwritten.
    """
    lower = np.empty(metric.shape)
    if not (raise_metric(metric, rounding) and cholesky(metric, lower)):
        return False
    for i in range(axes.shape[0]):
        solve_lower(lower, axes[i])
        for j in range(i + 1):
            out[i, j] = out[j, i] = product(axes[i], axes[j])
    return True
