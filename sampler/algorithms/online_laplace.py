"""Online Laplace for logistic regression (Chapelle and Li 2011, Algorithm 3): a diagonal Gaussian, O(d) a datum.

With q the precisions and m the means, and u the datum's row with its label's sign, p(z) = 1/(1 + exp(-z)):

    w = argmin 1/2 sum_i q_i (w_i - m_i)^2 + log(1 + exp(u . w));   m <- w;   q_i += u_i^2 p(u . w) p(-u . w)

Each datum is seen once and the correlations of pi_t never: cheap, and wrong by what they amount to.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from sampler.algorithms.gaussian_fit import GaussianFitSampler
from sampler.problems.base import Problem
from sampler.settings import Settings

ITERATIONS = 60  # bisection alone would reach rounding by then


def proximal_score(score: float, leverage: float) -> tuple[float, int]:
    """Solution z of z + leverage p(z) = score, and how often p was evaluated.

    The datum moves w along one line only, w = m - p(z) u/q, so the minimiser is a root in one dimension; it lies
    between score - leverage and score, and Newton's step is taken where it stays inside.
    """
    low, high = score - leverage, score
    z, tolerance = min(max(0.0, low), high), 1e-14 * (1.0 + abs(score) + leverage)
    made, step = 0, np.inf
    while abs(step) > tolerance and made < ITERATIONS:
        made += 1
        p = expit(z)
        error = z + leverage * p - score
        step = error / (1.0 + leverage * p * (1.0 - p))
        if abs(step) > tolerance:
            low, high = (low, z) if error > 0 else (z, high)
            z = z - step if low < z - step < high else 0.5 * (low + high)
    return z, made


class OnlineLaplace(GaussianFitSampler):
    """Independent draws from N(mean, diag(1/precision)), one datum a time, logistic regression only.

    An evaluation is counted each time the datum's gradient is asked for at a new point: about five a datum.

    Attributes
    ----------
    mean, precision : (dim,) arrays
        m and q.
    """

    kinds = ("logistic",)
    needs = "a LogisticRegression"

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None) -> None:
        super().__init__(problem, settings, chains, seed, start, threads)
        if not np.all(problem.prior_precision > 0):
            raise ValueError(f"prior_precision must be above 0 in every coordinate for OnlineLaplace, "
                             f"got {problem.prior_precision!r}; a small one, 1e-6, is nearly flat")
        self.precision = np.array(problem.prior_precision, dtype=float)

    def _fit(self, posterior: Any) -> int:
        row = posterior.rows[-1]
        ahead = row / self.precision
        z, made = proximal_score(float(row @ self.mean), float(row @ ahead))
        p = expit(z)
        self.mean = self.mean - p * ahead
        self.precision = self.precision + row**2 * p * expit(-z)
        return made

    def _root(self) -> np.ndarray:
        return 1.0 / np.sqrt(self.precision)[None, :]

    def _memory_arrays(self) -> dict[str, Any]:
        return {"mean": self.mean, "precision": self.precision}

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.mean, self.precision = np.array(arrays["mean"]), np.array(arrays["precision"])
