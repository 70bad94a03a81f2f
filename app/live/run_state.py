"""`RunState`: configuration, data, chains and target of a Live run, and where it stands. What observers are given."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from app.live.recent_samples import Pool
from app.live.run_data import Data
from app.live.truth import GaussianTruth
from app.state.live import LiveConfig
from sampler import OnlineSagaLD, PreconditionedSagaLD
from sampler.reference import ModeTracker, OracleModeTracker

ROUNDING = 1e-12
"""Of a metric's diagonal: far above what rounding takes from a pivot, far below what anything shows."""
AFTER_END = 1e-3
"""A change made after the end of epoch t is marked this much after t."""


def positive(matrix: np.ndarray) -> np.ndarray | None:
    """Return a metric above its rounding; None where it is not positive definite: it has no inverse."""
    raised = above_rounding(matrix)
    return raised if np.isfinite(raised).all() and np.linalg.eigvalsh(raised)[0] > 0.0 else None


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
    advanced: int = 0  #: lockstep steps asked of this epoch
    since: int = 0  #: epoch of the start or the last revival

    @property
    def tracker(self) -> ModeTracker | OracleModeTracker:
        """Mode and Hessian of the data so far."""
        return self.truth.tracker

    @property
    def t(self) -> int:
        """Epoch under way or just finished; 0 before the first datum."""
        return self.saga.t

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
