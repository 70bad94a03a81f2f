"""The cloud of chains at the end of an epoch, and the plane it is drawn in: distances, mean and covariance, axes, shadows.

Chains that have diverged are left out; ``sound`` (K,) says which have not.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.gradient_variance import raise_metric
from sampler.kernels.small_linear_algebra import cholesky, jacobi, product, solve_lower

LARGEST = 1e30  # of a distance in balls


@kernel()
def measure_cloud(samples, sound, mode, farthest, square, inside, result):
    """Measure squared distances of chains in those of a ball.

    Parameters
    ----------
    samples : (K, d) array
    sound : (K,) array of bool
    mode : (d,) array
        Center of the ball.
    farthest : (K,) array
        Largest squared distances from the center in the epoch.
    square : float
        Squared radius of the ball.
    inside : (K,) array
        Squared distances of the sound chains are written here, one after the other, in balls.
    result : (3,) array
        Number of sound chains; the largest of ``farthest``, in balls; how many left the ball.
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
    """Write mean (d,) and covariance (d, d) of the sound ones of samples (K, d); False where fewer than two are."""
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
    """Write the eigenvectors of a covariance (d, d) with the largest eigenvalues into ``axes`` (m, d), widest first.

    The largest number of each is positive, so that an axis does not turn over between two fits.
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
    """Write B' H^-1 B of a metric H (d, d) into ``out`` (m, m); False where H is not positive definite.

    H is raised by its ``rounding``, and B' = ``axes`` (m, d) is overwritten.
    """
    lower = np.empty(metric.shape)
    if not (raise_metric(metric, rounding) and cholesky(metric, lower)):
        return False
    for i in range(axes.shape[0]):
        solve_lower(lower, axes[i])
        for j in range(i + 1):
            out[i, j] = out[j, i] = product(axes[i], axes[j])
    return True
