"""Full Laplace approximation: X^t ~ N(x*_t, H_t^-1), mode and Hessian of F_t found anew at every datum.

Newton's method starts at the last mode. A pass over the data gives gradient and Hessian at one point and counts t
evaluations; a GradientOracle has no Hessian, and the central differences in its place count 2 dim t more.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular

from sampler.algorithms.gaussian_fit import GaussianFitSampler
from sampler.algorithms.newton import find_mode
from sampler.problems.base import Posterior, Problem
from sampler.settings import Settings


class CountedPosterior:
    """F_t's gradient and Hessian, with the evaluations they take."""

    def __init__(self, posterior: Posterior) -> None:
        self._posterior, self.dim, self.t = posterior, posterior.dim, posterior.t
        self.evaluations = 0

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of F_t, (dim,) -> (dim,)."""
        self.evaluations += self.t
        return self._posterior.gradient(theta)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Hessian of F_t: free where a gradient was just taken, unless it is made of gradients."""
        if self._posterior.problem.kind == "oracle":
            self.evaluations += 2 * self.dim * self.t
        return self._posterior.hessian(theta)


class Laplace(GaussianFitSampler):
    """Independent draws from N(mode, Hessian^-1), ``chains`` of them an epoch."""

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None) -> None:
        super().__init__(problem, settings, chains, seed, start, threads)
        self._whitener = np.eye(self.dim)  # L^-1, with L L' the Hessian at the mode

    def _fit(self, posterior: Posterior) -> int:
        counted = CountedPosterior(posterior)
        try:
            mode = find_mode(counted, self.mean)
            lower = np.linalg.cholesky(counted.hessian(mode))
        except np.linalg.LinAlgError:
            raise ValueError("problem must have a positive definite Hessian at its mode for Laplace; set "
                             "prior_precision above 0, or use a sampler that needs gradients only") from None
        self.mean, self._whitener = mode, solve_triangular(lower, np.eye(self.dim), lower=True)
        return counted.evaluations

    def _root(self) -> np.ndarray:
        return np.ascontiguousarray(self._whitener.T)

    def _memory_arrays(self) -> dict[str, Any]:
        return {"mean": self.mean, "whitener": self._whitener}

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.mean, self._whitener = np.array(arrays["mean"]), np.array(arrays["whitener"])
