"""`RunState`: configuration, data, chains and target of a Live run, and where it stands. What observers are given.

`Data` are the problem and the rows of a run, made from its configuration.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from app.live.assumptions import Constants
from app.live.recent_samples import Pool
from app.live.snapshot import Assumption
from app.live.timeline import HORIZON
from app.live.truth import GaussianTruth
from app.state.live import LiveConfig
from app.state.problem_menu import choice_of
from app.state.user_data import OWN
from sampler import OnlineSagaLD, PreconditionedSagaLD, Settings, synthetic_stream
from sampler.algorithms import StepTrace
from sampler.kernels import beginning
from sampler.metrics import GradientVariance, measure_gradient_variance
from sampler.reference import ModeTracker, OracleModeTracker

ROUNDING = 1e-12
"""Of a metric's diagonal: far above what rounding takes from a pivot, far below what anything shows."""
AFTER_END = 1e-3
"""A change made after the end of epoch t is marked this much after t."""


_stream = lru_cache(maxsize=4)(synthetic_stream)
"""Visits share the rows of a stream, which nobody changes: 1.5 MB in two dimensions, 11 MB in 21."""


class Data:
    """A problem with the rows that will arrive, to be read in any order."""

    def __init__(self, config: LiveConfig) -> None:
        self.given = config.given if config.problem == OWN else None
        self.problem = choice_of(config.problem, self.given).problem
        self.kind, self.dim = self.problem.kind, self.problem.dim
        self.length = HORIZON if self.given is None else min(self.given.t, HORIZON)
        if self.given is None:
            self._stream = _stream(self.kind, self.dim, config.stream, HORIZON, config.seed)

    def start(self, config: LiveConfig) -> np.ndarray | None:
        """X^0 of every chain by `start_rule`; None for the prior's draws."""
        rule = start_rule(self.kind, self.given is not None)
        if rule == "prior":
            return None
        noise = np.random.default_rng([config.seed, beginning.START_WORD]).standard_normal((config.chains, self.dim))
        return self.row(1)[0] + beginning.ROW_SPREAD * noise if rule == "first row" else beginning.ZERO_SPREAD * noise

    def row(self, t: int) -> tuple[np.ndarray, ...]:
        """What arrives at epoch t >= 1: (features, label), (y,) for the Gaussian mean, nothing for an oracle."""
        data = self.given or self._stream
        if data.features is None:
            return ()
        if data.labels is None:
            return (data.features[t - 1],)
        return data.features[t - 1], data.labels[t - 1]

    def spent(self, t: int) -> bool:
        """Whether epoch t took in the last datum of the user's own."""
        return self.given is not None and t >= self.given.t

    def tracker(self) -> ModeTracker | OracleModeTracker:
        """Return what follows the mode, at t = 0."""
        return OracleModeTracker(self.problem) if self.kind == "oracle" else ModeTracker(self.problem)


def start_rule(kind: str, own: bool = False) -> str:
    """Return where chains start, of `STARTS`: the first target's where the prior is flat, near 0 for Poisson's stream."""
    return {"gaussian_mean": "first row", "poisson": "prior" if own else "near zero"}.get(kind, "prior")


def positive(matrix: np.ndarray) -> np.ndarray | None:
    """Return a metric above its rounding; None where it is not positive definite: it has no inverse."""
    raised = above_rounding(matrix)
    return raised if np.isfinite(raised).all() and np.linalg.eigvalsh(raised)[0] > 0.0 else None


def spread_over(chains: np.ndarray, most: int) -> np.ndarray:
    """Return at most so many of these chains, evenly spread; one at least."""
    return chains[np.unique(np.linspace(0, len(chains) - 1, max(1, min(len(chains), most))).astype(int))]


def above_rounding(matrix: np.ndarray) -> np.ndarray:
    """Return a metric with its diagonal raised by `ROUNDING`."""
    return matrix + np.diag(ROUNDING * np.diagonal(matrix))


