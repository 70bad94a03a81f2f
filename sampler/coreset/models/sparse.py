"""Sparse linear regression by spike and slab, after George and McCulloch (1993)."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from sampler.arguments import real_number, whole_number
from sampler.coreset.full_data_posterior import Truth, drawn_truth
from sampler.coreset.models.base import Model, checked_labels, checked_matrix
from sampler.coreset.transitions import GibbsSampler
from sampler.kernels.coreset_sparse import gibbs_chain, weighted_moments
from sampler.kernels.rng import spawn_generators
from sampler.problems.glm import LinearRegression

TRUTH_CHAINS = 4


class SparseRegression(Model):
    """y_n ~ N(x_n . beta, sigma^2); theta is beta, then sigma^2; gamma indicates the included features.

    sigma^2 ~ InvGamma(nu / 2, nu lambda / 2), gamma_i ~ Bernoulli(q), beta_i | gamma_i ~ N(0, tau^2) or
    N(0, (c tau)^2). Coreset posteriors are sampled by Gibbs sampling.

    Parameters
    ----------
    features, labels : (n, p) and (n,) arrays
        Centre the columns first: the model has no intercept.
    nu, scale, share, spike, slab : float
        nu, lambda, q, and the standard deviations tau and c tau; the paper's values by default.
    """

    title: ClassVar[str] = "Sparse regression"
    kernels: ClassVar[tuple[type[Any], ...]] = (GibbsSampler,)
    response: ClassVar[Any] = LinearRegression

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
    def synthetic(cls, n: int = 50_000, dim: int = 10, seed: int = 0) -> "SparseRegression":
        """Generate data: half the coefficients 0, half 5, noise N(0, 25^2); by default the paper's N = 50,000, p = 10.

        ``n`` >= 2, ``dim`` >= 1; the same ``seed`` gives the same data.
        """
        n = whole_number("n", n, 2, 10**8, "50000 is the paper's")
        dim = whole_number("dim", dim, 1, 200, "10 is the paper's")
        rng = np.random.default_rng(seed)
        features = rng.standard_normal((n, dim))
        beta = np.where(np.arange(dim) < dim // 2, 0.0, 5.0)
        return cls(features, features @ beta + 25.0 * rng.standard_normal(n))

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return -log(sigma^2) / 2 - r^2 / (2 sigma^2) at ``theta``, r = ``labels`` - ``rows`` . beta, (n,)."""
        rest = labels - rows[:, :self.dim - 1] @ theta[:-1]
        return -0.5 * np.log(theta[-1]) - 0.5 * rest**2 / theta[-1]

    def log_prior(self, theta: np.ndarray) -> float:
        """Return the log prior density at ``theta``, up to a constant, marginalized over gamma."""
        nu, scale, share, spike, slab = self.constants
        beta, variance = theta[:-1], theta[-1]
        parts = ((1 - share, spike), (share, slab))
        densities = [weight * np.exp(-0.5 * (beta / sd) ** 2) / sd for weight, sd in parts]
        with np.errstate(divide="ignore"):
            return float(np.log(densities[0] + densities[1]).sum() - (0.5 * nu + 1) * np.log(variance)
                         - 0.5 * nu * scale / variance)

    def with_noise(self, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return beta and sigma of ``draws`` (n, D)."""
        return draws[:, :-1], np.sqrt(draws[:, -1])

    def first_positions(self, chains: int, rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
        """Draw coefficients of ``chains`` with ``rng`` from the slab, sigma^2 = 1; ``points`` are not used."""
        slab = self.constants[4]
        return np.column_stack((slab * rng.standard_normal((chains, self.dim - 1)), np.ones(chains)))

    def admissible(self, positions: np.ndarray) -> np.ndarray:
        """Return ``positions`` (K, D) with sigma^2 raised to at least a hundredth of its true posterior mean."""
        positions = positions.copy()
        positions[:, -1] = np.maximum(positions[:, -1], 0.01 * self.truth.mean[-1])
        return positions

    def gibbs(
        self, weights: np.ndarray, indices: np.ndarray, draws: int, seed: int = 0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Run one chain of ``draws`` states on the posterior of the data at ``indices`` (M,) with ``weights`` (M,) >= 0.

        Return theta (draws, D) and gamma (draws, p), of 0 and 1, of each draw. The same ``seed`` gives the same numbers.
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
        """Run four Gibbs chains on all data, ``draws`` in total, without the first half of each; None if stopped.

        ``stop`` is called before and ``progress(fraction)`` after each chain. The same ``seed`` gives the same numbers.
        """
        second_halves = []
        for chain in range(TRUTH_CHAINS):
            if stop is not None and stop():
                return None
            thetas, _ = self.gibbs(np.ones(self.n), np.arange(self.n), draws // TRUTH_CHAINS, 10 * seed + chain)
            second_halves.append(thetas[len(thetas) // 2:])
            if progress is not None:
                progress((chain + 1) / TRUTH_CHAINS)
        return drawn_truth(np.array(second_halves), "Gibbs")
