"""`RunState`: configuration, data, chains and target of a Live run as NumPy arrays.

`Data` is the problem with the rows of a run, made from its configuration.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.linalg import eigh

from app.live.assumptions import Constants
from app.live.recent_samples import Pool
from app.live.run_position import RunPosition
from app.live.timeline import HORIZON
from app.live.truth import GaussianTruth
from app.state.live import WINDOW, LiveConfig, default_config
from app.state.live_menu import choice_of
from app.state.user_data import OWN
from sampler import OnlineSagaLD, Settings, synthetic_stream
from sampler.algorithms import StepTrace
from sampler.kernels import cloud, initial_state
from sampler.metrics import GradientVariance, measure_gradient_variance
from sampler.reference import ModeTracker, OracleModeTracker
from sampler.theory import concentration_constant, coupling_distance, posterior_smoothness

ROUNDING = 1e-12
"""Relative increase of a metric's diagonal: far above rounding errors of a pivot, far below visible effects."""


_stream = lru_cache(maxsize=4)(synthetic_stream)
"""Visits share the immutable rows of a stream: 1.5 MB in two dimensions, 11 MB in 21."""


class Data:
    """A problem with its rows, readable in any order."""

    def __init__(self, config: LiveConfig) -> None:
        self.user_data = config.user_data if config.problem == OWN else None
        choice = choice_of(config.problem, self.user_data)
        self.problem, self.label = choice.problem, choice.label
        self.kind, self.dim = self.problem.kind, self.problem.dim
        self.length = HORIZON if self.user_data is None else min(self.user_data.t, HORIZON)
        if self.user_data is None:
            self._stream = _stream(self.kind, self.dim, config.stream, HORIZON, config.seed)

    def start(self, config: LiveConfig) -> np.ndarray | None:
        """Return X^0 of every chain by `start_rule`, (K, d); None for draws from the prior."""
        rule = start_rule(self.kind, self.user_data is not None)
        if rule == "prior":
            return None
        noise = np.random.default_rng([config.seed, initial_state.START_WORD]).standard_normal((config.chains, self.dim))
        if rule == "first row":
            return self.row(1)[0] + initial_state.ROW_SPREAD * noise
        return initial_state.ZERO_SPREAD * noise

    def row(self, t: int) -> tuple[np.ndarray, ...]:
        """Return the datum of epoch t >= 1: (features, label), (y,) for the Gaussian mean, () for an oracle."""
        data = self.user_data or self._stream
        if data.features is None:
            return ()
        if data.labels is None:
            return (data.features[t - 1],)
        return data.features[t - 1], data.labels[t - 1]

    def exhausted(self, t: int) -> bool:
        """Return whether epoch t used the last datum of the user's data."""
        return self.user_data is not None and t >= self.user_data.t

    def tracker(self) -> ModeTracker | OracleModeTracker:
        """Return the mode tracker at t = 0."""
        return OracleModeTracker(self.problem) if self.kind == "oracle" else ModeTracker(self.problem)


def start_rule(kind: str, own: bool = False) -> str:
    """Return the start of the chains: "first row" for the Gaussian mean, "near zero" for Poisson's stream, else "prior"."""
    return {"gaussian_mean": "first row", "poisson": "prior" if own else "near zero"}.get(kind, "prior")


def positive(matrix: np.ndarray) -> np.ndarray | None:
    """Return a metric with its diagonal raised by `ROUNDING`; None if it is not positive definite."""
    raised = above_rounding(matrix)
    return raised if np.isfinite(raised).all() and np.linalg.eigvalsh(raised)[0] > 0.0 else None


def above_rounding(matrix: np.ndarray) -> np.ndarray:
    """Return a metric with its diagonal multiplied by 1 + `ROUNDING`."""
    return matrix + np.diag(ROUNDING * np.diagonal(matrix))


