"""Streaming variational Bayes (Broderick et al. 2013, NIPS 26): the last posterior is the next datum's prior.

The posterior is a normal law. Each likelihood of logistic regression is replaced by the quadratic bound of
Jaakkola and Jordan (2000, Statistics and Computing 10), tight at +-xi:

    log s(x) >= log s(xi) + (x - xi)/2 - lambda(xi) (x^2 - xi^2),   lambda(xi) = tanh(xi/2)/(4 xi).

A datum changes precision and mean in one direction, O(d^2), and is then forgotten.
"""

from __future__ import annotations

import math

import numpy as np

TIGHTENINGS = 20  # most fixed-point steps of xi a datum; numbers only, so they cost little
CLOSE = 1e-9


class StreamingLogistic:
    """Logistic regression by Jaakkola and Jordan's bound, xi tightened at each datum.

    Parameters
    ----------
    dim : int
    prior_precision : float > 0
        Of the centred prior.
    """

    def __init__(self, dim: int, prior_precision: float = 1.0) -> None:
        self.mean, self.covariance = np.zeros(dim), np.eye(dim) / prior_precision

    def absorb(self, row: np.ndarray, pull: float, curvature: float) -> None:
        """Take in curvature/2 (row . theta)^2 - pull row . theta by Sherman and Morrison's formula, O(d^2)."""
        along = self.covariance @ row
        growth = 1.0 + curvature * float(row @ along)
        self.mean = self.mean + along * ((pull - curvature * float(row @ self.mean)) / growth)
        self.covariance -= np.outer(along * (curvature / growth), along)

    def draws(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n points, (n, d)."""
        return self.mean + rng.standard_normal((n, len(self.mean))) @ np.linalg.cholesky(self.covariance).T

    def observe(self, row: np.ndarray, label: float) -> None:
        """Take in one datum, label 0 or 1."""
        spread, score, pull = float(row @ self.covariance @ row), float(row @ self.mean), float(label) - 0.5
        xi = math.sqrt(spread + score * score)
        for _ in range(TIGHTENINGS):
            curvature = bound_curvature(xi)
            growth = 1.0 + curvature * spread
            last, xi = xi, math.sqrt(spread / growth + ((score + pull * spread) / growth) ** 2)
            if abs(xi - last) <= CLOSE * xi:
                break
        self.absorb(row, pull, bound_curvature(xi))


def bound_curvature(xi: float) -> float:
    """2 lambda(xi): 1/4 at xi = 0, less beyond."""
    return 0.25 if xi < 1e-6 else math.tanh(0.5 * xi) / (2.0 * xi)
