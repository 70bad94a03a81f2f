"""Small streams shared by the algorithm tests."""

import numpy as np

from sampler import GaussianMean, GradientOracle, LinearRegression, LogisticRegression, PoissonRegression


def stream(kind: str, n: int = 200, dim: int = 3, seed: int = 0):
    """``(problem, data)``: ``observe(*[part[i] for part in data])`` takes datum i."""
    rng = np.random.default_rng(seed)
    features, theta = rng.standard_normal((n, dim)), rng.standard_normal(dim)
    if kind == "logistic":
        labels = (rng.random(n) < 1 / (1 + np.exp(-features @ theta))).astype(int)
        return LogisticRegression(dim), (features, labels)
    if kind == "linear":
        return LinearRegression(dim, noise_std=0.7), (features, features @ theta + 0.7 * rng.standard_normal(n))
    if kind == "poisson":
        features *= 0.5
        return PoissonRegression(dim), (features, rng.poisson(np.exp(features @ theta)))
    if kind == "gaussian":
        return GaussianMean(dim), (features + theta,)
    raise ValueError(kind)


class CountingOracle:
    """The same terms as a built-in problem, known through gradients and a curvature, and every gradient counted."""

    def __init__(self, problem, data) -> None:
        self.posterior, self.count = problem.posterior(*data), 0
        precision = problem.prior_precision
        self.problem = GradientOracle(self.gradients, problem.dim, lambda theta: precision * theta,
                                      curvature=self.curvature, prior_curvature=precision)

    def gradients(self, indices, theta):
        self.count += len(indices)
        return self.posterior.term_gradients(theta, indices)

    def curvature(self, indices, theta):
        if self.posterior.problem.kind == "gaussian_mean":
            return np.full((len(indices), self.posterior.dim), 2.0)
        rows = self.posterior.rows[indices]
        weights = self.posterior.problem.score_curvature(rows @ theta)
        return weights[:, None, None] * rows[:, :, None] * rows[:, None, :]
