"""Gaussian location: the model with a closed form of posterior, coreset posterior and z-score floor."""

from typing import Any, ClassVar

import numpy as np

from sampler.arguments import whole_number
from sampler.coreset.full_data_posterior import Truth
from sampler.coreset.models.base import Model, checked_matrix
from sampler.coreset.transitions import GaussianKernel, SliceSampler
from sampler.kernels.coreset_likelihoods import GAUSSIAN, NORMAL_PRIOR
from sampler.problems.gaussian_mean import GaussianMean


class GaussianLocation(Model):
    """theta ~ N(0, I), x_n ~ N(theta, I): l_n = x_n . theta - |theta|^2 / 2.

    The posterior is N(sum x / (1 + N), I / (1 + N)); a coreset's is N(sum w x / (1 + W), I / (1 + W)), W = sum w.

    Parameters
    ----------
    observations : (n, d) array
        Scale columns to unit variance first, which the model assumes.
    """

    title: ClassVar[str] = "Gaussian location"
    kernels: ClassVar[tuple[type[Any], ...]] = (GaussianKernel, SliceSampler)
    family: ClassVar[int] = GAUSSIAN
    prior: ClassVar[int] = NORMAL_PRIOR
    response: ClassVar[Any] = GaussianMean

    def __init__(self, observations: np.ndarray) -> None:
        rows = checked_matrix("observations", observations)
        dim = rows.shape[1]
        super().__init__(rows, None, dim, tuple(f"theta {i + 1}" for i in range(dim)))

    @classmethod
    def synthetic(cls, n: int = 10_000, dim: int = 20, seed: int = 0) -> "GaussianLocation":
        """Draw standard normal data, by default of the paper's shape: N = 10,000, d = 20.

        ``n`` >= 2, ``dim`` >= 1; the same ``seed`` gives the same data.
        """
        n = whole_number("n", n, 2, 10**8, "10000 is the paper's")
        dim = whole_number("dim", dim, 1, 10_000, "20 is the paper's")
        return cls(np.random.default_rng(seed).standard_normal((n, dim)))

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the scores of ``rows`` minus |theta|^2 / 2 at ``theta``, (n,); ``labels`` are not used."""
        return rows[:, :self.dim] @ theta - 0.5 * theta @ theta

    def term_gradients(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return ``rows`` minus ``theta``, (n, D); ``labels`` are not used."""
        return rows[:, :self.dim] - theta

    def prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return -``theta``, (D,)."""
        return -theta

    def log_prior(self, theta: np.ndarray) -> float:
        """Return the standard normal log density at ``theta``, up to a constant."""
        return -0.5 * float(theta @ theta)

    def first_positions(self, chains: int, rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
        """Draw ``chains`` positions with ``rng`` from the posterior of the coreset ``points`` with weights N / M."""
        mean = self.rows[points, :self.dim].mean(axis=0) * self.n / (1 + self.n)
        return mean + rng.standard_normal((chains, self.dim)) / np.sqrt(1 + self.n)

    def variance_ratio(self, total: float) -> float:
        """Return (1 + N) / (1 + sum w), ``total`` the sum of the weights."""
        return (1.0 + self.n) / (1.0 + total)

    def find_truth(self) -> Truth:
        """Return the exact truth."""
        mean = self.rows[:, :self.dim].sum(axis=0) / (1 + self.n)
        return Truth(mean, np.full(self.dim, 1 / np.sqrt(1 + self.n)), "exact")
