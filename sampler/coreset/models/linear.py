"""Linear regression with unknown noise variance and a normal prior on its logarithm: not conjugate."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sampler.arguments import whole_number
from sampler.coreset.models.base import checked_labels, checked_matrix
from sampler.coreset.models.score_model import ScoreModel, correlated_features, design
from sampler.kernels.coreset_families import LINEAR


class LinearLogVariance(ScoreModel):
    """y_n ~ N(x_n . beta, sigma^2), (beta, log sigma^2) ~ N(0, I); theta is beta, then log sigma^2.

    Parameters
    ----------
    features : (n, p) array
    labels : (n,) array
    intercept : bool
        Put a column of ones first.
    """

    title: ClassVar[str] = "Linear regression"
    family: ClassVar[int] = LINEAR

    def __init__(self, features: np.ndarray, labels: np.ndarray, intercept: bool = True) -> None:
        features = checked_matrix("features", features)
        rows, names = design(features, intercept)
        super().__init__(rows, checked_labels(labels, len(rows)), rows.shape[1] + 1, (*names, "log sigma^2"))

    @classmethod
    def synthetic(cls, n: int = 98_673, dim: int = 10, seed: int = 0) -> LinearLogVariance:
        """Delays in minutes against ``dim`` features, by default of the paper's shape: N = 98,673, p = 10.

        Noise of 20 minutes, coefficients N(0, 3^2), a mean delay of 8: far from what the prior expects.

        Parameters
        ----------
        n : int
            Data.
        dim : int >= 1
            Features.
        seed : int >= 0
            Same seed, same numbers.
        """
        n = whole_number("n", n, 2, 10**8, "98673 is the paper's")
        dim = whole_number("dim", dim, 1, 1000, "10 is the paper's")
        rng = np.random.default_rng(seed)
        features = correlated_features(n, dim, rng)
        labels = 8.0 + features @ (3.0 * rng.standard_normal(dim)) + 20.0 * rng.standard_normal(n)
        return cls(features, labels)

    @classmethod
    def from_data(cls, features: np.ndarray, labels: np.ndarray, intercept: bool = True) -> LinearLogVariance:
        """The user's data: (n, p) features without the column of ones, (n,) labels.

        Parameters
        ----------
        features : (n, p) array
        labels : (n,) array
        intercept : bool
            Add a column of ones?
        """
        return cls(features, labels, intercept)

    def terms(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """-log(sigma^2) / 2 - r^2 / (2 sigma^2), (n,).

        Parameters
        ----------
        theta : (D,) array
        rows : (n, p) array
        labels : (n,) array
        """
        with np.errstate(over="ignore"):
            rest = labels - rows[:, :self.dim - 1] @ theta[:-1]
            return -0.5 * theta[-1] - 0.5 * np.exp(-theta[-1]) * rest**2

    def term_gradients(self, theta: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """In beta and log sigma^2, (n, D).

        Parameters
        ----------
        theta : (D,) array
        rows : (n, p) array
        labels : (n,) array
        """
        rows, precision = rows[:, :self.dim - 1], np.exp(-theta[-1])
        rest = labels - rows @ theta[:-1]
        return np.column_stack((precision * rest[:, None] * rows, 0.5 * precision * rest**2 - 0.5))

    def derivatives(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient (D,) and Hessian (D, D) of `log_posterior`.

        Parameters
        ----------
        theta : (D,) array
        """
        rows, precision = self.rows[:, :self.dim - 1], np.exp(-theta[-1])
        rest = self.labels - rows @ theta[:-1]
        pull, square = precision * (rows.T @ rest), precision * (rest @ rest)
        gradient, diagonal = self.prior_derivatives(theta)
        gradient = gradient + np.append(pull, 0.5 * (square - self.n))
        hessian = np.diag(diagonal)
        hessian[:-1, :-1] -= precision * rows.T @ rows
        hessian[:-1, -1] -= pull
        hessian[-1, :-1] -= pull
        hessian[-1, -1] -= 0.5 * square
        return gradient, hessian

    def mode_start(self) -> np.ndarray:
        """Least squares: from the prior's centre Newton's steps would have far to go."""
        rows = self.rows[:, :self.dim - 1]
        beta = np.linalg.lstsq(rows, self.labels, rcond=None)[0]
        return np.append(beta, np.log(np.mean((self.labels - rows @ beta) ** 2) + 1e-12))
