"""Protocol of reference posteriors, shared helper functions, and Gaussian references.

Gaussian references are exact for a Gaussian mean and linear regression, Laplace's approximation otherwise.
"""

from typing import Any, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from sampler.algorithms.stream_rows import Rows
from sampler.arguments import shown, square_matrix, vector, whole_number
from sampler.problems.base import Posterior
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression


class Reference(Protocol):
    """Distribution against which samples of one epoch are scored.

    Attributes
    ----------
    t, dim : int
        Number of data of the posterior, and dimension of theta.
    mean, std : (dim,) arrays
    covariance : (dim, dim) array
    exact : bool
        False for a distribution estimated from draws, or an approximation.
    ess : (dim,) array or None
        Effective number of draws of each marginal; None without draws.
    draws : (n, dim) array or None
        Draws for ``marginal_accuracy``, or None.
    """

    t: int
    dim: int
    mean: np.ndarray
    std: np.ndarray
    covariance: np.ndarray
    exact: bool
    ess: np.ndarray | None
    draws: np.ndarray | None

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Return the marginal CDFs at samples, (n, dim) -> (n, dim) in [0, 1]."""


def evaluation_points(samples: np.ndarray, dim: int) -> np.ndarray:
    """Return ``samples`` as float64 (n, dim); raise ValueError for nan. Infinities are allowed for a CDF."""
    points = np.asarray(samples, dtype=float)
    if points.ndim != 2 or points.shape[1] != dim:
        raise ValueError(f"samples must have shape (n, {dim}), got {points.shape}; one row per chain")
    if np.isnan(points).any():
        raise ValueError(f"samples must not be nan, row {np.flatnonzero(np.isnan(points).any(axis=1))[0]} is; "
                         "leave out chains that diverged")
    return points


def sampled_cdf(samples: np.ndarray, quantiles: np.ndarray, levels: np.ndarray, std: np.ndarray) -> np.ndarray:
    """Return the marginal CDFs at samples, (n, dim) -> (n, dim) in (0, 1).

    Interpolates linearly between quantiles (m, dim) at increasing levels (m,), symmetric about 1/2; beyond them the tails
    are normal with standard deviations ``std`` (dim,), so that the CDF separates samples just outside from those far out.
    """
    values, end = np.empty_like(samples), -ndtri(levels[0])
    for i, column in enumerate(quantiles.T):
        at = samples[:, i]
        below, above = at < column[0], at > column[-1]
        values[:, i] = np.interp(at, column, levels)
        values[below, i] = ndtr((at[below] - column[0]) / std[i] - end)
        values[above, i] = ndtr((at[above] - column[-1]) / std[i] + end)
    return values


def append_datum(rows: Rows, features: Any, label: Any = None) -> None:
    """Append one datum, (d,) and its label; raise ValueError without changing anything if it is invalid."""
    encoded = rows.problem.encode(features, label)
    parts: tuple[Any, ...] = encoded if rows.is_glm else (encoded,)
    if len(parts[0]) != 1:
        raise ValueError(f"features must be one row of shape ({rows.problem.dim},), got {len(parts[0])} rows; "
                         "add them one by one")
    rows.append(1, parts)


class GaussianReference:
    """N(mean, covariance) as a reference.

    Parameters
    ----------
    mean : (d,) array
    covariance : (d, d) array, positive definite
    t : int
        Number of data of the posterior.
    exact : bool
        False for an approximation of the posterior.
    """

    ess = draws = None

    def __init__(self, mean: np.ndarray, covariance: np.ndarray, t: int, exact: bool = True) -> None:
        advice = "a flat prior needs data in every direction first"
        self.mean = np.array(vector("mean", mean, advice=advice))
        self.t, self.dim, self.exact = whole_number("t", t, 0), len(self.mean), bool(exact)
        self.covariance = square_matrix("covariance", covariance, self.dim)
        variances = np.diagonal(self.covariance)
        if not np.all(variances > 0):
            raise ValueError(f"covariance must have variances above 0, got {variances!r}; {advice}")
        self.std = np.sqrt(variances)

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Return the marginal CDFs at samples, (n, d) -> (n, d).

        Parameters
        ----------
        samples : (n, dim) array
        """
        return ndtr((evaluation_points(samples, self.dim) - self.mean) / self.std)


def gaussian_reference(posterior: Posterior) -> GaussianReference:
    """Return the exact posterior for a quadratic F_t, O(t d^2).

    GaussianMean has pi_t = N(mean of y, I/(2t)); LinearRegression N(mode, Hessian^-1).

    Parameters
    ----------
    posterior : Posterior
        Of a ``GaussianMean`` (t >= 1) or a ``LinearRegression``.

    Raises
    ------
    ValueError
        For another problem, and under a flat prior without data in every direction.
    """
    problem = getattr(posterior, "problem", posterior)
    if problem is posterior or not isinstance(problem, (GaussianMean, LinearRegression)):
        raise ValueError(f"posterior must be of a GaussianMean or LinearRegression, got {shown(problem)}; "
                         "use GridReference in 1 or 2 dimensions, long_chain_reference beyond")
    if posterior.t < 1 and isinstance(posterior.problem, GaussianMean):
        raise ValueError("posterior must have t >= 1 data under a flat prior, got 0; observe one first")
    origin = np.zeros(posterior.dim)
    hessian = posterior.hessian(origin)
    try:
        mode, covariance = -np.linalg.solve(hessian, posterior.gradient(origin)), np.linalg.inv(hessian)
    except np.linalg.LinAlgError:
        raise ValueError(
            "posterior must have data in every direction under a flat prior; set prior_precision above 0"
        ) from None
    return GaussianReference(mode, covariance, posterior.t)
