"""Generalised linear models with one score per datum: logistic, linear and Poisson regression.

Every term has the gradient ``(mean(z) - target) * row`` with the score ``z = row . theta``, so a
sampler caches ONE number per datum, ``mean(z)``. Rows and targets are encoded such that this form
is exact:

=========  ==================  =========  ==========================
model      row                 target     mean(z)
=========  ==================  =========  ==========================
logistic   ``-y x``, y = +-1   0          ``1/(1 + exp(-z))``
linear     ``x / noise_std``   ``y/std``  ``z``
Poisson    ``x``               ``y``      ``exp(z)``
=========  ==================  =========  ==========================

The logistic row includes the label's sign, so that ``mean(z)`` has full precision at saturated scores.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from sampler.arguments import real_number
from sampler.problems.base import (
    checked_labels,
    checked_rows,
    coordinate_numbers,
    one_point,
    points,
    term_numbers,
    whole_dim,
)

CHUNK = 65536  # rows processed at once, which bounds the memory for any length of the stream


class GeneralizedLinearModel:
    """One-score model with the prior N(0, diag(1/prior_precision)).

    Parameters
    ----------
    dim : int
        Number of features, the intercept's column of ones included.
    prior_precision : float or (dim,) array, >= 0
        Precision of each coordinate's Gaussian prior; 0 is a flat prior.
    """

    kind = ""
    kind_code = -1  # kind of the model in compiled kernels
    curvature_bound = np.inf

    def __init__(self, dim: int, prior_precision: float | np.ndarray = 1.0) -> None:
        self.dim = whole_dim(dim)
        self.prior_precision = coordinate_numbers(prior_precision, self.dim)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.to_dict().items() if k != 'kind')})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that define the problem, for files."""
        precision = self.prior_precision
        same = bool(np.all(precision == precision[0]))
        return {"kind": self.kind, "dim": self.dim,
                "prior_precision": float(precision[0]) if same else precision.tolist()}

    def encode(self, features: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Check raw data and return their encoding ``(rows (n, dim), targets (n,), labels (n,))``.

        Parameters
        ----------
        features : (n, dim) array, or (dim,) for one datum
            Finite numbers.
        labels : (n,) array, or a number
            Any for LinearRegression, 0 and 1 or -1 and +1 for LogisticRegression, counts for PoissonRegression.

        Raises
        ------
        ValueError
            For an invalid shape, numbers that are not finite, or labels invalid for the model.
        """
        raise NotImplementedError

    def posterior(self, features: ArrayLike, labels: ArrayLike) -> "GlmPosterior":
        """Return F_t for raw ``features`` (t, dim) and ``labels`` (t,), checked as by ``encode`` and copied."""
        return GlmPosterior(self, *map(np.array, self.encode(features, labels)))

    def mean_function(self, scores: np.ndarray) -> np.ndarray:
        """Return mean(z) of ``scores`` of any shape, elementwise: the numbers that a sampler caches."""
        raise NotImplementedError

    def score_of_mean(self, means: np.ndarray) -> np.ndarray:
        """Return the inverse of `mean_function` at ``means``, elementwise: the scores at the anchors."""
        raise NotImplementedError

    def score_curvature(self, scores: np.ndarray) -> np.ndarray:
        """Return the second derivative of a term in its score at ``scores``, elementwise, >= 0."""
        raise NotImplementedError

    def score_loss(self, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return f_k up to a constant at ``scores`` with encoded responses ``targets``; the shapes broadcast."""
        raise NotImplementedError

    def features_of(self, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the raw features of encoded ``rows`` (n, dim) with raw ``labels`` (n,)."""
        return rows


class LogisticRegression(GeneralizedLinearModel):
    """f_k = log(1 + exp(-y_k x_k . theta)), labels in {0, 1} or {-1, +1}, which may be mixed."""

    kind, kind_code, curvature_bound = "logistic", 0, 0.25

    def encode(self, features: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = checked_rows(features, self.dim)
        labels = checked_labels(labels, len(rows))
        bad = np.flatnonzero((labels != 0.0) & (np.abs(labels) != 1.0))
        if bad.size:
            raise ValueError(f"label must be in {{0, 1}} or {{-1, +1}}, row {bad[0]} has {labels[bad[0]]!r}; "
                             "recode the two classes")
        signs = np.where(labels > 0, 1.0, -1.0)
        return -signs[:, None] * rows, np.zeros(len(rows)), (signs > 0).astype(float)

    def mean_function(self, scores: np.ndarray) -> np.ndarray:
        return expit(scores)

    def score_of_mean(self, means: np.ndarray) -> np.ndarray:
        return logit(means)

    def score_curvature(self, scores: np.ndarray) -> np.ndarray:
        return expit(scores) * expit(-scores)

    def score_loss(self, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, scores)

    def features_of(self, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return np.where(labels > 0, -1.0, 1.0)[:, None] * rows


class LinearRegression(GeneralizedLinearModel):
    """f_k = (y_k - x_k . theta)^2 / (2 noise_std^2)."""

    kind, kind_code = "linear", 1

    def __init__(self, dim: int, prior_precision: float | np.ndarray = 1.0, noise_std: float = 1.0) -> None:
        super().__init__(dim, prior_precision)
        self.noise_std = real_number("noise_std", noise_std, "use the residuals' standard deviation", above=0.0)
        self.curvature_bound = 1.0  # of a term, in the score of its encoded (scaled) row

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "noise_std": self.noise_std}

    def encode(self, features: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = checked_rows(features, self.dim)
        labels = checked_labels(labels, len(rows))
        return rows / self.noise_std, labels / self.noise_std, labels

    def mean_function(self, scores: np.ndarray) -> np.ndarray:
        return np.asarray(scores, float)

    def score_of_mean(self, means: np.ndarray) -> np.ndarray:
        return np.asarray(means, float)

    def score_curvature(self, scores: np.ndarray) -> np.ndarray:
        return np.ones_like(scores)

    def score_loss(self, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
        return 0.5 * (scores - targets) ** 2

    def features_of(self, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        return rows * self.noise_std


class PoissonRegression(GeneralizedLinearModel):
    """f_k = exp(x_k . theta) - y_k x_k . theta, counts y_k = 0, 1, 2, ...

    Its curvature is unbounded (assumption 1 fails: L is infinite); it is convex, and sampling works well for moderate
    rates.
    """

    kind, kind_code = "poisson", 2

    def encode(self, features: ArrayLike, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = checked_rows(features, self.dim)
        labels = checked_labels(labels, len(rows))
        bad = np.flatnonzero((labels < 0) | (labels != np.floor(labels)))
        if bad.size:
            raise ValueError(f"label must be a count in {{0, 1, 2, ...}}, row {bad[0]} has {labels[bad[0]]!r}; "
                             "use LinearRegression for real responses")
        return rows, labels, labels

    def mean_function(self, scores: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(scores, 700.0))

    def score_of_mean(self, means: np.ndarray) -> np.ndarray:
        return np.log(means)

    def score_curvature(self, scores: np.ndarray) -> np.ndarray:
        return self.mean_function(scores)

    def score_loss(self, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
        return self.mean_function(scores) - targets * scores


GLM_KINDS = {c.kind: c for c in (LogisticRegression, LinearRegression, PoissonRegression)}


class GlmPosterior:
    """F_t of a one-score model on views of encoded rows.

    Attributes
    ----------
    rows : (t, dim) array
        Encoded rows (see the table in the module docstring); ``targets`` and raw ``labels`` are (t,).
    """

    def __init__(self, problem: GeneralizedLinearModel, rows: np.ndarray, targets: np.ndarray, labels: np.ndarray) -> None:
        self.problem, self.rows, self.targets, self.labels = problem, rows, targets, labels
        self.t, self.dim = len(rows), problem.dim

    @property
    def features(self) -> np.ndarray:
        """Raw features, (t, dim); a copy for logistic and linear models."""
        return self.problem.features_of(self.rows, self.labels)

    def _chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for start in range(0, self.t, CHUNK):
            yield self.rows[start:start + CHUNK], self.targets[start:start + CHUNK]

    def scores(self, theta: np.ndarray) -> np.ndarray:
        """Return the scores of all data at one point ``theta``, (dim,) -> (t,)."""
        return self.rows @ one_point(theta, self.dim)

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """Return F_t at ``theta`` up to a constant: (n, dim) -> (n,), or one point -> a number."""
        theta, single = points(theta, self.dim)
        total = 0.5 * (theta**2) @ self.problem.prior_precision
        for rows, targets in self._chunks():
            total = total + self.problem.score_loss(rows @ theta.T, targets[:, None]).sum(axis=0)
        return float(total[0]) if single else total

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of F_t at ``theta``: (n, dim) -> (n, dim), or one point -> (dim,)."""
        theta, single = points(theta, self.dim)
        total = theta * self.problem.prior_precision
        for rows, targets in self._chunks():
            total = total + (self.problem.mean_function(rows @ theta.T) - targets[:, None]).T @ rows
        return total[0] if single else total

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Return the Hessian of F_t at one point ``theta``: (dim,) -> (dim, dim)."""
        theta, total = one_point(theta, self.dim), np.diag(self.problem.prior_precision)
        for rows, _ in self._chunks():
            total = total + (rows * self.problem.score_curvature(rows @ theta)[:, None]).T @ rows
        return total

    def term_gradients(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Return the gradients of f_1..f_t, or of the terms at ``indices``, at ``theta``: (dim,) -> (t, dim)."""
        theta, chosen = one_point(theta, self.dim), slice(None) if indices is None else term_numbers(indices, self.t)
        rows, targets = self.rows[chosen], self.targets[chosen]
        return (self.problem.mean_function(rows @ theta) - targets)[:, None] * rows
