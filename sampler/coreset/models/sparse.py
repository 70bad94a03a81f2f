"""Sparse linear regression by spike and slab, after George and McCulloch (1993)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from sampler.arguments import real_number, whole_number
from sampler.coreset.full_data_posterior import Truth, drawn_truth
from sampler.coreset.models.base import Model, checked_labels, checked_matrix
from sampler.kernels.coreset_gibbs import gibbs_chain, weighted_moments
from sampler.kernels.rng import spawn_generators

TRUTH_CHAINS = 4


class SparseRegression(Model):
    """y_n ~ N(x_n . beta, sigma^2); theta is beta, then sigma^2, and gamma says which features are in.

    sigma^2 ~ InvGamma(nu / 2, nu lambda / 2), gamma_i ~ Bernoulli(q), beta_i | gamma_i ~ N(0, tau^2) or
    N(0, (c tau)^2). Its coreset posteriors are sampled by Gibbs.

    Parameters
    ----------
    features : (n, p) array
    labels : (n,) array
    nu, scale, share, spike, slab : float
        nu, lambda, q, and the standard deviations tau and c tau; the paper's by default.
    """

    title: ClassVar[str] = "Sparse regression"
    kernels: ClassVar[tuple[str, ...]] = ("gibbs",)

    def __init__(
        self, features: np.ndarray, labels: np.ndarray, nu: float = 0.1, scale: float = 1.0, share: float = 0.1,
        spike: float = 0.1, slab: float = 1.0,
    ) -> None:
        rows = checked_matrix("features", features)
        for name, value in (("nu", nu), ("scale", scale), ("spike", spike), ("slab", slab)):
            real_number(name, value, "leave it out for the paper's", above=0.0)
        share = real_number("share", share, "0.1 is the paper's", above=0.0, below=1.0)
        p = rows.shape[1]
        super().__init__(rows, checked_labels(labels, len(rows)), p + 1,
                         (*(f"beta {j + 1}" for j in range(p)), "sigma^2"))
        self.constants = np.array([nu, scale, share, spike, slab], dtype=float)

    @classmethod
    def synthetic(cls, n: int = 50_000, dim: int = 10, seed: int = 0) -> SparseRegression:
        """Half the coefficients 0, half 5, noise of deviation 25; by default the paper's N = 50,000, p = 10.

        Parameters
        ----------
        n : int
            Data.
        dim : int >= 1
            Features.
        seed : int >= 0
            Same seed, same numbers.
        """
        n = whole_number("n", n, 2, 10**8, "50000 is the paper's")
        dim = whole_number("dim", dim, 1, 200, "10 is the paper's")
        rng = np.random.default_rng(seed)
        features = rng.standard_normal((n, dim))
        beta = np.where(np.arange(dim) < dim // 2, 0.0, 5.0)
        return cls(features, features @ beta + 25.0 * rng.standard_normal(n))

    @classmethod
    def from_data(cls, features: np.ndarray, labels: np.ndarray) -> SparseRegression:
        """The user's data, (n, p) and (n,); centre the columns, the model has no intercept.

        Parameters
        ----------
        features : (n, p) array
        labels : (n,) array
        """
        return cls(features, labels)

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """-log(sigma^2) / 2 - r^2 / (2 sigma^2), (n,).

        Parameters
        ----------
        theta : (D,) array
        rows : (n, p) array
        labels : (n,) array
        """
        rest = labels - rows[:, :self.dim - 1] @ theta[:-1]
        return -0.5 * np.log(theta[-1]) - 0.5 * rest**2 / theta[-1]

    def log_prior(self, theta: np.ndarray) -> float:
        """Gamma summed out.

        Parameters
        ----------
        theta : (D,) array
        """
        nu, scale, share, spike, slab = self.constants
        beta, variance = theta[:-1], theta[-1]
        parts = ((1 - share, spike), (share, slab))
        densities = [weight * np.exp(-0.5 * (beta / sd) ** 2) / sd for weight, sd in parts]
        with np.errstate(divide="ignore"):
            return float(np.log(densities[0] + densities[1]).sum() - (0.5 * nu + 1) * np.log(variance)
                         - 0.5 * nu * scale / variance)

    def first_positions(self, chains: int, rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
        """Coefficients from the slab, sigma^2 = 1.

        Parameters
        ----------
        chains : int >= 1
        rng : numpy.random.Generator
        points : (M,) int64 array
            Indices of the coreset.
        """
        slab = self.constants[4]
        return np.column_stack((slab * rng.standard_normal((chains, self.dim - 1)), np.ones(chains)))

    def admissible(self, positions: np.ndarray) -> np.ndarray:
        """A variance that is not positive becomes a hundredth of the true one.

        Parameters
        ----------
        positions : (K, D) array
        """
        positions = positions.copy()
        positions[:, -1] = np.maximum(positions[:, -1], 0.01 * self.truth.mean[-1])
        return positions

    def gibbs(
        self, weights: np.ndarray, indices: np.ndarray, draws: int, seed: int = 0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """One chain on the posterior of the data at ``indices`` with ``weights``.

        Parameters
        ----------
        weights : (M,) array >= 0
        indices : (M,) int64 array
        draws : int >= 1
            States of the chain, all of them kept.
        seed : int >= 0
            Same seed, same numbers.

        Returns
        -------
        thetas : (draws, D)
        included : (draws, p) of 0 and 1, the gamma of each draw
        """
        p = self.dim - 1
        xtx, xty = np.empty((p, p)), np.empty(p)
        columns = np.ascontiguousarray(self.rows[indices, :p].T)
        weights = np.ascontiguousarray(weights, dtype=float)
        yty, total = weighted_moments(columns, self.labels[indices], weights, np.empty(weights.size), xtx, xty)
        thetas, included = np.empty((draws, self.dim)), np.empty((draws, p))
        gibbs_chain(draws, np.ones(self.dim), np.ones(p), xtx, xty, yty, total, self.constants,
                    spawn_generators(seed, 1, 1)[0, 0], thetas, included)
        return thetas, included

    def find_truth(
        self, draws: int = 200_000, seed: int = 0, stop: Callable[[], bool] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Truth | None:
        """Four Gibbs chains on all data, the first half of each left out; None when ``stop`` said so.

        ``progress(fraction)`` is called after each chain.

        Parameters
        ----------
        draws : int
            Of the long chains, all together.
        seed : int >= 0
            Same seed, same numbers.
        stop : callable, optional
            Asked before each chain; True ends early.
        progress : callable, optional
            Told the share done.
        """
        kept = []
        for chain in range(TRUTH_CHAINS):
            if stop is not None and stop():
                return None
            thetas, _ = self.gibbs(np.ones(self.n), np.arange(self.n), draws // TRUTH_CHAINS, 10 * seed + chain)
            kept.append(thetas[len(thetas) // 2:])
            if progress is not None:
                progress((chain + 1) / TRUTH_CHAINS)
        return drawn_truth(np.array(kept), "Gibbs")
