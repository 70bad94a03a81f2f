"""`LiveRun`: one run of the sampler with everything measured about it. No threads, no clock of its own."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.live.assumptions import Constants
from app.live.certificates import Certificates
from app.live.cloud_outlines import CloudOutlines
from app.live.drawn_truth import DrawnTruth
from app.live.epoch_measures import Measures
from app.live.flashes import Effects
from app.live.good_events import GoodEvents
from app.live.history import History
from app.live.meters import meters
from app.live.moment import Moment
from app.live.promise_words import promise_of
from app.live.recent_samples import Pool
from app.live.rewind_states import Keeper, Kept
from app.live.run_data import Data
from app.live.run_state import RunState
from app.live.timeline import Change, Timeline
from app.live.truth import GaussianTruth, GridTruth, LaplaceTruth
from app.state.algorithm_menu import ALGORITHMS
from app.state.live import LiveConfig
from app.state.problem_menu import choice_of
from sampler import OnlineSagaLD, judge
from sampler.algorithms import online_algorithm

if TYPE_CHECKING:
    from app.live.snapshot import Assumption, Meter, Promise
    from sampler.tuning import Verdict

_TRUTHS = {"exact": GaussianTruth, "grid": GridTruth, "draws": DrawnTruth, "laplace": LaplaceTruth}


class LiveRun:
    """Chains, stream, target, history and the log of changes; advanced in slices, one datum an epoch.

    `state` says where the run stands; the other attributes observe it and are told at every epoch.
    """

    def __init__(self, config: LiveConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        data = Data(config)
        truth = _TRUTHS[choice_of(config.problem, config.given).truth](data.tracker())
        self.state = RunState(config, data, _chains(config, data), truth, Pool())
        self.constants = self._new_constants()
        self.history, self.timeline, self.keeper = History(), Timeline(), Keeper()
        self._first_knobs = config.settings, config.escape_radius
        self.measures = Measures(self.history, self.timeline, self._first_knobs)
        self.effects = Effects(config.chains)
        self.good = GoodEvents(config.chains)
        self.certificates, self.outlines = Certificates(), CloudOutlines()

    def close(self) -> None:
        """Stop the background work."""
        self.state.truth.close()

    def verdict(self) -> tuple[Verdict, tuple[Meter, ...], tuple[Assumption, ...]]:
        """Return the verdict, its four meters and the three assumptions."""
        state, lines = self.state, self.constants.lines(self.state)
        measured = replace(self.measures.measured(state), drifts=lines[2].ok is False)
        found, prefix = judge(measured), ALGORITHMS[state.config.algorithm].prefix
        since = self.measures.since(state).words(state.t, state.config.reset, found.kind)
        found = replace(found, sentence=found.sentence + since)
        if prefix:
            found = replace(found, subtitle=f"{prefix.strip()}: {found.subtitle}")
        return found, meters(measured), lines

    def promise(self) -> Promise | None:
        """Return what the theorem promises of the latest certified epoch, beside what was measured."""
        state = self.state
        ceiling = state.pool.ceiling() if state.pool.size else (None, 0.0)
        return promise_of(self.certificates.until(state.t), self.history, state.t, ceiling)

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
        state, effects = self.state, self.effects
        if state.done:
            if state.ended or state.halted:
                return False
            self._arrive()
        before = state.saga.farthest if effects.wanted else None
        state.saga.advance(steps, trace)
        state.advanced += steps
        if before is not None:
            effects.note_exits(state.saga, state.tracker.mode, state.escape_distance, before)
        if state.done:
            self.measures.finish(state)
            self.good.finish(state)
            self.certificates.finish(state, self.constants.meter)
            self.outlines.finish(state)
            self.keeper.keep(state, self.constants)
        return True

    def _arrive(self) -> None:
        state, effects = self.state, self.effects
        row = state.data.row(state.t + 1)
        state.saga.arrive(*row)
        state.tracker.add(*row)
        state.truth.add(*row)
        self.constants.add(state, *row)
        state.saga.watch(state.tracker.mode)
        state.advanced = 0
        effects.note_resets(state.saga)
        if effects.wanted:
            effects.note_exits(state.saga, state.tracker.mode, state.escape_distance, np.zeros(state.saga.chains))

    # going back -------------------------------------------------------------------------------------------

    @property
    def behind(self) -> bool:
        """Whether later epochs than this one have been recorded."""
        return self.state.done and self.history.t > self.state.t

    def forget_future(self) -> None:
        """Drop what was recorded after the end of this epoch."""
        for record in (self.history, self.timeline, self.keeper, self.good, self.certificates, self.outlines):
            record.truncate(self.state.t)

    def restore(self, kept: Kept | None) -> None:
        """Put back a kept state, or the start when there is none."""
        state = self.state
        settings, radius = self._first_knobs if kept is None else kept.knobs
        state.config = state.config.replace(settings=settings, escape_radius=radius)
        if kept is None:
            state.saga, state.pool, self.constants = _chains(state.config, state.data), Pool(), self._new_constants()
            state.truth, state.since = state.truth.copy(state.data.tracker()), 0
        else:
            state.saga = type(state.saga).from_snapshot(kept.saga, problem=state.data.problem)
            state.truth, state.pool = kept.truth.copy(copy.deepcopy(kept.tracker)), kept.pool.copy()
            self.constants, state.since = kept.constants.copy(), kept.since
        state.advanced = 0
        self.effects.clear()

    def _new_constants(self) -> Constants:
        data = self.state.data
        return Constants(data.problem.curvature_bound, data.kind in ("gaussian_mean", "oracle"))

    # changes ----------------------------------------------------------------------------------------------

    def configure(self, config: LiveConfig) -> None:
        """Turn knobs that need no restart; they act before the next step, and the change is logged."""
        state = self.state
        before, after = ((c.settings, c.escape_radius) for c in (state.config, config))
        state.config = config
        if before != after:
            if self.behind:
                self.forget_future()
            self._log(before, after, self.clock())
            state.saga.settings = config.settings

    def revive(self) -> None:
        """Put diverged chains back at their checkpoint."""
        state = self.state
        chains = int(state.saga.diverged.sum())
        if chains:
            if self.behind:
                self.forget_future()
            state.saga.restart_diverged()
            state.since = state.t
            self._log_revival(chains, self.clock())

    def apply(self, change: Change) -> None:
        """Repeat a logged change in a replay."""
        state = self.state
        state.config = state.config.replace(settings=change.settings, escape_radius=change.escape_radius)
        state.saga.settings = change.settings
        if change.revive:
            state.saga.restart_diverged()
            state.since = state.t

    def relive(self, change: Change, clock: float) -> None:
        """Repeat a change of a link's history: it is logged and marked as if it were made now."""
        state = self.state
        before, after = (state.config.settings, state.config.escape_radius), (change.settings, change.escape_radius)
        chains = int(state.saga.diverged.sum())
        state.config = state.config.replace(settings=change.settings, escape_radius=change.escape_radius)
        if before != after:
            self._log(before, after, clock)  # marked where it was made, before a shorter epoch moves its end
        self.apply(change)
        if change.revive and chains:
            self._log_revival(chains, clock)

    @property
    def moment(self) -> Moment:
        """Where the run stands and how it came there, for a link."""
        state = self.state
        return Moment(state.t, None if state.done else state.advanced, self._first_knobs, self.timeline.changes,
                      not self.timeline.floor)

    def _log(self, before: tuple, after: tuple, clock: float) -> None:
        went_on = self.timeline.mark(self.state.mark_position, clock, before, after)
        self.timeline.add(replace(self._change(), continues=went_on))

    def _log_revival(self, chains: int, clock: float) -> None:
        self.timeline.add(replace(self._change(), revive=True))
        self.timeline.mark_revived(self.state.mark_position, chains, clock)

    def _change(self) -> Change:
        state = self.state
        return Change(state.t, None if state.done else state.advanced, state.config.settings, state.config.escape_radius)


def _chains(config: LiveConfig, data: Data) -> OnlineSagaLD:
    kind = online_algorithm(config.algorithm)
    return kind(data.problem, config.settings, config.chains, config.seed, data.start(config))
