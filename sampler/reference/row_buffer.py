"""Rows of a stream, grown by doubling, that a reference keeps to follow the stream."""

from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.problems.base import Problem
from sampler.problems.gaussian_mean import GaussianMean


class RowBuffer:
    """Encoded data of one problem, appended one datum at a time.

    Parameters
    ----------
    problem : a one-score model or GaussianMean
    """

    def __init__(self, problem: Problem) -> None:
        if not hasattr(problem, "encode") or not hasattr(problem, "prior_precision"):
            raise ValueError(
                f"problem must be a one-score model or GaussianMean, got {shown(problem)}; "
                "find the mode of a GradientOracle's posterior with find_mode"
            )
        self.problem, self.t = problem, 0
        self._rows = np.empty((64, problem.dim))
        self._targets, self._labels = np.zeros(64), np.zeros(64)

    def add(self, features: Any, label: Any = None) -> tuple[np.ndarray, float]:
        """Append one datum, (d,) and its label, and return its encoded row (d,) and target."""
        target = seen = 0.0
        if isinstance(self.problem, GaussianMean):
            rows = self.problem.encode(features, label)
        else:
            rows, targets, labels = self.problem.encode(features, label)
        if len(rows) != 1:
            raise ValueError(
                f"features must be one row of shape ({self.problem.dim},), got {len(rows)} rows; "
                "add them one by one"
            )
        if not isinstance(self.problem, GaussianMean):
            target, seen = float(targets[0]), float(labels[0])
        if self.t == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
            self._targets = np.concatenate([self._targets, np.zeros_like(self._targets)])
            self._labels = np.concatenate([self._labels, np.zeros_like(self._labels)])
        self._rows[self.t], self._targets[self.t], self._labels[self.t] = rows[0], target, seen
        self.t += 1
        return self._rows[self.t - 1], target

    def __deepcopy__(self, memo: dict[int, Any]) -> "RowBuffer":
        """Copy the rows in use, without the room ahead; the problem is shared."""
        other = RowBuffer.__new__(RowBuffer)
        other.problem, other.t = self.problem, self.t
        used = max(self.t, 1)
        other._rows, other._targets = self._rows[:used].copy(), self._targets[:used].copy()
        other._labels = self._labels[:used].copy()
        return other

    @property
    def rows(self) -> np.ndarray:
        """Encoded rows, (t, d), a view."""
        return self._rows[: self.t]

    @property
    def targets(self) -> np.ndarray:
        """Targets, (t,), a view."""
        return self._targets[: self.t]

    @property
    def posterior(self) -> Any:
        """F_t on these rows."""
        from sampler.problems.gaussian_mean import GaussianMeanPosterior
        from sampler.problems.glm import GlmPosterior

        if isinstance(self.problem, GaussianMean):
            return GaussianMeanPosterior(self.problem, self.rows)
        return GlmPosterior(self.problem, self.rows, self.targets, self._labels[: self.t])
