"""Gaussian posteriors: exact for a Gaussian mean and linear regression, Laplace's approximation otherwise."""

import numpy as np
from scipy.special import ndtr

from sampler.argument_faults import names_faults
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

    @names_faults
    def __init__(self, mean: np.ndarray, covariance: np.ndarray, t: int, exact: bool = True) -> None:
        self.mean = np.array(mean, dtype=float)
        self.covariance = np.array(covariance, dtype=float)
        self.t, self.dim, self.exact = int(t), len(self.mean), bool(exact)
        variances = np.diagonal(self.covariance)
        if self.covariance.shape != (self.dim, self.dim) or not np.isfinite(self.covariance).all():
            raise ValueError(
                f"covariance must be finite, of shape ({self.dim}, {self.dim}), "
                f"got {self.covariance!r}; invert the Hessian at the mode"
            )
        if not np.isfinite(self.mean).all() or not np.all(variances > 0):
            raise ValueError(
                f"mean must be finite and variances positive, got {self.mean!r} and {variances!r}; "
                "a flat prior needs data in every direction first"
            )
        self.std = np.sqrt(variances)

    @classmethod
    def from_mode(
        cls, mode: np.ndarray, hessian: np.ndarray, t: int, exact: bool = False
    ) -> "GaussianReference":
        """N(mode, hessian^-1): Laplace's approximation, or the truth (``exact``) where F_t is quadratic."""
        try:
            covariance = np.linalg.inv(hessian)
        except np.linalg.LinAlgError:
            raise ValueError(
                f"hessian must be invertible, got {hessian!r}; "
                "observe data in every direction, or use a prior"
            ) from None
        return cls(mode, covariance, t, exact)

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, d) -> (n, d)."""
        return ndtr((evaluation_points(samples, self.dim) - self.mean) / self.std)


@names_faults
def gaussian_reference(posterior: Posterior) -> GaussianReference:
    """Exact law of a posterior whose F_t is quadratic, O(t d^2).

    GaussianMean has pi_t = N(mean of y, I/(2t)); LinearRegression N(mode, Hessian^-1).

    Parameters
    ----------
    posterior : Posterior
        Of a ``GaussianMean`` (t >= 1) or a ``LinearRegression``.
    """
    if not isinstance(posterior.problem, (GaussianMean, LinearRegression)):
        raise ValueError(
            f"posterior must be of a GaussianMean or LinearRegression, got {posterior.problem!r}; "
            "use GridReference in 1 or 2 dimensions, long_chain_reference beyond"
        )
    if posterior.t < 1 and isinstance(posterior.problem, GaussianMean):
        raise ValueError("posterior must have t >= 1 data under a flat prior, got 0; observe one first")
    origin = np.zeros(posterior.dim)
    hessian = posterior.hessian(origin)
    try:
        mode = -np.linalg.solve(hessian, posterior.gradient(origin))
    except np.linalg.LinAlgError:
        raise ValueError(
            "posterior must have data in every direction under a flat prior; set prior_precision above 0"
        ) from None
    return GaussianReference.from_mode(mode, hessian, posterior.t, exact=True)
