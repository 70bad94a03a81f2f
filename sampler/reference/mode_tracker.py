"""Mode of F_t, updated per datum and re-solved exactly after each growth of the data by 5 % (1 % below t = 2,000)."""

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.laplace import find_mode
from sampler.algorithms.stream_rows import Rows
from sampler.arguments import shown, whole_number
from sampler.kernels.posterior_mode import GAUSSIAN_MEAN, add_datum, due
from sampler.problems.base import Problem
from sampler.problems.gradient_oracle import GradientOracle, OraclePosterior
from sampler.reference.base import append_datum


class ModeTracker:
    """Tracker of the mode and Hessian of a growing F_t.

    Each datum costs one O(d^2) Newton correction; the exact mode is solved again, O(t d^2), after each growth
    of the data by 5 % (1 % below t = 2,000) and after a surprising datum. In between, the error of the mode
    stays below 0.01 posterior standard deviations.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression, PoissonRegression or GaussianMean

    Attributes
    ----------
    t : int
    mode : (d,) array
    covariance : (d, d) array
        Inverse of ``hessian``; with infinite diagonal under a flat prior until the mode exists.
    """

    def __init__(self, problem: Problem) -> None:
        if not hasattr(problem, "encode") or not hasattr(problem, "prior_precision"):
            raise ValueError(f"problem must be a one-score model or GaussianMean, got {shown(problem)}; "
                             "use OracleModeTracker for a GradientOracle")
        self._data = Rows(problem)
        self.problem, self.dim = problem, problem.dim
        self._kind = getattr(problem, "kind_code", GAUSSIAN_MEAN)
        precision = np.array(problem.prior_precision, float)
        self.mode, self._hessian = np.zeros(self.dim), np.diag(precision)
        proper = bool(np.all(precision > 0))
        self.covariance = np.diag(1.0 / precision if proper else [np.inf] * self.dim)
        self._solved_at = 0 if proper else -1
        self.forgotten = 0  #: number of data dropped by `forget`

    @property
    def t(self) -> int:
        """Number of data, without those forgotten."""
        return self._data.t

    @property
    def hessian(self) -> np.ndarray:
        """Hessian of F_t at the mode, (d, d), a copy."""
        return self._hessian.copy()

    @property
    def posterior(self) -> Any:
        """Posterior of the data, without those forgotten."""
        return self._data.posterior(self.t)

    def forget(self, n: int) -> None:
        """Drop the n oldest data, as a sampler's ``keep_last``, and solve the mode again, O(t d^2).

        Parameters
        ----------
        n : int in [1, t - 1]
        """
        n = whole_number("n", n, 1, max(self.t - 1, 0), "one datum at least must be left")
        self._data.forget(n)
        self.forgotten += n
        self.resolve()

    def add(self, features: ArrayLike, label: ArrayLike | None = None) -> np.ndarray:
        """Add one datum, (d,) and its label, and return the corrected mode.

        Parameters
        ----------
        features : (dim,) array
            Features of the datum.
        label : number, optional
            None for a model without labels.
        """
        append_datum(self._data, features, label)
        self.mode, self._hessian, self.covariance = self.mode.copy(), self._hessian.copy(), self.covariance.copy()
        if not add_datum(self._kind, self._data.rows, self._data.targets, self.t, self.mode, self._hessian, self.covariance,
                         self._solved_at):
            _resolve_if_proper(self)
        return self.mode

    def resolve(self) -> np.ndarray:
        """Solve the mode exactly on all data, from the current one, and recompute the Hessian."""
        posterior = self.posterior
        if self.t or self._solved_at >= 0:
            self.mode = find_mode(posterior, self.mode)
        self._hessian = posterior.hessian(self.mode)
        self.covariance = np.linalg.inv(self._hessian)
        self._solved_at = self.t
        return self.mode


def _resolve_if_proper(tracker: "ModeTracker | OracleModeTracker") -> None:
    """Solve the mode, unless the prior is flat and the data do not yet span all directions."""
    try:
        tracker.resolve()
    except ValueError:
        if tracker._solved_at >= 0:
            raise


class OracleModeTracker:
    """Tracker of the mode and Hessian of a GradientOracle's F_t; see `ModeTracker` for one-score models.

    Each datum costs one Newton correction with its gradient; after each growth of the data by 5 % (1 % below
    t = 2,000) the exact mode is solved again from differences of gradients, about 8 dim t evaluations.

    Parameters
    ----------
    problem : GradientOracle

    Attributes
    ----------
    t : int
    mode : (d,) array
    covariance : (d, d) array
        Inverse of ``hessian``; with infinite diagonal until F_t has a mode.
    """

    def __init__(self, problem: GradientOracle) -> None:
        if getattr(problem, "kind", None) != "oracle":
            raise ValueError(f"problem must be a GradientOracle, got {shown(problem)}; "
                             "use ModeTracker for a one-score model")
        self.problem, self.dim, self.t, self.forgotten = problem, problem.dim, 0, 0
        self.mode, self._solved_at = np.zeros(problem.dim), -1
        self._hessian = np.diag([np.nan] * problem.dim)
        self.covariance = np.diag([np.inf] * problem.dim)

    @property
    def hessian(self) -> np.ndarray:
        """Hessian of F_t at the mode, (d, d), a copy; scaled with t between two solutions."""
        return self._hessian * (self.t / max(self._solved_at, 1))

    @property
    def posterior(self) -> OraclePosterior:
        """Posterior of the data added so far."""
        return self.problem.posterior(self.t)

    def add(self) -> np.ndarray:
        """Add the next datum and return the corrected mode."""
        self.t += 1
        if due(self.t, self._solved_at):
            _resolve_if_proper(self)
            return self.mode
        self.covariance = self.covariance * ((self.t - 1) / self.t)
        newest = self.problem.gradients(np.array([self.t - 1]), self.mode)[0]
        self.mode = self.mode - self.covariance @ newest
        return self.mode

    def resolve(self) -> np.ndarray:
        """Solve the mode exactly on all data, from the current one, and recompute the Hessian.

        Raises
        ------
        ValueError
            If the problem is not convex near its mode.
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

    def __deepcopy__(self, memo: dict[str, Any]) -> "OracleModeTracker":
        """Copy everything but the problem, which is shared."""
        other = copy.copy(self)
        other.mode, other.covariance = self.mode.copy(), self.covariance.copy()
        return other
