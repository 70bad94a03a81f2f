"""Inputs of an epoch's certificate: smoothness of F_t, and a bound on W2 at the start of its chains.

Compiled `sampler.theory.posterior_smoothness` and `coupling_distance`; the identity is passed where there is no metric.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.gradient_noise import largest_curvature
from sampler.kernels.small_linear_algebra import add_outer


@kernel()
def smoothness(curvature_bound, rows, t, prior, metric, curvature):
    """Write an upper bound on the curvature of a one-score model's F_t, computed from its rows, into ``curvature`` (1,).

    Parameters
    ----------
    curvature_bound : float
        Largest second derivative of a term in its score.
    prior : (d, d) array
        Precision of the prior.
    metric : (d, d) array

    Returns
    -------
    bool
        False if the metric is not positive definite or the Hessian bound is not finite.
    """
    matrix = prior.copy()
    for k in range(t):
        add_outer(matrix, rows[k], curvature_bound)
    return largest_curvature(matrix, metric, curvature)


@kernel()
def start_distance(checkpoint, warm_start, was_reset, chains, metrics, mean, std, laplace, distance):
    """Write the root of E||X_0 - Y||^2 for independent X_0 and Y ~ pi, an upper bound on W2, into ``distance`` (1,).

    Parameters
    ----------
    checkpoint, warm_start : (K, D) arrays
        Start positions of the epoch: the checkpoint for chains with ``was_reset`` (K,), else the warm start.
    chains : (n,) array
        Indices of the chains included.
    metrics : (n, d, d) or (1, d, d) array
        One metric per chain, or one for all.
    mean, std : (d,) arrays
        Means and standard deviations of pi.
    laplace : (d, d) array
        Covariance whose correlations are used for pi.
    """
    total = 0.0
    for n in range(chains.size):
        k, metric = chains[n], metrics[min(n, metrics.shape[0] - 1)]
        start = checkpoint[k] if was_reset[k] else warm_start[k]
        for i in range(mean.size):
            for j in range(mean.size):
                correlation = laplace[i, j] / np.sqrt(laplace[i, i] * laplace[j, j])
                total += metric[i, j] * ((start[i] - mean[i]) * (start[j] - mean[j]) + std[i] * std[j] * correlation)
    distance[0] = np.sqrt(total / chains.size)
