"""Scores of samples: marginal accuracy (LMV-n section 5) and held-out log-likelihood.

MA = 1 - (1/d) sum_i TV_i, where TV_i is half the L1 distance between histograms of coordinate i with
bins 0.25 reference standard deviations wide. (The paper has 1/(2d) with the L1 norm, which is equal.)
Best value 1; even an exact sampler scores below it, see ``sampler.metrics.ceiling``.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from sampler.arguments import check_size, sample_array, shown
from sampler.metrics.bin_noise import BIN_WIDTH, normal_bins
from sampler.metrics.ceiling import bin_frame
from sampler.problems.base import points
from sampler.problems.glm import GeneralizedLinearModel

OUTERMOST = 32  # bins per side; mass beyond 8 standard deviations goes to the outermost, as the reference has none there


def marginal_accuracy(samples: np.ndarray, reference: np.ndarray) -> float:
    """Return the marginal accuracy of samples against reference draws.

    Parameters
    ----------
    samples : (n, d) array
    reference : (m, d) array
        Draws from the true posterior; their standard deviations set the bin widths.

    Returns
    -------
    float in [0, 1]; compare it with ``accuracy_ceiling(reference, n)``.
    """
    reference, mean, width = bin_frame(reference)
    samples = sample_array("samples", samples, dim=reference.shape[1])
    truth = np.floor((reference - mean) / width)
    low, high = truth.min(axis=0) - 1, truth.max(axis=0) + 1
    bins = int((high - low).max()) + 1
    # There is no reference mass beyond the range of the reference, so one outer bin per side is exact.
    indices = np.clip(np.floor((samples - mean) / width), low, high)
    return float(
        1.0 - 0.5 * np.abs(_shares(indices - low, bins) - _shares(truth - low, bins)).sum(axis=1).mean()
    )


def uniform_accuracy(uniforms: np.ndarray) -> float:
    """Return the marginal accuracy against exact marginals: 1 - the mean total variation over coordinates.

    Normal scores of the uniforms are put into bins 0.25 wide, so that it equals ``marginal_accuracy`` with an
    infinite reference; its ceiling is ``exact_ceiling(n, d)``.

    Parameters
    ----------
    uniforms : (n, d) array in [0, 1]
        Samples passed through the exact marginal CDFs; draws of different epochs may be pooled.

    Raises
    ------
    ValueError
        For values outside [0, 1].
    """
    u = sample_array("uniforms", uniforms)
    if u.min() < -1e-9 or u.max() > 1 + 1e-9:
        raise ValueError(f"uniforms must be in [0, 1], got values from {u.min():g} to {u.max():g}; "
                         "pass samples through reference.cdf first")
    scores = ndtri(np.clip(u, 0.0, 1.0))  # infinite scores of 0 and 1 are clipped to the end bins below
    indices = np.clip(np.floor(scores / BIN_WIDTH), -OUTERMOST, OUTERMOST - 1) + OUTERMOST
    distances = 0.5 * np.abs(_shares(indices, 2 * OUTERMOST) - normal_bins()).sum(axis=1)
    return float(1.0 - distances.mean())


def _shares(indices: np.ndarray, bins: int) -> np.ndarray:
    """Return relative frequencies (d, bins) of integer bin indices (n, d)."""
    n, d = indices.shape
    flat = (indices + np.arange(d) * bins).astype(np.int64).ravel()
    return np.bincount(flat, minlength=d * bins).reshape(d, bins) / n


def negative_log_likelihood(problem: GeneralizedLinearModel, features: ArrayLike, labels: ArrayLike,
                            theta: ArrayLike) -> np.ndarray | float:
    """Return the mean of -log p(label | features, theta) over rows, up to a constant in theta (0 for logistic).

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression or PoissonRegression
    features, labels : (n, d), (n,) arrays
        Held-out rows.
    theta : (K, d) or (d,) array

    Returns
    -------
    (K,) array, or a number for one point. Logistic: >= 0, best 0, log 2 = 0.693 for theta = 0.

    Raises
    ------
    ValueError
        If the problem is not a regression.
    """
    if not isinstance(problem, GeneralizedLinearModel):
        raise ValueError(f"problem must be a regression, got {shown(problem)}; it has no labels to predict")
    posterior = problem.posterior(features, labels)
    theta, single = points(theta, problem.dim)
    check_size("theta", theta, "leave out chains that diverged")
    prior = 0.5 * theta**2 @ problem.prior_precision
    values = (posterior.potential(theta) - prior) / posterior.t
    return float(values[0]) if single else values
