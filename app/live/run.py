"""`Run`: one run of the sampler with all its measurements, without threads and with an external clock.

`Run` is the sequence of operations in plain Python, independent of the storage of the chains and translated for the browser;
`LiveRun` is a run on NumPy arrays.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.live.assumptions import Constants
from app.live.certificates import Certificates, promise_of
from app.live.epoch_measures import Measures, meters
from app.live.epoch_records import CloudOutlines, GoodEvents, SavedStates
from app.live.flashes import Effects
from app.live.history import History
from app.live.moment_link import Moment
from app.live.predicted_accuracy import AccuracyForecast
from app.live.recent_samples import Pool
from app.live.run_state import Data, RunState
from app.live.timeline import Change, Timeline
from app.live.truth import DrawnTruth, GaussianTruth, GridTruth, LaplaceTruth
from app.state.live import LiveConfig
from app.state.live_menu import ALGORITHMS, choice_of
from sampler import Settings, judge
from sampler.algorithms import online_algorithm
from sampler.theory import AssumptionMeter

if TYPE_CHECKING:
    from app.live.run_position import RunPosition
    from app.live.snapshot import Assumption, Meter, Promise
    from sampler.tuning import Verdict


class Run:
    """Chains, stream, target, history and the log of changes; advanced in slices, one datum per epoch.

    `state` is the current state; the other attributes record it after every epoch.

    Parameters
    ----------
    state : RunPosition
        State at t = 0.
    clock : callable
        Returns the time in seconds, from any origin.
    forecast : AccuracyForecast
        Predictor of the accuracy.
    """

    def __init__(self, state: RunPosition, clock: Callable[[], float], forecast: AccuracyForecast) -> None:
        self.clock, self.state = clock, state
        self.history, self.timeline, self.saved_states = History(), Timeline(), SavedStates(state)
        self._first_knobs = state.knobs
        self.measures = Measures(self.history, self.timeline, self._first_knobs, forecast)
        self.effects, self.certificates, self.outlines = Effects(), Certificates(), CloudOutlines()
        self.good = GoodEvents(state.saga.chains)
        self.records = [self.certificates, self.outlines, self.good]  #: updated after every epoch, truncated on rewinds

    def close(self) -> None:
        """Stop the background computation of the target."""
        self.state.truth.close()

    def verdict(self) -> tuple[Verdict, tuple[Meter, ...], tuple[Assumption, ...]]:
        """Return the verdict, its four meters and the three assumptions."""
        state, lines = self.state, self.state.assumptions
        measured = replace(self.measures.measured(state), drifts=lines[2].ok is False)
        verdict, prefix = judge(measured), ALGORITHMS[state.config.algorithm].prefix
        since = self.measures.since(state).words(state.t, state.config.reset, verdict.kind)
        verdict = replace(verdict, sentence=verdict.sentence + since)
        if prefix:
            verdict = replace(verdict, subtitle=f"{prefix.strip()}: {verdict.subtitle}")
        return verdict, meters(measured), lines

    def promise(self) -> Promise | None:
        """Return the theorem's bounds for the latest certified epoch and the measured values."""
        state = self.state
        ceiling = state.pool.ceiling() if state.pool.size else (None, 0.0)
        return promise_of(self.certificates.until(state.t), self.history, state.t, ceiling)

    # advancing --------------------------------------------------------------------------------------------

    def advance(self, steps: int, trace: int | None = None) -> bool:
        """Make up to `steps` steps of every unfinished chain, in a new epoch if the current one is finished.

        After a rewind this discards the records of later epochs. Return False, without any change, at the horizon or if
        a chain has diverged.
        """
        self.forget_future()
        return self.go(steps, trace)

    def go(self, steps: int, trace: int | None = None) -> bool:
        """Advance without discarding later records, for a replay."""
        state, effects = self.state, self.effects
        if state.done:
            if state.ended or state.halted:
                return False
            state.arrive()
            effects.note_resets(state)
            if effects.enabled:
                effects.note_exits(state, [0.0] * state.saga.chains)
        before = state.farthest() if effects.enabled else None
        state.saga.advance(steps, trace)
        state.advanced += steps
        if before is not None:
            effects.note_exits(state, before)
        if state.done:
            self.measures.finish(state)
            for record in self.records:
                record.finish(state)
            self.saved_states.keep(state)
        return True

    # rewinding --------------------------------------------------------------------------------------------

    @property
    def behind(self) -> bool:
        """Whether epochs after the current one have been recorded."""
        return self.state.done and self.history.t > self.state.t

    def forget_future(self) -> None:
        """Discard the records of epochs after the current one, if any."""
        for record in (self.history, self.timeline, self.saved_states, *self.records) if self.behind else ():
            record.truncate(self.state.t)

    def restore(self, kept: RunPosition) -> None:
        """Restore a saved state; the display settings are kept."""
        self.state = self.state.restored(kept)
        self.effects.clear()

    # changes ----------------------------------------------------------------------------------------------

    def configure(self, config: LiveConfig) -> None:
        """Apply and log a change of knobs without a restart, effective from the next step."""
        state = self.state
        before, state.config = state.knobs, config
        if before != state.knobs:
            self.forget_future()
            self._log(before, self.clock())
            state.saga.settings = config.settings

    def revive(self) -> None:
        """Reset diverged chains to their checkpoints."""
        chains = self.state.lost
        if chains:
            self.forget_future()
            self._put_back()
            self._log_revival(chains, self.clock())

    def _put_back(self) -> None:
        self.state.saga.restart_diverged()
        self.state.since = self.state.t

    def apply(self, change: Change) -> None:
        """Apply a logged change again in a replay."""
        state = self.state
        state.config = state.config.turned(change.knobs)
        state.saga.settings = change.settings
        if change.revive:
            self._put_back()

    def replay_change(self, change: Change, clock: float) -> None:
        """Apply a change from a link's history, logged and marked like a new one."""
        state = self.state
        before, chains = state.knobs, state.lost
        state.config = state.config.turned(change.knobs)
        if before != state.knobs:
            self._log(before, clock)  # marked at its position before a shorter epoch changes it
        self.apply(change)
        if change.revive and chains:
            self._log_revival(chains, clock)

    @property
    def moment(self) -> Moment:
        """Current position and the changes until then, for a link."""
        state = self.state
        return Moment(state.t, None if state.done else state.advanced, self._first_knobs, self.timeline.changes)

    def _log(self, before: tuple[Settings, float], clock: float) -> None:
        went_on = self.timeline.mark(self.state.mark_position, clock, before, self.state.knobs)
        self.timeline.add(replace(self._change(), continues=went_on))

    def _log_revival(self, chains: int, clock: float) -> None:
        self.timeline.add(replace(self._change(), revive=True))
        self.timeline.mark_revived(self.state.mark_position, chains, clock)

    def _change(self) -> Change:
        state = self.state
        return Change(state.t, None if state.done else state.advanced, *state.knobs)


_TRUTHS = {"exact": GaussianTruth, "grid": GridTruth, "draws": DrawnTruth, "laplace": LaplaceTruth}


class LiveRun(Run):
    """Run on NumPy arrays of this process."""

    state: RunState

    def __init__(self, config: LiveConfig, clock: Callable[[], float] = time.perf_counter) -> None:
        data = Data(config)
        truth = _TRUTHS[choice_of(config.problem, config.user_data).truth](data.tracker())
        kind = online_algorithm(config.algorithm)
        saga = kind(data.problem, config.settings, config.chains, config.seed, data.start(config))
        constants = Constants(AssumptionMeter(data.problem.curvature_bound), data.kind in ("gaussian_mean", "oracle"),
                              data.kind == "oracle")
        super().__init__(RunState(config, data, saga, truth, Pool(), constants), clock, AccuracyForecast())
