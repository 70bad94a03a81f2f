"""The mode of F_t, followed one datum at a time."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.newton import find_mode
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianMean
from sampler.reference.row_buffer import RowBuffer

GROWTH = 1.05  # solve exactly again when the data have grown by 5 %,
EARLY = 2000  # or by 1 % up to here, where a solution is cheap and each datum moves the mode more
SURPRISE = 0.2  # or when one datum has moved it by this many standard deviations


class ModeTracker:
    """Follows the mode and Hessian of a growing F_t.

    Each datum costs one O(d^2) Newton correction; the exact mode is solved again, O(t d^2), at every growth
    of 5 % (1 % below t = 2,000) and after a surprising datum. Between, the mode's error stays below 0.01
    posterior standard deviations.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression, PoissonRegression or GaussianMean

    Attributes
    ----------
    t : int
    mode : (d,) array
    covariance : (d, d) array
        Inverse of ``hessian``; with infinite diagonal before a flat prior has data.
    """

    def __init__(self, problem: Problem) -> None:
        self._data = RowBuffer(problem)
        self.problem, self.dim = problem, problem.dim
        self._quadratic = isinstance(problem, GaussianMean)
        self.mode = np.zeros(self.dim)
        self._hessian = np.diag(np.asarray(problem.prior_precision, float))
        proper = bool(np.all(problem.prior_precision > 0))
        self.covariance = np.diag(1.0 / problem.prior_precision) if proper else np.diag([np.inf] * self.dim)
        self._solved_at = 0 if proper else -1  # -1: no proper posterior yet

    @property
    def t(self) -> int:
        """Number of data added."""
        return self._data.t

    @property
    def hessian(self) -> np.ndarray:
        """Second derivatives of F_t at the mode, (d, d), a copy."""
        return self._hessian.copy()

    @property
    def posterior(self) -> Any:
        """F_t on the data added so far."""
        return self._data.posterior

    def add(self, features: ArrayLike, label: ArrayLike | None = None) -> np.ndarray:
        """Take in one datum, (d,) and its label, and return the corrected mode.

        Parameters
        ----------
        features : (dim,) array
            Of the datum.
        label : number, optional
            None where the model has no labels.
        """
        row, target = self._data.add(features, label)
        if self._quadratic:
            self.mode = self.mode + (row - self.mode) / self.t
            self._hessian = 2.0 * self.t * np.eye(self.dim)
            self.covariance = np.eye(self.dim) / (2.0 * self.t)
            return self.mode
        score = row @ self.mode
        curvature = float(self.problem.score_curvature(score))
        slope = float(self.problem.mean_function(score)) - target
        self._hessian += curvature * np.outer(row, row)
        growth = 1.0 + (GROWTH - 1.0) / (5 if self.t < EARLY else 1)
        if self._solved_at < 0 or self.t >= growth * self._solved_at:
            self._try_resolve()
            return self.mode
        ahead = self.covariance @ row
        leverage = row @ ahead
        gain = curvature / (1.0 + curvature * leverage)
        self.covariance = self.covariance - gain * np.outer(ahead, ahead)
        # One score moves along `ahead`, so the datum's own nonlinearity is solved in one dimension.
        settled, error = _proximal_slope(self.problem, score, slope, target, leverage)
        if not abs(error) <= 1e-6 * (1.0 + abs(settled)) or settled**2 * leverage > SURPRISE**2:
            return self.resolve()
        self.mode = self.mode - settled * ahead
        return self.mode

    def resolve(self) -> np.ndarray:
        """Solve the mode exactly on all data, warm from the present one, and renew the Hessian."""
        posterior = self._data.posterior
        if self.t or self._solved_at >= 0:
            self.mode = find_mode(posterior, self.mode)
        self._hessian = posterior.hessian(self.mode)
        self.covariance = np.linalg.inv(self._hessian)
        self._solved_at = self.t
        return self.mode

    def _try_resolve(self) -> None:
        if self._solved_at >= 0:
            self.resolve()
            return
        try:  # a flat prior has no mode until the data span every direction
            self.resolve()
        except ValueError:
            self._solved_at = -1


def _proximal_slope(
    problem: Problem, score: Any, slope: Any, target: float, leverage: Any
) -> tuple[float, float]:
    """Slope s at the new score z = score - leverage s, and what is left of the equation.

    z minimises the new term plus (z - score)^2 / (2 leverage).
    """
    new, error = slope / (1.0 + float(problem.score_curvature(score)) * leverage), np.inf
    for _ in range(4):
        z = score - leverage * new
        error = float(problem.mean_function(z)) - target - new
        new += error / (1.0 + leverage * float(problem.score_curvature(z)))
    return new, error
