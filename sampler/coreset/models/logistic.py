"""Logistic regression with Cauchy priors and rare positives."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sampler.arguments import is_scalar, whole_number
from sampler.coreset.models.base import checked_labels, checked_matrix
from sampler.coreset.models.score_model import ScoreModel, correlated_features, design
from sampler.kernels.coreset_families import CAUCHY_PRIOR, LOGISTIC


class CauchyLogistic(ScoreModel):
    """P(y_n = 1) = 1 / (1 + exp(-x_n . beta)), beta_i ~ Cauchy(0, 1).

    Positives may be rare, so coresets are stratified: half of the points positive, or all positives if there are
    fewer. Weights start at N / M all the same, as in the paper's experiments.

    Parameters
    ----------
    features : (n, p) array
    labels : (n,) array of 0 and 1
    intercept : bool
        Put a column of ones first.
    """

    title: ClassVar[str] = "Logistic regression"
    family: ClassVar[int] = LOGISTIC
    prior: ClassVar[int] = CAUCHY_PRIOR

    def __init__(self, features: np.ndarray, labels: np.ndarray, intercept: bool = True) -> None:
        features = checked_matrix("features", features)
        rows, names = design(features, intercept)
        super().__init__(rows, checked_labels(labels, len(rows), "binary"), rows.shape[1], names)

    @classmethod
    def synthetic(cls, n: int = 98_673, dim: int = 10, seed: int = 0, positives: float = 57.0) -> CauchyLogistic:
        """Cancelled flights: by default the paper's shape, N = 98,673, p = 10, about 57 positives.

        The intercept is set so that ``positives`` are expected.

        Parameters
        ----------
        n : int
            Data.
        dim : int >= 1
            Features.
        seed : int >= 0
            Same seed, same numbers.
        positives : float in (0, n)
            Expected number of labels 1.

        Raises
        ------
        ValueError
            For a size or a number of positives out of range.
        """
        n = whole_number("n", n, 2, 10**8, "98673 is the paper's")
        dim = whole_number("dim", dim, 1, 1000, "10 is the paper's")
        if not is_scalar(positives) or not 0 < positives < n:
            raise ValueError(f"positives must be above 0 and below n = {n}, got {positives!r}; 57 is the paper's")
        rng = np.random.default_rng(seed)
        features = correlated_features(n, dim, rng)
        scores = features @ (0.3 * rng.standard_normal(dim))
        low, high = -40.0, 40.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            expected = np.sum(1 / (1 + np.exp(-scores - middle)))
            low, high = (middle, high) if expected < positives else (low, middle)
        return cls(features, (rng.random(n) < 1 / (1 + np.exp(-scores - low))).astype(float))

    @classmethod
    def from_data(cls, features: np.ndarray, labels: np.ndarray, intercept: bool = True) -> CauchyLogistic:
        """The user's data: (n, p) features without the column of ones, (n,) labels 0 or 1.

        Parameters
        ----------
        features : (n, p) array
        labels : (n,) array of 0 and 1
        intercept : bool
            Add a column of ones?
        """
        return cls(features, labels, intercept)

    def pick(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """min(ceil(size / 2), all) positives, the rest negatives (as many as there are), without replacement.

        Parameters
        ----------
        size : int in [1, N]
        rng : numpy.random.Generator
        """
        positive, negative = np.flatnonzero(self.labels == 1), np.flatnonzero(self.labels == 0)
        taken = min(-(-size // 2), positive.size)
        taken = max(taken, size - negative.size)
        return np.concatenate((
            rng.choice(positive, size=taken, replace=False), rng.choice(negative, size=size - taken, replace=False),
        )).astype(np.int64)

    def score_terms(self, z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Label times z - log(1 + e^z) and its derivatives.

        Parameters
        ----------
        z : (n,) array
            Scores.
        labels : (n,) array
        """
        chance = 0.5 * (1 + np.tanh(0.5 * z))
        return labels * z - np.logaddexp(0, z), labels - chance, -chance * (1 - chance)
