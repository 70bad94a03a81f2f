"""Models whose data speak through one score z = x . beta: what regressions and comparisons share."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from sampler.coreset.full_data_posterior import Truth, find_mode, long_chains
from sampler.coreset.models.base import Model
from sampler.kernels.coreset_families import CAUCHY_PRIOR, NORMAL_PRIOR


class ScoreModel(Model):
    """A likelihood of the score, with independent standard normal or Cauchy priors.

    Its coreset posteriors are sampled by hit-and-run slice sampling, its truth by long chains checked by Laplace.
    """

    kernels: ClassVar[tuple[str, ...]] = ("slice",)
    family: ClassVar[int]
    prior: ClassVar[int] = NORMAL_PRIOR

    def score_terms(self, z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-likelihood at scores ``z`` (n,), and its first and second derivative in z.

        Parameters
        ----------
        z : (n,) array
            Scores.
        labels : (n,) array
        """
        raise NotImplementedError

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Log-likelihood of each row, (n,)."""
        return self.score_terms(rows[:, :self.dim] @ theta, labels)[0]

    def log_prior(self, theta: np.ndarray) -> float:
        """Sum over coordinates."""
        if self.prior == CAUCHY_PRIOR:
            return -float(np.log1p(theta**2).sum())
        return -0.5 * float(theta @ theta)

    def term_gradients(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Slope in the score times the row, (n, D)."""
        rows = rows[:, :self.dim]
        return self.score_terms(rows @ theta, labels)[1][:, None] * rows

    def prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of `log_prior`, (D,)."""
        return self.prior_derivatives(theta)[0]

    def prior_derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient (D,) and diagonal of the Hessian (D,) of the log prior.

        Parameters
        ----------
        theta : (D,) array
        """
        if self.prior == CAUCHY_PRIOR:
            return -2 * theta / (1 + theta**2), -2 * (1 - theta**2) / (1 + theta**2) ** 2
        return -theta, -np.ones(self.dim)

    def log_posterior(self, theta: np.ndarray) -> float:
        """On all data, up to a constant.

        Parameters
        ----------
        theta : (D,) array
        """
        return float(self.log_likelihood(theta).sum()) + self.log_prior(theta)

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient (D,) and Hessian (D, D) of `log_posterior`.

        Parameters
        ----------
        theta : (D,) array
        """
        rows = self.rows[:, :self.dim]
        _, slope, curvature = self.score_terms(rows @ theta, self.labels)
        gradient, diagonal = self.prior_derivatives(theta)
        return gradient + rows.T @ slope, (rows * curvature[:, None]).T @ rows + np.diag(diagonal)

    def mode_start(self) -> np.ndarray:
        """Return the first guess of the mode, (D,)."""
        return np.zeros(self.dim)

    def laplace(self) -> tuple[np.ndarray, np.ndarray]:
        """Mode (D,) and minus the Hessian there (D, D)."""
        return find_mode(self.mode_start(), self.log_posterior, self.derivatives)

    def find_truth(
        self, draws: int = 12_800, seed: int = 0, stop: Callable[[], bool] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Truth | None:
        """Long Metropolis chains; None when ``stop`` said so. ``progress(fraction)`` is called as they go."""
        return long_chains(self, draws, seed, stop, progress)


def design(features: np.ndarray, intercept: bool) -> tuple[np.ndarray, tuple[str, ...]]:
    """Rows with a leading column of ones where wanted, and names of the coefficients."""
    names = tuple(f"beta {j + 1}" for j in range(features.shape[1]))
    if not intercept:
        return features, names
    return np.column_stack((np.ones(len(features)), features)), ("intercept", *names)


def correlated_features(n: int, p: int, rng: np.random.Generator, correlation: float = 0.4) -> np.ndarray:
    """(n, p) standard normal features, neighbours correlated."""
    noise = rng.standard_normal((n, p))
    for j in range(1, p):
        noise[:, j] = correlation * noise[:, j - 1] + np.sqrt(1 - correlation**2) * noise[:, j]
    return noise
