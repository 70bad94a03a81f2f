"""Gaussian targets: the mean of a Gaussian, and the experiment of Zou, Xu and Gu (ZXG section 5.1)."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import LARGEST, real_array, shown
from sampler.problems.base import checked_rows, one_point, points, term_numbers, whole_dim


class GaussianProblem:
    """Base of the Gaussian problems: quadratic terms of observations (n, dim), no labels, a flat prior."""

    kind = ""

    def __init__(self, dim: int = 1) -> None:
        self.dim = whole_dim(dim)
        self.prior_precision = np.zeros(self.dim)

    def term_curvatures(self, t: int) -> np.ndarray:
        """Return the curvature of each of ``t`` terms along each coordinate, (dim,)."""
        raise NotImplementedError

    def encode(self, data: ArrayLike, labels: Any = None) -> np.ndarray:
        """Return the checked observations, (n, dim); if ``dim`` is 1, a list of numbers is n observations.

        Parameters
        ----------
        data : (n, dim) array, or (dim,) for one datum
            Observations, finite.
        labels : None
            Must be None.

        Raises
        ------
        ValueError
            For an invalid shape, a number that is not finite, or labels.
        """
        if labels is not None:
            raise ValueError(f"label must be left out for {type(self).__name__}, got {shown(labels)}; call observe(y)")
        if self.dim == 1 and np.ndim(data) == 1:
            data = np.asanyarray(data)[:, None]
        return checked_rows(data, self.dim, "y")

    def posterior(self, data: ArrayLike, labels: Any = None) -> "GaussianPosterior":
        """Return F_t for a copy of the finite observations ``data`` (t, dim); ``labels`` must be None."""
        return GaussianPosterior(self, np.array(self.encode(data, labels)))


class GaussianMean(GaussianProblem):
    """f_k(theta) = ||y_k - theta||^2 with a flat prior, so pi_t = N(mean of y_1..y_t, I/(2t)).

    Parameters
    ----------
    dim : int
        Dimension of y_k and theta.
    """

    kind = "gaussian_mean"
    curvature_bound = 2.0

    def __repr__(self) -> str:
        return f"GaussianMean(dim={self.dim})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that define the problem, for files."""
        return {"kind": self.kind, "dim": self.dim}

    def term_curvatures(self, t: int) -> np.ndarray:
        """Return 2 for each coordinate, (dim,), independent of ``t``."""
        return np.full(self.dim, 2.0)


class GaussianAverage(GaussianProblem):
    """f = (1/n) sum_k (theta - y_k)' Sigma (theta - y_k) / 2 on n data, so pi = N(mean of the y_k, Sigma^-1).

    In the library's sum form the terms are f_k / n: the same step size gives the same chain. Sigma is diagonal without
    loss of generality (rotate the coordinates). The width of the target does not depend on n, so this problem is for
    samplers on fixed data only.

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
        super().__init__(values.size)
        self.curvatures = values

    def __repr__(self) -> str:
        return f"GaussianAverage({self.curvatures.tolist()})"

    def term_curvatures(self, t: int) -> np.ndarray:
        """Return the diagonal of Sigma / ``t``, (dim,)."""
        return self.curvatures / max(t, 1)


class GaussianPosterior:
    """F_t(theta) = sum_k (theta - y_k)' C (theta - y_k) / 2 of the observations ``rows`` (t, dim), which are the features.

    Attributes
    ----------
    curvatures : (dim,) array
        Diagonal of C, the Hessian of one term.
    """

    labels = None

    def __init__(self, problem: GaussianProblem, rows: np.ndarray) -> None:
        self.problem, self.rows, self.features = problem, rows, rows
        self.t, self.dim = len(rows), problem.dim
        self.curvatures = problem.term_curvatures(self.t)

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """Return F_t at ``theta``: (n, dim) -> (n,), or one point -> a number."""
        theta, single = points(theta, self.dim)
        mean = self.rows.mean(axis=0)
        squares = self.t * (theta - mean) ** 2 + ((self.rows - mean) ** 2).sum(axis=0)
        total = 0.5 * squares @ self.curvatures
        return float(total[0]) if single else total

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of F_t at ``theta``, of the same shape."""
        theta, single = points(theta, self.dim)
        total = self.curvatures * (self.t * theta - self.rows.sum(axis=0))
        return total[0] if single else total

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Return the Hessian of F_t, (dim, dim): t C for every ``theta`` (dim,)."""
        one_point(theta, self.dim)
        return np.diag(self.t * self.curvatures)

    def term_gradients(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Return the gradients C (theta - y_k) at ``theta`` of all terms, or of those at ``indices``, (n, dim)."""
        chosen = slice(None) if indices is None else term_numbers(indices, self.t)
        return self.curvatures * (one_point(theta, self.dim) - self.rows[chosen])
