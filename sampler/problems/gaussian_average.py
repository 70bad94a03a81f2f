"""The Gaussian experiment of Zou, Xu and Gu (ZXG section 5.1): an average of quadratics that share one curvature."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import LARGEST, real_array, shown
from sampler.problems.base import checked_rows, points, whole_dim


class GaussianAverage:
    """f = (1/n) sum_k (theta - y_k)' Sigma (theta - y_k) / 2 on n data, so pi = N(mean of the y_k, Sigma^-1).

    In the library's sum form the terms are f_k / n: the same step size means the same chain. Sigma is diagonal,
    which loses nothing (turn the coordinates). The target keeps its width however many data there are, so this
    problem is for samplers on fixed data only.

    Parameters
    ----------
    curvatures : (d,) array, > 0
        Eigenvalues of Sigma.
    """

    kind = "gaussian_average"

    def __init__(self, curvatures: ArrayLike) -> None:
        advice = "ZXG use numpy.linspace(0.5, 2, 10)"
        values = np.array(real_array("curvatures", curvatures, "a list of numbers", advice))
        if values.ndim != 1 or not values.size or not np.all((values > 0) & (values <= LARGEST)):
            raise ValueError(f"curvatures must be a list of numbers in (0, {LARGEST:g}], got {shown(curvatures)}; {advice}")
        self.curvatures, self.dim = values, whole_dim(values.size)
        self.prior_precision = np.zeros(self.dim)

    def __repr__(self) -> str:
        return f"GaussianAverage({self.curvatures.tolist()})"

    def encode(self, data: Any, labels: Any = None) -> np.ndarray:
        """Checked data y_k, (n, dim).

        Parameters
        ----------
        data : (n, dim) array
            One row a datum, finite.
        labels : None
            There are none; any other value is refused.

        Raises
        ------
        ValueError
            For a wrong shape, a number that is not finite, and labels.
        """
        if labels is not None:
            raise ValueError(f"labels must be left out for GaussianAverage, got {type(labels).__name__}")
        return checked_rows(data, self.dim)

    def posterior(self, data: Any, labels: Any = None) -> "GaussianAveragePosterior":
        """F for the data (n, dim).

        Parameters
        ----------
        data : (n, dim) array
            One row a datum, finite.
        labels : None
            There are none.
        """
        return GaussianAveragePosterior(self, self.encode(data, labels))


class GaussianAveragePosterior:
    """F(theta) = (theta - mean)' Sigma (theta - mean) / 2 + a constant, from the rows (n, dim)."""

    labels = None

    def __init__(self, problem: GaussianAverage, rows: np.ndarray) -> None:
        self.problem, self.rows, self.t, self.dim = problem, rows, len(rows), problem.dim
        self.features = rows

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """F up to a constant: (n, dim) -> (n,), or one point -> a number."""
        theta, single = points(theta, self.dim)
        total = 0.5 * (theta - self.rows.mean(axis=0)) ** 2 @ self.problem.curvatures
        return float(total[0]) if single else total

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of F, same shape as ``theta``."""
        theta, single = points(theta, self.dim)
        total = self.problem.curvatures * (theta - self.rows.mean(axis=0))
        return total[0] if single else total

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Sigma, (dim, dim)."""
        return np.diag(self.problem.curvatures)

    def term_gradients(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Gradients Sigma (theta - y_k) / n of the terms, (t, dim)."""
        rows = self.rows if indices is None else self.rows[indices]
        return self.problem.curvatures / self.t * (np.asarray(theta, float) - rows)
