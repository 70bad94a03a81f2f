"""IBIS with waste-free moves, a particle filter over the coefficients (Chopin 2002; Dau and Chopin 2022).

N particles x_i with weights w_i stand for pi_t. A datum multiplies them, w_i <- w_i exp(-f_t(x_i)), N evaluations, while the
effective size (sum w)^2 / sum w^2 stays above N/2. Where it would fall below, the datum enters up to the power that leaves
N/2, and the cloud is renewed at that tempered law before the rest of the datum enters:

1. M = N/P ancestors are drawn by systematic resampling;
2. each walks P - 1 steps of Metropolis, in turn Y = m + L xi, wherever X is, and the random walk Y = X + 2.38 d^(-1/2) L xi,
   with m the weighted mean and L L' the weighted covariance: the first mixes fast where the law is nearly normal, the second
   in its tails;
3. all N states of the walks are the new particles, with equal weights: none is wasted.

A renewal costs M (P - 1) t evaluations. Between two renewals the information grows by a factor, so a stream has O(d log t)
of them: the mean cost of a datum is bounded and that of the worst datum grows with t.

Sources: Biometrika 89:539 (2002), https://doi.org/10.1093/biomet/89.3.539; Journal of the Royal Statistical Society B
84:114 (2022), https://doi.org/10.1111/rssb.12475, Algorithm 2. Proposals from N(m, L L') are of the first.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular
from scipy.special import logsumexp

from sampler.algorithms.chain_states import starting_points
from sampler.algorithms.langevin import DrawSampler, proper_precision
from sampler.arguments import whole_number
from sampler.kernels.langevin_step import FAR
from sampler.problems.base import Problem, quiet
from sampler.settings import Settings

WALK, LONGEST_WALK = 50, 1000  # states of a walk (P): usual, and most
EPOCH_WORD = 9  # after the seed and before t in the seed of an epoch's generator
BISECTIONS = 40


def effective_size(log_weights: np.ndarray) -> float:
    """(sum w)^2 / sum w^2 of weights whose logarithms are ``log_weights`` (N,), not all -inf: in [1, N]."""
    return float(math.exp(2.0 * logsumexp(log_weights) - logsumexp(2.0 * log_weights)))


def systematic_resampling(weights: np.ndarray, n: int, uniform: float) -> np.ndarray:
    """Indices (n,) of particles, each drawn within one of n times its weight.

    Parameters
    ----------
    weights : (N,) array
        Sum to 1.
    n : int >= 1
    uniform : float in [0, 1)
        The one random number it takes.
    """
    levels = np.cumsum(weights)
    return np.minimum(np.searchsorted(levels, (uniform + np.arange(n)) / n * levels[-1], side="right"), len(weights) - 1)


class IBIS(DrawSampler):
    """``chains`` weighted particles; ``positions`` are as many draws from them by systematic resampling, anew each epoch.

    Needs a proper prior, from which the particles are drawn: ``start`` is not used, nor any setting. Positions of one epoch
    are not independent of one another or of those of the last: R-hat and effective sizes over chains mean nothing here.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression or PoissonRegression
    settings, chains, seed, start, threads
        As for every StreamSampler. Hundreds of particles are the least that is useful.
    walk : int in [2, 1000], optional
        States of each walk (P). Longer walks from fewer ancestors mix better at the same cost. Saved with the state.

    Attributes
    ----------
    particles : (chains, dim) array
    weights : (chains,) array
        Sum to 1.
    mean, covariance : (dim,) and (dim, dim) array
        Of the weighted particles: estimates of pi_t's.
    log_evidence : float
        Estimate of the logarithm of the integral of prior density times exp(-(f_1 + ... + f_t)).
    renewals : int
        Times that the cloud was renewed so far.
    """

    kinds = ("logistic", "linear", "poisson")
    needs = "one that knows its potential and its prior, from which the particles are drawn,"
    _kept_values = ("walk", "log_evidence", "renewals")
    _kept_arrays = ("particles", "_log_weights", "_potentials")

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None, walk: int = WALK) -> None:
        self.walk = whole_number("walk", walk, 2, LONGEST_WALK)
        super().__init__(problem, settings, chains, seed, start, threads)

    def _allocate(self) -> None:
        super()._allocate()
        prior = proper_precision(self)
        self.particles = starting_points(self.problem, self.chains, self.seed)
        self._log_weights = np.full(self.chains, -math.log(self.chains))
        self._potentials = 0.5 * (self.particles**2 @ prior)
        self.log_evidence, self.renewals = 0.0, 0

    @property
    def weights(self) -> np.ndarray:
        """See the class."""
        return np.exp(self._log_weights)

    @property
    def mean(self) -> np.ndarray:
        """See the class."""
        return self.weights @ self.particles

    @property
    def covariance(self) -> np.ndarray:
        """See the class."""
        away = self.particles - self.mean
        return (away * self.weights[:, None]).T @ away

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        rng = np.random.default_rng([self.seed, EPOCH_WORD, self.t])
        with quiet():
            self._take_in(self._rows.posterior(self.t), rng, counts)
        state, points = self._state, self.particles[systematic_resampling(self.weights, self.chains, rng.random())]
        state.position[:, :self.dim] = points
        if self._center.size:
            away = ((points - self._center[:self.dim]) ** 2).sum(axis=1)
            np.maximum(state.farthest, away, out=state.farthest)
        state.steps_done[:] = 1
        counts[3] += self.chains
        return True

    def _take_in(self, posterior: Any, rng: np.random.Generator, counts: np.ndarray) -> None:
        """Move the cloud from pi_{t-1} to pi_t."""
        row, target, left = posterior.rows[-1], posterior.targets[-1], 1.0
        losses = self.problem.score_loss(self.particles @ row, target)
        counts[0] += self.chains
        while True:
            power = self._power(losses, left)
            log_weights = self._log_weights - power * losses
            gained = float(logsumexp(log_weights))
            self.log_evidence += gained
            self._log_weights = log_weights - gained
            self._potentials = self._potentials + power * losses
            left -= power
            if left <= 0.0:
                return
            losses = self._renew(posterior, left, rng, counts)

    def _power(self, losses: np.ndarray, left: float) -> float:
        """Return the largest power of the datum, up to ``left``, that keeps the effective size at half the particles."""
        low, high = 0.0, left
        if effective_size(self._log_weights - high * losses) >= 0.5 * self.chains:
            return left
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if effective_size(self._log_weights - middle * losses) >= 0.5 * self.chains:
                low = middle
            else:
                high = middle
        return high  # above 0, so that the datum ends

    def _renew(self, posterior: Any, left: float, rng: np.random.Generator, counts: np.ndarray) -> np.ndarray:
        """Replace the particles by the states of walks under F_t - left f_t; return f_t at them, (chains,)."""
        ancestors = -(-self.chains // self.walk)
        length = -(-self.chains // ancestors)
        row, target, mean, spread = posterior.rows[-1], posterior.targets[-1], self.mean, self.covariance
        spread[np.diag_indices(self.dim)] += 1e-12 / self.problem.prior_precision  # two equal particles have no spread
        root = np.linalg.cholesky(spread)
        whiten = solve_triangular(root, np.eye(self.dim), lower=True)
        chosen = systematic_resampling(self.weights, ancestors, rng.random())
        x, value = self.particles[chosen], self._potentials[chosen]
        states, values = [x], [value]
        for step in range(1, length):
            noise = rng.standard_normal(x.shape)
            if step % 2:
                y, white = mean + noise @ root.T, (x - mean) @ whiten.T
                gain = 0.5 * ((noise**2).sum(axis=1) - (white**2).sum(axis=1))  # log of q(X)/q(Y)
            else:
                y, gain = x + 2.38 / math.sqrt(self.dim) * noise @ root.T, 0.0
            ahead = posterior.potential(y) - left * self.problem.score_loss(y @ row, target)
            ahead[~np.isfinite(ahead) | ((y**2).sum(axis=1) >= FAR)] = np.inf
            accepted = np.log(np.maximum(rng.random(ancestors), 1e-300)) < value - ahead + gain
            x, value = np.where(accepted[:, None], y, x), np.where(accepted, ahead, value)
            states.append(x)
            values.append(value)
        counts[0] += ancestors * (length - 1) * self.t
        self.renewals += 1
        self.particles, self._potentials = (np.concatenate(parts)[:self.chains] for parts in (states, values))
        self._log_weights = np.full(self.chains, -math.log(self.chains))
        return self.problem.score_loss(self.particles @ row, target)
