"""Poisson regression with a softplus rate."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sampler.arguments import whole_number
from sampler.coreset.models.base import checked_labels, checked_matrix
from sampler.coreset.models.score_model import ScoreModel, design
from sampler.kernels.coreset_families import POISSON

FAR_BELOW = -15.0


def softplus(z: np.ndarray) -> np.ndarray:
    """log(1 + e^z)."""
    return np.logaddexp(0, z)


class SoftplusPoisson(ScoreModel):
    """y_n ~ Poisson(log(1 + exp(x_n . beta))), beta ~ N(0, I).

    Counts in the hundreds put the mode hundreds of prior deviations away: chains started from the prior have far to
    go, which is what the hot start is for.

    Parameters
    ----------
    features : (n, p) array
    labels : (n,) array of counts
    intercept : bool
        Put a column of ones first.
    """

    title: ClassVar[str] = "Poisson regression"
    family: ClassVar[int] = POISSON

    def __init__(self, features: np.ndarray, labels: np.ndarray, intercept: bool = True) -> None:
        features = checked_matrix("features", features)
        rows, names = design(features, intercept)
        super().__init__(rows, checked_labels(labels, len(rows), "counts"), rows.shape[1], names)

    @classmethod
    def synthetic(cls, n: int = 15_641, dim: int = 8, seed: int = 0) -> SoftplusPoisson:
        """Hourly counts of about 190 against ``dim`` features, by default of the paper's shape: N = 15,641, p = 8.

        Parameters
        ----------
        n : int
            Data.
        dim : int >= 1
            Features.
        seed : int >= 0
            Same seed, same numbers.
        """
        n = whole_number("n", n, 2, 10**8, "15641 is the paper's")
        dim = whole_number("dim", dim, 1, 1000, "8 is the paper's")
        rng = np.random.default_rng(seed)
        features = rng.standard_normal((n, dim))
        beta = rng.permutation(np.resize([17.0, 71.0, -1.0, -14.0, 39.0, 2.5, -22.0, 0.6], dim))
        return cls(features, rng.poisson(softplus(186.0 + features @ beta)))

    @classmethod
    def from_data(cls, features: np.ndarray, labels: np.ndarray, intercept: bool = True) -> SoftplusPoisson:
        """The user's data: (n, p) features without the column of ones, (n,) counts.

        Parameters
        ----------
        features : (n, p) array
        labels : (n,) array
            Counts.
        intercept : bool
            Add a column of ones?
        """
        return cls(features, labels, intercept)

    def score_terms(self, z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Label times log(rate) - rate and its derivatives; log(rate) -> z far below 0.

        Parameters
        ----------
        z : (n,) array
            Scores.
        labels : (n,) array
        """
        rate, slope = softplus(z), 0.5 * (1 + np.tanh(0.5 * z))
        small = np.exp(np.minimum(z, FAR_BELOW))
        far = z < FAR_BELOW
        rate = np.where(far, small * (1 - 0.5 * small), rate)
        slope = np.where(far, small * (1 - small), slope)
        log_rate = np.where(far, z - 0.5 * small, np.log(np.where(far, 1.0, rate)))
        relative = np.where(far, 1 - 0.5 * small, slope / np.where(far, 1.0, rate))  # slope / rate
        bend = 1 - slope  # slope' = slope (1 - slope)
        return (labels * log_rate - rate, labels * relative - slope,
                labels * relative * (bend - relative) - slope * bend)

    def mode_start(self) -> np.ndarray:
        """The intercept, or first feature, at the mean count."""
        start = np.zeros(self.dim)
        if np.all(self.rows[:, 0] == 1):
            start[0] = self.labels.mean()
        return start
