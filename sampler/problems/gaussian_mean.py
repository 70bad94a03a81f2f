"""The mean of a Gaussian, f_k = ||y_k - theta||^2: the problem whose every answer is known on paper."""

from typing import Any

import numpy as np

from sampler.problems.base import checked_rows, points, whole_dim


class GaussianMean:
    """f_k(theta) = ||y_k - theta||^2 with a flat prior, so pi_t = N(mean of y_1..y_t, I/(2t)).

    Parameters
    ----------
    dim : int
        Dimension of y_k and theta.
    """

    kind = "gaussian_mean"
    curvature_bound = 2.0

    def __init__(self, dim: int = 1) -> None:
        self.dim = whole_dim(dim)
        self.prior_precision = np.zeros(self.dim)

    def __repr__(self) -> str:
        return f"GaussianMean(dim={self.dim})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values that rebuild the problem, for files."""
        return {"kind": self.kind, "dim": self.dim}

    def encode(self, data: Any, labels: Any = None) -> np.ndarray:
        """Checked observations, (n, dim); for ``dim`` 1 a list of numbers is n observations.

        Parameters
        ----------
        data : (n, dim) array, or (dim,) for one datum
            Observations, finite.
        labels : None
            There are none; any other value is refused.

        Raises
        ------
        ValueError
            For a wrong shape, a number that is not finite, and labels.
        """
        if labels is not None:
            raise ValueError(f"label must be left out for GaussianMean, got {labels!r}; call observe(y)")
        if self.dim == 1 and np.ndim(data) == 1:
            data = np.asarray(data)[:, None]
        return checked_rows(data, self.dim, "y")

    def posterior(self, data: Any, labels: Any = None) -> "GaussianMeanPosterior":
        """F_t for observations (t, dim).

        Parameters
        ----------
        data : (n, dim) array
            Observations, finite.
        labels : None
            There are none.
        """
        return GaussianMeanPosterior(self, self.encode(data, labels))


class GaussianMeanPosterior:
    """F_t(theta) = sum_k ||y_k - theta||^2 on the observations ``rows`` (t, dim)."""

    def __init__(self, problem: GaussianMean, rows: np.ndarray) -> None:
        self.problem, self.rows, self.t, self.dim = problem, rows, len(rows), problem.dim
        self.labels = None

    @property
    def features(self) -> np.ndarray:
        """Observations y_1..y_t, (t, dim)."""
        return self.rows

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """F_t: (n, dim) -> (n,), or one point -> a number."""
        theta, single = points(theta, self.dim)
        mean = self.rows.mean(axis=0)
        total = self.t * ((theta - mean) ** 2).sum(axis=1) + ((self.rows - mean) ** 2).sum()
        return float(total[0]) if single else total

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of F_t, same shape as ``theta``."""
        theta, single = points(theta, self.dim)
        total = 2.0 * (self.t * theta - self.rows.sum(axis=0))
        return total[0] if single else total

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """2 t I, (dim, dim)."""
        return 2.0 * self.t * np.eye(self.dim)

    def term_gradients(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Gradients 2 (theta - y_k), (t, dim)."""
        return 2.0 * (np.asarray(theta, float) - (self.rows if indices is None else self.rows[indices]))
