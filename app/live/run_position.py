"""`RunPosition`: state of a run between two steps, independent of the storage of its chains.

Subclasses store the chains: `app.live.run_state.RunState` as NumPy arrays, `app/js/lab/run_state.js` in a browser's memory.
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
"""Offset of a change after the end of epoch t from t on the time axis (epochs)."""


class RunPosition:
    """State of a run between two steps. Observers read it; only `app.live.run.Run` changes it.

    A subclass has ``config``, ``data`` (its ``length``), ``saga``, ``truth`` with its ``tracker``, ``pool``, ``constants``;
    ``advanced``, the lockstep steps requested in this epoch, and ``since``, the epoch of the start or the last revival; and
    the machine-dependent methods called by `app.live.run`, `app.live.epoch_measures`, `app.live.epoch_records` and
    `app.live.flashes`.
    """

    @property
    def knobs(self) -> tuple[Settings, float]:
        """Values that can change without a restart: settings and escape radius."""
        return self.config.knobs

    @property
    def t(self) -> int:
        """Current or just finished epoch; 0 before the first datum."""
        return self.saga.forgotten + self.saga.t

    @property
    def count(self) -> int:
        """Number of data in the target, which determines step size and balls: t, or fewer if old data are forgotten."""
        return self.saga.t

    @property
    def done(self) -> bool:
        """Whether the epoch is finished (True before the first)."""
        return self.saga.done

    @property
    def new_checkpoint(self) -> int | None:
        """The previous epoch if the new checkpoint was taken at its end; None if an older checkpoint is in use."""
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
        """Index of the followed chain, else 0."""
        follow = self.config.follow
        return follow if follow is not None and 0 <= follow < self.saga.chains else 0

    @property
    def preconditioned(self) -> bool:
        """Whether each chain has its own metric."""
        return self.config.algorithm == "preconditioned"

    @property
    def step_size(self) -> float:
        """Step size in the epoch: eta0/(t + c), or eta0 for preconditioned chains."""
        settings = self.saga.settings
        if self.preconditioned:
            return settings.eta0
        return settings.eta0 / ((self.count + settings.offset) or 1.0)

    @property
    def run_length(self) -> int:
        """i_t of the followed chain."""
        return self.length_of(self.chain) if self.t else 0

    @property
    def step(self) -> int:
        """Number of steps of the followed chain in this epoch."""
        return min(self.steps_of(self.chain), self.run_length) if self.t else 0

    @property
    def position(self) -> float:
        """Number of finished epochs plus the fraction of the current one."""
        return float(self.t) if self.done else self.t - 1 + min(self.advanced / self.longest, 1 - AFTER_END)

    @property
    def mark_position(self) -> float:
        """Position on the time axes for a change made now."""
        return self.t + AFTER_END if self.done else self.position

    @property
    def escape_distance(self) -> float:
        """Radius R/sqrt(t + c) of the escape ball, with t = `count`."""
        return self.config.escape_radius / (math.sqrt(self.count + self.saga.settings.offset) or 1.0)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The three lines of the assumption meter; without D if data are forgotten, as their number never doubles."""
        if self.count < self.t:
            return lines_of((self.constants.smoothness, self.concentration, None), NO_TICKS)
        return self.constants.lines(self.t, self.concentration, self.variances, self.curvatures, self.saga.settings.offset)

    # chains -----------------------------------------------------------------------------------------------

    @property
    def longest(self) -> int:
        """Maximum number of steps of any chain in the current epoch."""
        return int(self.saga.run_lengths.max())

    def length_of(self, chain: int) -> int:
        """Return i_t of a chain."""
        return int(self.saga.run_lengths[chain])

    def steps_of(self, chain: int) -> int:
        """Return the number of steps of a chain in this epoch."""
        return int(self.saga.steps_done[chain])

    def position_of(self, chain: int) -> np.ndarray:
        """Return the position X of a chain, (d,)."""
        return self.saga.positions[chain]

    def ends_of(self, chain: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the position of a chain before this epoch, and its checkpoint, (d,) each."""
        return self.saga.warm_starts[chain], self.saga.checkpoints[chain]

    def chains_reset(self) -> list[int]:
        """Return the indices of the chains that were reset at the start of this epoch."""
        return np.flatnonzero(self.saga.was_reset).tolist()

    def farthest(self) -> np.ndarray:
        """Return a copy of the largest squared distances to the mode in this epoch, (K,)."""
        return self.saga.farthest

    def chains_left(self, before: Sequence[float]) -> list[int]:
        """Return the chains with `farthest` outside the escape ball and ``before`` inside."""
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
        """Return the indices of the chains that have not diverged."""
        return np.flatnonzero(~self.saga.diverged).tolist()

    def stale_share(self) -> float:
        """Return the fraction of the followed chain's cached gradients that are older than t/2."""
        return float(is_stale(self.saga.cached_epochs(self.chain), self.count).mean())


def is_stale(epoch, t):
    """Return whether a gradient cached at `epoch` (number or array) is older than t/2."""
    return 2 * epoch < t
