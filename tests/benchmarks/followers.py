"""What NUTS is compared with: a particle filter with rejuvenation and streaming variational Bayes, in NumPy.

The particle filter is the iterated batch importance sampling of Chopin (2002, Biometrika 89). Each datum multiplies the
weights by its likelihood, O(N d). When the effective size falls below half, particles are resampled, and moved by Metropolis
steps over all data so far, O(N t d) a step. A step proposes from the normal law with the particles' mean and covariance, as
Chopin's does; every second one is a random walk with that covariance, which also moves particles in heavier tails.

Streaming variational Bayes (Broderick et al. 2013, NIPS 26): the last posterior, a normal law, is the next datum's prior.
Each likelihood of logistic regression is replaced by the quadratic bound of Jaakkola and Jordan (2000, Statistics and
Computing 10), tight at +-xi:

    log s(x) >= log s(xi) + (x - xi)/2 - lambda(xi) (x^2 - xi^2),   lambda(xi) = tanh(xi/2)/(4 xi).

A datum changes precision and mean in one direction, O(d^2), and is then forgotten.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

MOVES = 3  # Metropolis steps a rejuvenation
CHUNK = 2**21  # scores held at once


class ParticleFilter:
    """N weighted particles that follow one stream.

    Parameters
    ----------
    particles : (N, d) array
        Draws from the prior.
    log_prior : function
        (N, d) -> (N,), up to a constant.
    log_likelihood : function
        ``log_likelihood(particles, first, last) -> (N,)``: sum over the data first..last - 1.
    rng : numpy Generator
    """

    def __init__(self, particles: np.ndarray, log_prior: Callable, log_likelihood: Callable,
                 rng: np.random.Generator) -> None:
        self.particles, self._log_likelihood, self._log_prior, self._rng = particles, log_likelihood, log_prior, rng
        self._log_target = log_prior(particles)
        self._log_weights = np.zeros(len(particles))
        self.t, self.rejuvenations, self.acceptance = 0, 0, []

    @property
    def weights(self) -> np.ndarray:
        """Weights that sum to 1, (N,)."""
        raw = np.exp(self._log_weights - self._log_weights.max())
        return raw / raw.sum()

    def observe(self) -> None:
        """Take in the next datum of the stream."""
        gain = self._log_likelihood(self.particles, self.t, self.t + 1)
        self._log_weights += gain
        self._log_target += gain
        self.t += 1
        weights = self.weights
        if 1.0 / (weights @ weights) < 0.5 * len(weights):
            self._rejuvenate(weights)

    def draws(self) -> np.ndarray:
        """N equally weighted particles, (N, d): copies where the weights are unequal."""
        return self.particles[self._resampled(self.weights)]

    def _resampled(self, weights: np.ndarray) -> np.ndarray:
        """Indices by systematic resampling: a particle is taken N w times, rounded up or down."""
        places = (self._rng.random() + np.arange(len(weights))) / len(weights)
        return np.minimum(np.searchsorted(weights.cumsum(), places), len(weights) - 1)

    def _rejuvenate(self, weights: np.ndarray) -> None:
        mean = weights @ self.particles
        centred = self.particles - mean
        root = np.linalg.cholesky((weights[:, None] * centred).T @ centred / (1.0 - weights @ weights))
        chosen = self._resampled(weights)
        self.particles, self._log_target = self.particles[chosen], self._log_target[chosen]
        self._log_weights[:] = 0.0
        self.rejuvenations += 1
        for move in range(MOVES):
            self._move(mean, root, walk=move % 2 == 1)

    def _move(self, mean: np.ndarray, root: np.ndarray, walk: bool) -> None:
        n, d = self.particles.shape
        noise = self._rng.standard_normal((n, d))
        if walk:
            proposed, correction = self.particles + 2.38 / np.sqrt(d) * noise @ root.T, 0.0
        else:
            proposed = mean + noise @ root.T
            white = np.linalg.solve(root, (self.particles - mean).T).T
            correction = 0.5 * ((noise**2).sum(axis=1) - (white**2).sum(axis=1))
        result = self._log_prior(proposed) + self._log_likelihood(proposed, 0, self.t)
        accepted = np.log(self._rng.random(n)) < result - self._log_target + correction
        self.particles[accepted], self._log_target[accepted] = proposed[accepted], result[accepted]
        self.acceptance.append(accepted.mean())


def logistic_filter(rows: np.ndarray, particles: int, seed: int) -> ParticleFilter:
    """Particle filter of logistic regression under a standard normal prior.

    Parameters
    ----------
    rows : (T, d) array
        Features times 1 - 2 label, so that a datum's log-likelihood is -log(1 + exp(score)).
    """
    rng = np.random.default_rng(seed)

    def log_likelihood(theta, first, last):
        total, few = np.zeros(len(theta)), max(1, CHUNK // len(theta))
        for start in range(first, last, few):
            scores = rows[start:min(start + few, last)] @ theta.T
            total -= np.log1p(np.exp(scores, out=scores), out=scores).sum(axis=0)
        return total

    return ParticleFilter(rng.standard_normal((particles, rows.shape[1])),
                          lambda theta: -0.5 * (theta**2).sum(axis=1), log_likelihood, rng)


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
