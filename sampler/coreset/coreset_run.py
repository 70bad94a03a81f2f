"""State of a Coreset MCMC run, advanced in slices, with its record and its trained coreset."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.arguments import instance_of, vector, whole_number
from sampler.coreset.hot_start import HotStart, hot_start_statistic
from sampler.coreset.loops import Loop
from sampler.coreset.models.base import Model
from sampler.coreset.run_record import History, Record, variance_ratios, z_scores
from sampler.predictive.predictive import Predictive
from sampler.problems.base import term_numbers
from sampler.problems.gradient_oracle import GradientOracle


@dataclass(frozen=True, eq=False)
class Coreset:
    """Weighted data with a posterior close to that of all data.

    Attributes
    ----------
    model : Model
    indices : (M,) int64 into the model's data
    weights : (M,) array, >= 0

    Raises
    ------
    ValueError
        For another model, indices outside [0, N - 1], and weights that are negative, not finite or of another number.
    """

    model: Model
    indices: np.ndarray
    weights: np.ndarray

    def __post_init__(self) -> None:
        instance_of("model", self.model, Model, "take the model of the run")
        object.__setattr__(self, "indices", term_numbers(self.indices, self.model.n))
        weights = vector("weights", self.weights, self.indices.size, "one per index")
        if np.any(weights < 0.0):
            raise ValueError(f"weights must be 0 or more, got {weights.min():g}; set that one to 0")
        object.__setattr__(self, "weights", weights)

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
        """Return sum_m w_m l_m(theta) + log prior, up to a constant, at ``theta`` (D,)."""
        theta = np.asarray(theta, dtype=float)
        return float(self.weights @ self.model.log_likelihood(theta, self.indices)) + self.model.log_prior(theta)

    def oracle(self) -> GradientOracle:
        """Return the coreset posterior as a problem for Langevin samplers: f_m = -w_m l_m, M terms.

        Points of weight 0 are omitted. ValueError for a model without gradients in theta (the sparse
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


class CoresetRun:
    """State of one run; `advance` continues it, all other public members only read it.

    Attributes
    ----------
    t : int
        Iterations done, warm-up included.
    points : (M,) int64
        Indices of the coreset in the data.
    hot_start_iteration : int or None
        Iteration after which the weights are trained: 0 without a hot start, None before it has ended.
    hot_start_passed : bool or None
        False if the test did not pass up to the cap; None before the end of the hot start or without one.
    hot_start_checks : list of (iteration, statistic)
    history : History
        Quantiles of the rates at log-spaced iterations.
    notices : list of str
        Messages for the user.
    """

    def __init__(self, loop: Loop, hot_start: HotStart | None) -> None:
        self._loop = loop
        self._hot_start: Any = hot_start  # a HotStart until it has passed, or None
        self.model, self.points, self.optimizer = loop.model, loop.chosen, loop.state.optimizer
        self.chains, self.size, self.subsample = len(loop.theta), loop.chosen.size, loop.subsample
        self._record = Record(self.model.dim, self.chains)
        self.t = 0
        self.hot_start_iteration: int | None = None if hot_start else 0
        self.hot_start_passed: bool | None = None
        self.hot_start_checks: list[tuple[int, float]] = []
        self.history = History()
        self.notices: list[str] = []
        self._emptied = False

    def __repr__(self) -> str:
        return f"CoresetRun({self.model!r}, size={self.size}, optimizer={self.optimizer!r}, t={self.t})"

    def advance(self, n: int, stop: Callable[[], bool] | None = None) -> "CoresetRun":
        """Run ``n`` more iterations; ``stop``, called every 1000 (20 in Python), ends early by returning True.

        Raises
        ------
        NotFiniteError
            (a ValueError) if a log-likelihood is not finite; ``t`` stays at the last valid iteration.
        """
        end = self.t + whole_number("n", n, 0)
        self._record.make_room(end)
        while self.t < end and not (stop is not None and stop()):
            training = self.hot_start_iteration is not None
            until = min(end, self.t + self._loop.stride, self.history.next_mark(self.t))
            if not training:
                until = min(until, self._hot_start.next_check(self.t, self.model.dim))
            steps = until - self.t
            done = self._loop.advance(self._record, self.t, steps, training)
            self.t += done
            if done < steps:
                raise self._loop.fault(self.t + 1)
            if not training and self.t == self._hot_start.next_check(self.t - 1, self.model.dim):
                self._check_hot_start()
            self._check_empty_coreset(done)
            if self.t == self.history.next_mark(self.t - 1):
                self.history.add(self)
        return self

    def check_start(self) -> None:
        """Raise NotFiniteError unless the coreset's log-likelihoods are finite at the chains' positions."""
        with np.errstate(all="ignore"):
            values = np.array([self.model.log_likelihood(x, self.points) for x in self.positions])
        if not np.isfinite(values).all():
            raise self._loop.fault(0)

    def _check_hot_start(self) -> None:
        statistic = hot_start_statistic(self._record.potentials[:self.t])
        self.hot_start_checks.append((self.t, statistic))
        if statistic < self._hot_start.threshold:
            self.hot_start_iteration, self.hot_start_passed = self.t, True
        elif self.t >= self._hot_start.cap:
            self.hot_start_iteration, self.hot_start_passed = self.t, False
            self.notices.append(
                f"The hot start did not pass in {self.t} iterations (last statistic {statistic:.3g}, threshold "
                f"{self._hot_start.threshold:g}): training of the weights starts anyway. The chains may not "
                "have converged; start them nearer to the mode, or raise the cap.")

    def _check_empty_coreset(self, done: int) -> None:
        if self._emptied:
            return
        empty = np.flatnonzero(self._record.totals[self.t - done:self.t] <= 0)
        if empty.size:
            self._emptied = True
            self.notices.append(
                f"At iteration {self.t - done + empty[0] + 1} all weights were driven to zero: the coreset posterior "
                "was the prior. Lower the optimizer's rate, or use a larger coreset.")

    @property
    def stride(self) -> int:
        """Maximum number of iterations between two calls of ``stop``."""
        return self._loop.stride

    @property
    def weights(self) -> np.ndarray:
        """(M,) copy of the current weights."""
        return self._loop.state.weights.copy()

    @property
    def coreset(self) -> Coreset:
        """Points and current weights, as a `Coreset`."""
        return Coreset(self.model, self.points, self.weights)

    @property
    def rates(self) -> np.ndarray:
        """(M,) factor of each weight's smoothed gradient in the last step; nan before training."""
        return self._loop.state.rates

    @property
    def positions(self) -> np.ndarray:
        """(K, D) copy of the chains' positions."""
        return self._loop.positions

    def predictive(self) -> Predictive:
        """Return predictions from the current K draws; ``run.model.predictive`` takes draws of many iterations.

        ValueError before the first iteration, and for a model without a response distribution.
        """
        if self.t == 0:
            raise ValueError("predictive needs draws, and there are none yet; advance the run first")
        return self.model.predictive(self.positions)

    @property
    def z_score(self) -> np.ndarray:
        """(t,) average squared z-score (Hot DoG Eq. 6) after each iteration, corrected for the truth's noise."""
        return self.z_score_at(np.arange(1, self.t + 1))

    def z_score_at(self, iterations: np.ndarray) -> np.ndarray:
        """Return `z_score` after ``iterations`` (n,) only, whole numbers in [1, t]."""
        return z_scores(self._record.sums, self.chains, self._within(iterations), self.model.truth.noise)

    def variance_ratio_at(self, iterations: np.ndarray) -> np.ndarray:
        """Return the variance of the draws in the z-score over the true variance, (n,).

        Parameters
        ----------
        iterations : sequence of int
            Each in [1, t].
        """
        return variance_ratios(self._record.sums, self._record.squares, self.chains, self._within(iterations))

    def _within(self, iterations: np.ndarray) -> np.ndarray:
        iterations = np.asarray(iterations, dtype=np.int64)
        if iterations.size and not 1 <= iterations.min() <= iterations.max() <= self.t:
            raise ValueError(f"iterations must be in [1, {self.t}], got {iterations!r}; advance the run first")
        return iterations

    @property
    def variance_ratio(self) -> float:
        """Current coreset over true posterior variance: exact for the Gaussian model, else of the draws; nan at t = 0."""
        exact = self.model.variance_ratio(float(self._loop.state.weights.sum()))
        if exact is not None:
            return exact
        return float(self.variance_ratio_at(np.array([self.t]))[0]) if self.t else np.nan

    @property
    def gradient_norms(self) -> np.ndarray:
        """(t,) norms of the gradient estimates; no step uses those of the warm-up."""
        return self._record.norms[:self.t].copy()

    @property
    def weight_sums(self) -> np.ndarray:
        """(t,) sum of the weights over N after each iteration."""
        return self._record.totals[:self.t] / self.model.n

    @property
    def log_potentials(self) -> np.ndarray:
        """(t, K) sum_m w_m l_m(theta_tk): input of the hot-start test, up to constants."""
        return self._record.potentials[:self.t].copy()

    @property
    def likelihood_terms(self) -> int:
        """Log-likelihood terms evaluated so far: K(M + S) per step of the weights, K M per pass of the kernel.

        Gradient estimates of the warm-up, computed for display only, are not counted.
        """
        trained = 0 if self.hot_start_iteration is None else self.t - self.hot_start_iteration
        passes = int(self._loop.calls[0]) or self.chains * self.t
        return self.chains * (self.size + self.subsample) * trained + passes * self.size
