"""Gaussian posteriors: exact for a Gaussian mean and linear regression, Laplace's approximation otherwise."""

import numpy as np
from scipy.special import ndtr

from sampler.arguments import shown, square_matrix, vector, whole_number
from sampler.problems.base import Posterior
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression
from sampler.reference.base import evaluation_points


class GaussianReference:
    """N(mean, covariance) as a reference.

    Parameters
    ----------
    mean : (d,) array
    covariance : (d, d) array, positive definite
    t : int
        Number of data it stands for.
    exact : bool
        False when it only approximates the posterior.
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
        """Marginal distribution functions, (n, d) -> (n, d).

        Parameters
        ----------
        samples : (n, dim) array
        """
        return ndtr((evaluation_points(samples, self.dim) - self.mean) / self.std)


def gaussian_reference(posterior: Posterior) -> GaussianReference:
    """Exact law of a posterior whose F_t is quadratic, O(t d^2).

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
