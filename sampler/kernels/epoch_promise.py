"""What the promise of an epoch is made from, measured on its chains: smoothness of F_t, and W2 where they started.

As `sampler.theory.posterior_smoothness` and `coupling_distance`; a metric of the identity is none.
"""

import numpy as np

from sampler.kernels.compile import kernel
from sampler.kernels.gradient_noise import largest_curvature
from sampler.kernels.small_linear_algebra import add_outer


@kernel()
def smoothness(curvature_bound, rows, t, prior, metric, curvature):
    """Write the largest curvature anywhere of a one-score model's F_t, certified by its rows, into ``curvature`` (1,).

    Parameters
    ----------
    curvature_bound : float
        Of a term in its score.
    prior : (d, d) array
        Its precision.
    metric : (d, d) array

    Returns
    -------
    bool
        Whether there is one: not in a metric that is not positive definite.
    """
    matrix = prior.copy()
    for k in range(t):
        add_outer(matrix, rows[k], curvature_bound)
    return largest_curvature(matrix, metric, curvature)


@kernel()
def start_distance(checkpoint, warm_start, was_reset, chains, metrics, mean, std, laplace, distance):
    """Write the root of E||X_0 - Y||^2 for independent X_0 and Y ~ pi, never below W2, into ``distance`` (1,).

    Parameters
    ----------
    checkpoint, warm_start : (K, D) arrays
        Where the chains began the epoch; ``was_reset`` (K,) chooses.
    chains : (n,) array
        Those that count.
    metrics : (n, d, d) or (1, d, d) array
        Of each, or of all.
    mean, std : (d,) arrays
        Of pi.
    laplace : (d, d) array
        A covariance whose correlations stand for pi's.
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