@dataclass(eq=False)
class RunState:
    """A run between two steps. Observers read it; only `LiveRun` changes it."""

    config: LiveConfig
    data: Data
    saga: OnlineSagaLD
    truth: GaussianTruth  #: or one of its subclasses
    pool: Pool
    constants: Constants
    advanced: int = 0  #: lockstep steps asked of this epoch
    since: int = 0  #: epoch of the start or the last revival

    def copy(self) -> RunState:
        """Return a copy at the end of an epoch, whose future is the same bit for bit."""
        saga = type(self.saga).from_snapshot(self.saga.snapshot(), problem=self.data.problem)
        return replace(self, saga=saga, truth=copy.deepcopy(self.truth), pool=self.pool.copy(),
                       constants=copy.deepcopy(self.constants), advanced=0)

    @property
    def nbytes(self) -> int:
        """Bytes of a copy: what each chain keeps of each datum (a weight, too, where it has a metric), rows and grid."""
        each = 24 if self.preconditioned else 16
        return each * self.t * self.saga.chains + 16 * (self.t + 64) * (self.saga.dim + 2) + 300_000

    @property
    def knobs(self) -> tuple[Settings, float]:
        """What can be turned without a restart: settings and escape radius."""
        return self.config.settings, self.config.escape_radius

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The three lines of the assumption meter."""
        mean = self.truth.mean if self.truth.known else self.tracker.mode
        return self.constants.lines(self.tracker, mean, self.saga.settings.offset)

    @property
    def tracker(self) -> ModeTracker | OracleModeTracker:
        """Mode and Hessian of the data so far."""
        return self.truth.tracker

    @property
    def t(self) -> int:
        """Epoch under way or just finished; 0 before the first datum."""
        return self.saga.t

    @property
    def trace(self) -> StepTrace | None:
        """The last steps of the traced chain, term by term; None where it made none."""
        return self.saga.trace

    @property
    def done(self) -> bool:
        """Whether the epoch is finished (true before the first)."""
        return self.saga.done

    @property
    def ended(self) -> bool:
        """Whether the horizon is reached."""
        return self.t >= self.data.length and self.done

    @property
    def halted(self) -> bool:
        """Whether a chain has diverged, so that no datum can arrive."""
        return self.saga.divergence is not None

    @property
    def chain(self) -> int:
        """The followed chain, else chain 0."""
        follow = self.config.follow
        return follow if follow is not None and 0 <= follow < self.saga.chains else 0

    @property
    def preconditioned(self) -> bool:
        """Whether each chain steps in a metric of its own."""
        return isinstance(self.saga, PreconditionedSagaLD)

    @property
    def metric(self) -> np.ndarray | None:
        """H of the followed chain, as `metric_of` says; None of plain chains, which need none."""
        return self.metric_of(self.chain) if self.preconditioned else None

    @property
    def measurable(self) -> bool:
        """Whether lengths can be measured as the followed chain does: not in a metric that is flat in a direction."""
        return not self.preconditioned or self.metric is not None

    def metric_of(self, chain: int) -> np.ndarray | None:
        """H of a preconditioned chain, (d, d), positive even where columns of the user's data say the same.

        None before the first data of a flat prior: H is 0 in directions of which nothing has been heard.
        """
        return positive(self.saga.precision_matrix(chain))

    @property
    def starts(self) -> np.ndarray:
        """Where the chains began the epoch, after its resets, (K, d)."""
        saga = self.saga
        return np.where(saga.was_reset[:, None], saga.checkpoints, saga.warm_starts)

    def gradient_variance(self, chain: int, metric: np.ndarray | None) -> GradientVariance:
        """Measure the variance of a chain's stochastic gradient where it stands, in a metric where it has one."""
        saga = self.saga
        scores = saga.cached_scores(chain)
        cached = saga.cached_gradients(chain) if scores is None else None
        return measure_gradient_variance(saga.posterior, saga.positions[chain], saga.settings.batch_size, scores, cached,
                                         seed=self.t, metric=metric)

    @property
    def step_size(self) -> float:
        """Step of the epoch: eta0/(t + c), or eta0 itself in a metric."""
        settings = self.saga.settings
        if self.preconditioned:
            return settings.eta0
        return settings.eta0 / ((self.t + settings.offset) or 1.0)

    @property
    def run_length(self) -> int:
        """i_t of that chain."""
        return int(self.saga.run_lengths[self.chain]) if self.t else 0

    @property
    def step(self) -> int:
        """Steps it has made in this epoch."""
        return min(int(self.saga.steps_done[self.chain]), self.run_length) if self.t else 0

    @property
    def longest(self) -> int:
        """Longest run of the epoch under way."""
        return int(self.saga.run_lengths.max())

    @property
    def position(self) -> float:
        """Epochs done, with the part of the one under way."""
        return float(self.t) if self.done else self.t - 1 + min(self.advanced / self.longest, 1 - AFTER_END)

    @property
    def mark_position(self) -> float:
        """Where a change made now is marked on the time axes."""
        return self.t + AFTER_END if self.done else self.position

    @property
    def escape_distance(self) -> float:
        """R/sqrt(t + c)."""
        return self.config.escape_radius / (math.sqrt(self.t + self.saga.settings.offset) or 1.0)
