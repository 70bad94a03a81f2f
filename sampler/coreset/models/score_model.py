"""Models with a likelihood of one score z = x . theta: priors, derivatives, and the truth by long chains."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize

from sampler.coreset.full_data_posterior import Truth, long_chains
from sampler.coreset.models.base import Model
from sampler.coreset.transitions import SliceSampler
from sampler.kernels.coreset_likelihoods import CAUCHY_PRIOR, NORMAL_PRIOR


class ScoreModel(Model):
    """Likelihood of the score, with independent standard normal or Cauchy priors.

    Coreset posteriors are sampled by hit-and-run slice sampling, the truth by long chains, checked by Laplace.
    """

    kernels: ClassVar[tuple[type[Any], ...]] = (SliceSampler,)
    family: ClassVar[int]
    prior: ClassVar[int] = NORMAL_PRIOR

    def score_terms(self, z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the log-likelihood of ``labels`` (n,) at scores ``z`` (n,), and its first and second derivative in z."""
        raise NotImplementedError

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the log-likelihood of each of ``rows`` and ``labels`` at ``theta``, (n,)."""
        return self.score_terms(rows[:, :self.dim] @ theta, labels)[0]

    def log_prior(self, theta: np.ndarray) -> float:
        """Return the log prior density at ``theta``, up to a constant."""
        if self.prior == CAUCHY_PRIOR:
            return -float(np.log1p(theta**2).sum())
        return -0.5 * float(theta @ theta)

    def term_gradients(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the slope in the score of each of ``rows`` and ``labels`` at ``theta``, times the row, (n, D)."""
        rows = rows[:, :self.dim]
        return self.score_terms(rows @ theta, labels)[1][:, None] * rows

    def prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of `log_prior` at ``theta``, (D,)."""
        return self.prior_derivatives(theta)[0]

    def prior_derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return gradient (D,) and diagonal of the Hessian (D,) of the log prior at ``theta``."""
        if self.prior == CAUCHY_PRIOR:
            return -2 * theta / (1 + theta**2), -2 * (1 - theta**2) / (1 + theta**2) ** 2
        return -theta, -np.ones(self.dim)

    def log_posterior(self, theta: np.ndarray) -> float:
        """Return the log posterior of all data at ``theta`` (D,), up to a constant."""
        return float(self.log_likelihood(theta).sum()) + self.log_prior(theta)

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return gradient (D,) and Hessian (D, D) of `log_posterior` at ``theta``."""
        rows = self.rows[:, :self.dim]
        _, slope, curvature = self.score_terms(rows @ theta, self.labels)
        gradient, diagonal = self.prior_derivatives(theta)
        return gradient + rows.T @ slope, (rows * curvature[:, None]).T @ rows + np.diag(diagonal)

    def mode_start(self) -> np.ndarray:
        """Return the initial value for finding the mode, (D,)."""
        return np.zeros(self.dim)

    def laplace(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the mode (D,) and minus the Hessian there (D, D); the density need not be log-concave."""
        optimum = minimize(lambda theta: -self.log_posterior(theta), self.mode_start(), method="trust-exact",
                         jac=lambda theta: -self.derivatives(theta)[0], hess=lambda theta: -self.derivatives(theta)[1])
        return optimum.x, optimum.hess

    def find_truth(
        self, draws: int = 12_800, seed: int = 0, stop: Callable[[], bool] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Truth | None:
        """Compute the truth by `long_chains` with ``draws``, ``seed``, ``stop`` and ``progress``; None if stopped."""
        return long_chains(self, draws, seed, stop, progress)
