"""IBIS with waste-free moves, a particle filter over the coefficients (Chopin 2002; Dau and Chopin 2022).

N particles x_i with weights w_i approximate pi_t. A datum updates the weights, w_i <- w_i exp(-f_t(x_i)), N evaluations, as
long as the effective size (sum w)^2 / sum w^2 stays above N/2. Otherwise the datum is applied up to the power that leaves
N/2, and the particles are renewed at that tempered law before the rest of the datum is applied:

1. M = N/P ancestors are drawn by systematic resampling;
2. each makes P - 1 Metropolis steps, alternating between the independence proposal Y = m + L xi and the random walk
   Y = X + 2.38 d^(-1/2) L xi, with m the weighted mean and L L' the weighted covariance: the first mixes fast where the law
   is nearly normal, the second in its tails;
3. all N states of the walks are the new particles, with equal weights (waste-free).

A renewal costs M (P - 1) t evaluations. Between two renewals the information grows by a factor, so a stream has O(d log t)
of them: the mean cost per datum is bounded, and the largest cost of a datum grows with t.

Sources: Biometrika 89:539 (2002), https://doi.org/10.1093/biomet/89.3.539; Journal of the Royal Statistical Society B
84:114 (2022), https://doi.org/10.1111/rssb.12475, Algorithm 2. Proposals from N(m, L L') are those of the first.
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

WALK, LONGEST_WALK = 50, 1000  # states per walk (P): default and largest
EPOCH_WORD = 9  # between the seed and t in the seed sequence of an epoch's generator
BISECTIONS = 40


def effective_size(log_weights: np.ndarray) -> float:
    """Return (sum w)^2 / sum w^2 in [1, N] from the logarithms ``log_weights`` (N,) of weights, not all -inf."""
    return float(math.exp(2.0 * logsumexp(log_weights) - logsumexp(2.0 * log_weights)))


def systematic_resampling(weights: np.ndarray, n: int, uniform: float) -> np.ndarray:
    """Return n indices of particles, (n,); each particle's count differs from n times its weight by less than 1.

    Parameters
    ----------
    weights : (N,) array
        Weights, summing to 1.
    n : int >= 1
    uniform : float in [0, 1)
        The single random number used.
    """
    levels = np.cumsum(weights)
    return np.minimum(np.searchsorted(levels, (uniform + np.arange(n)) / n * levels[-1], side="right"), len(weights) - 1)


class IBIS(DrawSampler):
    """Particle filter with ``chains`` weighted particles; ``positions`` are resampled from them in each epoch.

    Requires a proper prior, from which the particles are drawn; ``start`` and the settings are not used. The positions of an
    epoch depend on one another and on those of the previous epoch, so R-hat and effective sizes over chains do not apply.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression or PoissonRegression
    settings, chains, seed, start, threads
        As for `StreamSampler`. Use several hundred particles or more.
    walk : int in [2, 1000], optional
        States of each walk (P). Longer walks from fewer ancestors mix better at the same cost. Saved with the state.

    Attributes
    ----------
    particles : (chains, dim) array
    weights : (chains,) array
        Weights of the particles, summing to 1.
    mean, covariance : (dim,) and (dim, dim) array
        Weighted mean and covariance of the particles, estimates of those of pi_t.
    log_evidence : float
        Estimate of the logarithm of the integral of prior density times exp(-(f_1 + ... + f_t)).
    renewals : int
        Number of renewals of the particles so far.
    """

    kinds = ("logistic", "linear", "poisson")
    needs = "one with a potential and a prior, from which the particles are drawn,"
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
        """Weights of the particles, (chains,), summing to 1."""
        return np.exp(self._log_weights)

    @property
    def mean(self) -> np.ndarray:
        """Weighted mean of the particles, (dim,)."""
        return self.weights @ self.particles

    @property
    def covariance(self) -> np.ndarray:
        """Weighted covariance of the particles, (dim, dim)."""
        away = self.particles - self.mean
        return (away * self.weights[:, None]).T @ away

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        rng = np.random.default_rng([self.seed, EPOCH_WORD, self.t])
        with quiet():
            self._assimilate(self._rows.posterior(self.t), rng, counts)
        state, points = self._state, self.particles[systematic_resampling(self.weights, self.chains, rng.random())]
        state.position[:, :self.dim] = points
        if self._center.size:
            away = ((points - self._center[:self.dim]) ** 2).sum(axis=1)
            np.maximum(state.farthest, away, out=state.farthest)
        state.steps_done[:] = 1
        counts[3] += self.chains
        return True

    def _assimilate(self, posterior: Any, rng: np.random.Generator, counts: np.ndarray) -> None:
        """Move the particles from pi_{t-1} to pi_t."""
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
        """Return the largest power of the datum, up to ``left``, with an effective size of at least half the particles."""
        low, high = 0.0, left
        if effective_size(self._log_weights - high * losses) >= 0.5 * self.chains:
            return left
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if effective_size(self._log_weights - middle * losses) >= 0.5 * self.chains:
                low = middle
            else:
                high = middle
        return high  # above 0, so that the loop over powers ends

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