@dataclass(eq=False)
class RunState(RunPosition):
    """State of a run between two steps, with chains as NumPy arrays of this process."""

    config: LiveConfig
    data: Data
    saga: OnlineSagaLD
    truth: GaussianTruth  #: or a subclass
    pool: Pool
    constants: Constants
    advanced: int = 0  #: lockstep steps requested in this epoch
    since: int = 0  #: epoch of the start or the last revival

    def copy(self) -> RunState:
        """Return a copy at the end of an epoch, which evolves identically bit for bit."""
        saga = type(self.saga).from_snapshot(self.saga.snapshot(), problem=self.data.problem)
        return replace(self, saga=saga, truth=copy.deepcopy(self.truth), pool=self.pool.copy(),
                       constants=copy.deepcopy(self.constants), advanced=0)

    def restored(self, kept: RunState) -> RunState:
        """Return a copy of a saved state with the present display settings, from which the run continues."""
        return replace(kept.copy(), config=self.config.turned(kept.knobs))

    @property
    def nbytes(self) -> int:
        """Size of a copy in bytes: per-chain caches of each datum (with a weight for metrics), rows and grid."""
        each = 24 if self.preconditioned else 16
        return each * self.count * self.saga.chains + 16 * (self.count + 64) * (self.saga.dim + 2) + 300_000

    def arrive(self) -> None:
        """Open the next epoch: pass its datum to chains, target and constants."""
        row, tracker = self.data.row(self.t + 1), self.tracker
        if self.config.forget and self.count >= WINDOW:
            self.saga.keep_last(WINDOW - 1)
            self.truth.forget(1)
        self.saga.arrive(*row)
        tracker.add(*row)
        self.truth.add(*row)
        self.constants.add(self.t, tracker.mode, self.variances, *row)
        self.saga.watch(tracker.mode)
        self.advanced = 0

    # chains -----------------------------------------------------------------------------------------------

    @property
    def trace(self) -> StepTrace | None:
        """Last steps of the traced chain, term by term; None if it made none."""
        trace = self.saga.trace
        return trace if trace is None else replace(trace, t=self.saga.forgotten + trace.t)

    @property
    def starts(self) -> np.ndarray:
        """Positions of the chains at the start of the epoch, after its resets, (K, d)."""
        saga = self.saga
        return np.where(saga.was_reset[:, None], saga.checkpoints, saga.warm_starts)

    # measurements -----------------------------------------------------------------------------------------

    def pool_samples(self) -> None:
        """Add the chains' positions at the end of an epoch to the pool, standardized by its target."""
        samples, truth = self.saga.positions, self.truth
        self.pool.add(self.t, truth.uniforms(samples), (samples - truth.mean) / truth.std, ~self.saga.diverged,
                      (truth.epoch, truth.ceiling_draws))

    def measure_cloud(self) -> tuple[np.ndarray, float, int]:
        """Return squared distances over r^2: of sound chains, ascending; largest in the epoch; and the number of exits."""
        saga, inside, result = self.saga, np.empty(self.saga.chains), np.empty(3)
        cloud.measure_cloud(saga.positions, ~saga.diverged, self.tracker.mode, saga.farthest, self.escape_distance**2,
                            inside, result)
        return np.sort(inside[:int(result[0])]), float(result[1]), int(result[2])

    def work(self) -> tuple[int, int]:
        """Return the gradient evaluations and the steps of all chains in this epoch."""
        counts = self.saga.epoch()
        return counts.gradient_evaluations, counts.steps

    def outline(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return mean (d,) and covariance (d, d) of the sound chains; None if there are too few."""
        mean, covariance = np.empty(self.saga.dim), np.empty((self.saga.dim, self.saga.dim))
        return (mean, covariance) if cloud.outline(self.saga.positions, ~self.saga.diverged, mean, covariance) else None

    def noise_here(self) -> dict[str, float | None]:
        """Return the gradient variances of the followed chain by `Series` column; {} if its metric is not defined yet."""
        if not self.measurable:
            return {}
        variance = self.gradient_variance(self.chain, self.metric)
        return {"saga": variance.saga, "sgld": variance.sgld, "bound": variance.bound}

    def gradient_variance(self, chain: int, metric: np.ndarray | None) -> GradientVariance:
        """Measure the variance of a chain's stochastic gradient at its position, in its metric if any."""
        saga = self.saga
        scores = saga.cached_scores(chain)
        cached = saga.cached_gradients(chain) if scores is None else None
        return measure_gradient_variance(saga.posterior, saga.positions[chain], saga.settings.batch_size, scores, cached,
                                         seed=self.t, metric=metric)

    def terms(self, chain: int, cached: bool) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the gradients of all terms at a chain's position, (t, d), and its cached ones, None unless ``cached``."""
        saga = self.saga
        return saga.posterior.term_gradients(saga.positions[chain]), saga.cached_gradients(chain) if cached else None

    def rows_so_far(self) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
        """Return features (t, d), labels (t,) or None, and the prior's precision (d,)."""
        posterior, dim = self.saga.posterior, self.saga.dim
        precision = np.array(getattr(self.data.problem, "prior_precision", np.zeros(dim)), float)
        return posterior.features, posterior.labels, precision

    def smoothness(self, metrics: list[np.ndarray | None]) -> float | None:
        """Return the largest curvature of F_t anywhere, over the chains' metrics if preconditioned; None if unknown."""
        return posterior_smoothness(self.saga.posterior, np.array(metrics) if self.preconditioned else None)

    def start_distance(self, chains: list[int], metrics: list[np.ndarray | None]) -> float:
        """Return W2 to the target at the epoch's start, coupled independently; for preconditioned chains in their metrics.

        The target's correlations are then those of the Laplace approximation.
        """
        away, covariance = self.starts[chains] - self.truth.mean, self.tracker.covariance
        if not self.preconditioned:
            return coupling_distance(self.starts[chains], self.truth.mean, np.diag(self.truth.std**2))
        scale, each = self.truth.std / np.sqrt(np.diagonal(covariance)), np.array(metrics)
        covariance = np.outer(scale, scale) * covariance
        squares = np.einsum("ki,kij,kj->k", away, each, away) + np.einsum("kij,ji->k", each, covariance)
        return float(np.sqrt(squares.mean()))

    # target -----------------------------------------------------------------------------------------------

    @property
    def tracker(self) -> ModeTracker | OracleModeTracker:
        """Mode and Hessian of the data so far."""
        return self.truth.tracker

    @property
    def variances(self) -> np.ndarray:
        """Diagonal of the inverse Hessian at the mode, (d,); inf if it is singular."""
        return self.tracker.covariance.diagonal()

    @property
    def curvatures(self) -> np.ndarray:
        """Diagonal of the Hessian at the mode, (d,)."""
        return self.tracker.hessian.diagonal()

    @property
    def concentration(self) -> float:
        """Root second moment of the target about its mode times sqrt(t + c), the constant C."""
        mode, covariance = self.tracker.mode, self.tracker.covariance
        if not (self.t and np.isfinite(covariance).all()):
            return math.inf
        mean = self.truth.mean if self.truth.ready else mode
        return concentration_constant(self.count, self.saga.settings.offset, covariance, mean, mode)

    @property
    def advised(self) -> Settings:
        """Default settings of the problem for the run's algorithm."""
        return default_config(self.config.problem, self.config.user_data, self.config.algorithm).settings

    @property
    def plain_settings(self) -> Settings:
        """Default settings of the problem for plain SAGA-LD."""
        return default_config(self.config.problem, self.config.user_data).settings

    @property
    def metric(self) -> np.ndarray | None:
        """Metric H of the followed chain, see `metric_of`; None for plain chains."""
        return self.metric_of(self.chain) if self.preconditioned else None

    @property
    def measurable(self) -> bool:
        """Whether the followed chain is plain or has a positive definite metric, so that lengths are defined."""
        return not self.preconditioned or self.metric is not None

    def metric_of(self, chain: int) -> np.ndarray | None:
        """Return the metric H of a preconditioned chain, (d, d), positive definite also for collinear features.

        None before the first data under a flat prior: H is 0 in directions without data.
        """
        return positive(self.saga.precision_matrix(chain))

    def largest_curvature(self) -> float | None:
        """Return the largest eigenvalue of the Hessian at the mode, in the chain's metric if any; None if undefined."""
        hessian = self.tracker.hessian
        if not (self.measurable and np.isfinite(hessian).all()):
            return None
        return float(eigh(hessian, self.metric, eigvals_only=True)[-1])
