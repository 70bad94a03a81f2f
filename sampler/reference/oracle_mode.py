"""The mode of a F_t known through its gradients only, followed one datum at a time."""

import copy
from typing import Any

import numpy as np

from sampler.algorithms.newton import find_mode
from sampler.arguments import shown
from sampler.problems.gradient_oracle import GradientOracle, OraclePosterior

GROWTH = 1.05  # solve exactly again when the data have grown by 5 %,
EARLY = 2000  # or by 1 % up to here


class OracleModeTracker:
    """Follows the mode and Hessian of a GradientOracle's F_t; `ModeTracker` for one-score models.

    Each datum costs one Newton correction with its own gradient; at every growth of 5 % (1 % below t = 2,000)
    the exact mode is solved again from differences of gradients, some 8 dim t evaluations.

    Parameters
    ----------
    problem : GradientOracle

    Attributes
    ----------
    t : int
    mode : (d,) array
    covariance : (d, d) array
        Inverse of ``hessian``; with infinite diagonal until the data give F_t a mode.
    """

    def __init__(self, problem: GradientOracle) -> None:
        if getattr(problem, "kind", None) != "oracle":
            raise ValueError(f"problem must be a GradientOracle, got {shown(problem)}; "
                             "use ModeTracker for a one-score model")
        self.problem, self.dim, self.t = problem, problem.dim, 0
        self.mode, self._solved_at = np.zeros(problem.dim), 0
        self._hessian = np.diag([np.nan] * problem.dim)
        self.covariance = np.diag([np.inf] * problem.dim)

    @property
    def hessian(self) -> np.ndarray:
        """Second derivatives of F_t at the mode, (d, d), a copy; between two solutions scaled with t."""
        return self._hessian * (self.t / max(self._solved_at, 1))

    @property
    def posterior(self) -> OraclePosterior:
        """F_t on the data added so far."""
        return self.problem.posterior(self.t)

    def add(self) -> np.ndarray:
        """Take in the next datum and return the corrected mode."""
        self.t += 1
        growth = 1.0 + (GROWTH - 1.0) / (5 if self.t < EARLY else 1)
        if self._solved_at == 0 or self.t >= growth * self._solved_at:
            self._try_resolve()
            return self.mode
        self.covariance = self.covariance * ((self.t - 1) / self.t)
        newest = self.problem.gradients(np.array([self.t - 1]), self.mode)[0]
        self.mode = self.mode - self.covariance @ newest
        return self.mode

    def resolve(self) -> np.ndarray:
        """Solve the mode exactly on all data, warm from the present one, and renew the Hessian.

        Raises
        ------
        ValueError
            When the problem is not convex near its mode.
        """
        posterior = self.posterior
        mode = find_mode(posterior, self.mode)
        hessian = posterior.hessian(mode)
        if not np.linalg.eigvalsh(hessian)[0] > 0:
            raise ValueError(f"problem must be convex near its mode after {self.t} data, its smallest curvature there is "
                             f"{np.linalg.eigvalsh(hessian)[0]:.3g}; check the gradient with check_gradient")
        self.mode, self._hessian, self._solved_at = mode, hessian, self.t
        self.covariance = np.linalg.inv(hessian)
        return self.mode

    def _try_resolve(self) -> None:
        if self._solved_at:
            self.resolve()
            return
        try:  # a flat prior has no mode until the data span every direction
            self.resolve()
        except ValueError:
            self._solved_at = 0

    def __deepcopy__(self, memo: dict[str, Any]) -> "OracleModeTracker":
        """Copy everything but the problem, which is shared."""
        other = copy.copy(self)
        other.mode, other.covariance = self.mode.copy(), self.covariance.copy()
        return other
