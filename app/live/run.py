"""`LiveRun`: one run of the sampler with everything measured about it. No threads, no clock of its own."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from app.live.assumptions import Constants
from app.live.config import LiveConfig
from app.live.drawn_truth import DrawnTruth
from app.live.effects import Effects
from app.live.good_events import GoodEvents
from app.live.history import History
from app.live.measures import Measures
from app.live.pool import Pool
from app.live.presets import choice_of
from app.live.rewind import Keeper, Kept
from app.live.streams import Data
from app.live.timeline import Change, Timeline
from app.live.truth import GaussianTruth, GridTruth, LaplaceTruth
from sampler import OnlineSagaLD, Settings
from sampler.reference import ModeTracker, OracleModeTracker

_TRUTHS = {"exact": GaussianTruth, "grid": GridTruth, "draws": DrawnTruth, "laplace": LaplaceTruth}
AFTER_END = 1e-3
"""A change made after the end of epoch t is marked this much after t."""


class LiveRun:
    """Chains, stream, target, history and the log of changes; advanced in slices, one datum an epoch."""

    def __init__(self, config: LiveConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self.config, self.clock = config, clock
        self.data = Data(config)
        self.saga = self._saga()
        self.truth = self._truth(self.data.tracker())
        self.pool, self.pooling = Pool(), True
        self.constants = self._constants()
        self.measures = Measures()
        self.history = History()
        self.timeline, self.keeper = Timeline(), Keeper()
        self.effects = Effects(config.chains)
        self.good = GoodEvents(config.chains)
        self.advanced = 0  #: lockstep steps asked of this epoch
        self.first_knobs = config.settings, config.escape_radius
        self.since = 0  #: epoch of the start or the last revival, for the verdict

    def close(self) -> None:
        """Stop the background work."""
        self.truth.close()

    # where it stands --------------------------------------------------------------------------------------

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
    def escape_distance(self) -> float:
        """R/sqrt(t + c)."""
        return self.config.escape_radius / (math.sqrt(self.t + self.saga.settings.offset) or 1.0)

    # going on ---------------------------------------------------------------------------------------------

    def advance(self, steps: int, trace: int | None = None) -> bool:
        """Up to `steps` steps of every unfinished chain, in a new epoch when none is under way.

        After a rewind this is a new future: what was recorded later is forgotten. Returns False, having done
        nothing, at the horizon or when a chain has diverged.
        """
        if self.behind:
            self.forget_future()
        return self.go(steps, trace)

    def go(self, steps: int, trace: int | None = None) -> bool:
        """`advance` without forgetting: for a replay."""
        if self.done:
            if self.ended or self.halted:
                return False
            self._arrive()
        before = self.saga.farthest if self.effects.wanted else None
        self.saga.advance(steps, trace)
        self.advanced += steps
        if before is not None:
            self.effects.note_exits(self.saga, self.tracker.mode, self.escape_distance, before)
        if self.done:
            self.measures.finish(self)
            self.good.finish(self)
            self.keeper.keep(self)
        return True

    def _arrive(self) -> None:
        row = self.data.row(self.t + 1)
        self.saga.arrive(*row)
        self.tracker.add(*row)
        self.truth.add(*row)
        self.constants.add(self, *row)
        self.saga.watch(self.tracker.mode)
        self.advanced = 0
        self.effects.note_resets(self.saga)
        if self.effects.wanted:
            self.effects.note_exits(self.saga, self.tracker.mode, self.escape_distance, np.zeros(self.saga.chains))

    # going back -------------------------------------------------------------------------------------------

    @property
    def behind(self) -> bool:
        """Whether later epochs than this one have been recorded."""
        return self.done and self.history.t > self.t

    def forget_future(self) -> None:
        """Drop what was recorded after the end of this epoch."""
        for record in (self.history, self.timeline, self.keeper, self.good):
            record.truncate(self.t)

    def restore(self, kept: Kept | None) -> None:
        """Put back a kept state, or the start when there is none."""
        if kept is None:
            knobs, self.since = self.first_knobs, 0
            self.config = self.config.replace(settings=knobs[0], escape_radius=knobs[1])
            self.saga, self.pool, self.constants = self._saga(), Pool(), self._constants()
            self.truth = self.truth.copy(self.data.tracker())
        else:
            knobs, self.since = kept.knobs, kept.since
            self.config = self.config.replace(settings=knobs[0], escape_radius=knobs[1])
            self.saga = OnlineSagaLD.from_snapshot(kept.saga, problem=self.data.problem)
            self.truth, self.pool = kept.truth.copy(copy.deepcopy(kept.tracker)), kept.pool.copy()
            self.constants = kept.constants.copy()
        self.advanced = 0
        self.effects.clear()

    def _saga(self) -> OnlineSagaLD:
        config = self.config
        start = self.data.start(config)
        return OnlineSagaLD(self.data.problem, config.settings, config.chains, config.seed, start)

    def _constants(self) -> Constants:
        return Constants(self.data.problem.curvature_bound, self.data.kind in ("gaussian_mean", "oracle"))

    def _truth(self, tracker: ModeTracker | OracleModeTracker) -> GaussianTruth:
        return _TRUTHS[choice_of(self.config.problem, self.config.given).truth](tracker)

    # changes ----------------------------------------------------------------------------------------------

    def configure(self, config: LiveConfig) -> None:
        """Turn knobs that need no restart; they act before the next step, and the change is logged."""
        before, after = (
            (self.config.settings, self.config.escape_radius),
            (config.settings, config.escape_radius),
        )
        self.config = config
        if before != after:
            if self.behind:
                self.forget_future()
            self._log(before, after)
            self.saga.settings = config.settings

    def revive(self) -> None:
        """Put diverged chains back at their checkpoint."""
        chains = int(self.saga.diverged.sum())
        if chains:
            if self.behind:
                self.forget_future()
            self.saga.restart_diverged()
            self.since = self.t
            self.timeline.add(replace(self._change(), revive=True))
            self.timeline.mark_revived(self._mark_position(), chains, self.clock())

    def apply(self, change: Change) -> None:
        """Repeat a logged change in a replay."""
        self.config = self.config.replace(settings=change.settings, escape_radius=change.escape_radius)
        self.saga.settings = change.settings
        if change.revive:
            self.saga.restart_diverged()
            self.since = self.t

    def _log(self, before: tuple[Settings, float], after: tuple[Settings, float]) -> None:
        self.timeline.add(self._change())
        self.timeline.mark(self._mark_position(), self.clock(), before, after)

    def _change(self) -> Change:
        return Change(self.t, None if self.done else self.advanced, self.config.settings, self.config.escape_radius)

    def _mark_position(self) -> float:
        return self.t + AFTER_END if self.done else self.position
