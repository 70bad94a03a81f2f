"""Shared helpers: small streams, a counting oracle, a sampler's random numbers, a test of normal draws."""

import numpy as np

from sampler import GaussianMean, GradientOracle, GridReference, LinearRegression, LogisticRegression, PoissonRegression
from sampler.kernels.chains import INDEX_STREAM, LENGTH_STREAM, NOISE_BLOCK, NOISE_STREAM
from sampler.kernels.rng import fill_index, fill_normal, next_uniform, spawn_generators


def stream(kind: str, n: int = 200, dim: int = 3, seed: int = 0):
    """Return ``(problem, data)``; ``observe(*[part[i] for part in data])`` observes datum i."""
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


def grid_of(problem, features, labels):
    """Return a grid reference with all rows."""
    grid = GridReference(problem)
    for row, label in zip(features, labels, strict=True):
        grid.add(row, label)
    return grid


def assert_normal(draws, mean, covariance):
    """Assert that independent draws are normal; whitened means have sd 1/sqrt(n), second moments sqrt(2/n)."""
    white, n = (draws - mean) @ np.linalg.cholesky(np.linalg.inv(covariance)), len(draws)
    assert np.abs(white.mean(axis=0)).max() < 5 / np.sqrt(n)  # five standard errors
    assert np.abs(white.T @ white / n - np.eye(white.shape[1])).max() < 5 * np.sqrt(2 / n)


class CountingOracle:
    """Oracle with the terms of a built-in problem, including curvature, that counts gradient evaluations."""

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


class Randoms:
    """Random numbers of one chain of a sampler, in the sampler's order."""

    def __init__(self, seed: int, chains: int = 1, chain: int = 0) -> None:
        self._rng, self._normals = spawn_generators(seed, chains, 3)[chain], []

    def length(self, i_max: int) -> int:
        return 1 + int(next_uniform(self._rng[LENGTH_STREAM]) * i_max)

    def uniform(self) -> float:
        return next_uniform(self._rng[INDEX_STREAM])

    def batch(self, t: int, size: int) -> np.ndarray:
        drawn = np.empty(size, np.int64)
        fill_index(self._rng[INDEX_STREAM], t, drawn)
        return drawn

    def normal(self, dim: int) -> np.ndarray:
        if len(self._normals) < dim:
            self._normals = np.empty(NOISE_BLOCK)
            fill_normal(self._rng[NOISE_STREAM], self._normals)
        drawn, self._normals = self._normals[:dim], self._normals[dim:]
        return drawn
