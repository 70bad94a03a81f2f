"""A trained coreset on its own: points, weights, and a posterior that any gradient sampler can run on."""

from dataclasses import dataclass

import numpy as np

from sampler.coreset.models.base import Model
from sampler.problems.gradient_oracle import GradientOracle


@dataclass(frozen=True, eq=False)
class Coreset:
    """Weighted data whose posterior stands in for that of all data.

    Attributes
    ----------
    model : Model
    indices : (M,) int64 into the model's data
    weights : (M,) array, >= 0
    """

    model: Model
    indices: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def rows(self) -> np.ndarray:
        """(M, P) feature rows, padded with zeros."""
        return self.model.rows[self.indices]

    @property
    def labels(self) -> np.ndarray:
        """(M,) labels."""
        return self.model.labels[self.indices]

    def log_posterior(self, theta: np.ndarray) -> float:
        """sum_m w_m l_m(theta) + log prior, up to a constant, at ``theta`` (D,)."""
        theta = np.asarray(theta, dtype=float)
        return float(self.weights @ self.model.log_likelihood(theta, self.indices)) + self.model.log_prior(theta)

    def oracle(self) -> GradientOracle:
        """The coreset posterior as a problem for this library's Langevin samplers: f_m = -w_m l_m, M terms.

        Points without weight are left out. ValueError for a model without gradients in theta (the sparse
        regression's indicators are not continuous).
        """
        weighted = np.flatnonzero(self.weights > 0)
        if not weighted.size:
            raise ValueError("weights must not all be zero: this coreset posterior is the prior; lower the rate")
        rows, labels, weights = self.rows[weighted], self.labels[weighted], self.weights[weighted]
        self.model.term_gradients(np.zeros(self.model.dim), rows[:1], labels[:1])

        def gradients(chosen: np.ndarray, theta: np.ndarray) -> np.ndarray:
            return -weights[chosen, None] * self.model.term_gradients(theta, rows[chosen], labels[chosen])

        return GradientOracle(gradients, self.model.dim, lambda theta: -self.model.prior_gradient(theta))
