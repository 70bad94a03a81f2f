"""`RunPosition`: where a run stands between two steps, of whatever machine its chains are on.

Subclasses hold the chains: `app.live.run_state.RunState` as NumPy arrays, `app/js/lab/run_state.js` in a browser's memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.live.assumptions import NO_TICKS, lines_of

if TYPE_CHECKING:
    from app.live.snapshot import Assumption
    from sampler import Settings

AFTER_END = 1e-3
"""A change made after the end of epoch t is marked this much after t."""


class RunPosition:
    """A run between two steps. Observers read it; only `app.live.run.Run` changes it.

    A subclass has ``config``, ``data`` (its ``length``), ``saga``, ``truth`` with its ``tracker``, ``pool``, ``constants``;
    ``advanced``, the lockstep steps asked of this epoch, and ``since``, the epoch of the start or the last revival; and what
    depends on the machine: the methods that `app.live.run`, `app.live.epoch_measures`, `app.live.epoch_records` and
    `app.live.flashes` call.
    """

    @property
    def knobs(self) -> tuple[Settings, float]:
        """What can be turned without a restart: settings and escape radius."""
        return self.config.knobs

    @property
    def t(self) -> int:
        """Epoch under way or just finished; 0 before the first datum."""
        return self.saga.forgotten + self.saga.t

    @property
    def count(self) -> int:
        """Data that count, which step and balls go by: t, or fewer where old ones are forgotten."""
        return self.saga.t

    @property
    def done(self) -> bool:
        """Whether the epoch is finished (true before the first)."""
        return self.saga.done

    @property
    def new_checkpoint(self) -> int | None:
        """The epoch before this one where its ends are the new checkpoint; None where an older one is in force."""
        return self.t - 1 if self.saga.checkpoint_epoch == self.count - 1 else None

    @property
    def ended(self) -> bool:
        """Whether the horizon is reached."""
        return self.t >= self.data.length and self.done

    @property
    def halted(self) -> bool:
        """Whether a chain has diverged, so that no datum can arrive."""
        return self.lost > 0

    @property
    def chain(self) -> int:
        """The followed chain, else chain 0."""
        follow = self.config.follow
        return follow if follow is not None and 0 <= follow < self.saga.chains else 0

    @property
    def preconditioned(self) -> bool:
        """Whether each chain steps in a metric of its own."""
        return self.config.algorithm == "preconditioned"

    @property
    def step_size(self) -> float:
        """Step of the epoch: eta0/(t + c), or eta0 itself in a metric."""
        settings = self.saga.settings
        if self.preconditioned:
            return settings.eta0
        return settings.eta0 / ((self.count + settings.offset) or 1.0)

    @property
    def run_length(self) -> int:
        """i_t of that chain."""
        return self.length_of(self.chain) if self.t else 0

    @property
    def step(self) -> int:
        """Steps it has made in this epoch."""
        return min(self.steps_of(self.chain), self.run_length) if self.t else 0

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
        """R/sqrt(t + c), t the data that count."""
        return self.config.escape_radius / (math.sqrt(self.count + self.saga.settings.offset) or 1.0)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The three lines of the assumption meter; there is no D while data are forgotten, which never double."""
        if self.count < self.t:
            return lines_of((self.constants.smoothness, self.concentration, None), NO_TICKS)
        return self.constants.lines(self.t, self.concentration, self.variances, self.curvatures, self.saga.settings.offset)

    # of the chains ----------------------------------------------------------------------------------------

    @property
    def longest(self) -> int:
        """Longest run of the epoch under way."""
        return int(self.saga.run_lengths.max())

    def length_of(self, chain: int) -> int:
        """i_t of a chain."""
        return int(self.saga.run_lengths[chain])

    def steps_of(self, chain: int) -> int:
        """Steps that a chain was let make in this epoch."""
        return int(self.saga.steps_done[chain])

    def position_of(self, chain: int) -> np.ndarray:
        """X of a chain, (d,)."""
        return self.saga.positions[chain]

    def ends_of(self, chain: int) -> tuple[np.ndarray, np.ndarray]:
        """Return where a chain stood before this epoch and its checkpoint, (d,) each."""
        return self.saga.warm_starts[chain], self.saga.checkpoints[chain]

    def chains_reset(self) -> list[int]:
        """Chains that began this epoch at their checkpoint."""
        return np.flatnonzero(self.saga.was_reset).tolist()

    def farthest(self) -> np.ndarray:
        """Largest squared distance to the mode in this epoch, (K,), a copy."""
        return self.saga.farthest

    def chains_left(self, before: Sequence[float]) -> list[int]:
        """Chains whose `farthest` was in the escape ball and is no longer."""
        square = self.escape_distance**2
        return np.flatnonzero((self.saga.farthest > square) & (np.asarray(before) <= square)).tolist()

    @property
    def lost(self) -> int:
        """Number of chains that have diverged."""
        return int(self.saga.diverged.sum())

    @property
    def diverged_at(self) -> tuple[int, int, int] | None:
        """Chain, epoch and step of the first divergence."""
        where = self.saga.divergence
        return None if where is None else (where.chain, self.saga.forgotten + where.epoch, where.step)

    def sound_chains(self) -> list[int]:
        """Chains that have not diverged."""
        return np.flatnonzero(~self.saga.diverged).tolist()

    def stale_share(self) -> float:
        """Share of the followed chain's cached gradients older than t/2."""
        return float(is_stale(self.saga.cached_epochs(self.chain), self.count).mean())


def is_stale(epoch, t):
    """Whether a gradient (or, of an array, each) cached at this epoch is older than t/2."""
    return 2 * epoch < t
