"""`film`: a run played along the clock of the recording, one frame after the other. No thread, no waiting."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from app.live.run import LiveRun
from app.live.snapshot import Series, Snapshot
from app.live.snapshot_builder import SnapshotBuilder
from app.live.timeline import Change
from app.recording.plan import Plan

NOTHING = (None, None)
APART = 60.0
"""Seconds between two changes that are marked apart; one that goes on turning a knob shares the mark before it."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame, and what belongs to chains that nobody follows now but a viewer may choose."""

    snapshot: Snapshot
    ended: int  #: last epoch that has ended
    checkpoints: np.ndarray  #: (K, 2) of every chain, plotted
    outlines: np.ndarray | None  #: (K, 5) of every chain's own metric: xx, xy, yy, in force, C'; None for plain chains


@dataclass(frozen=True, eq=False)
class Epoch:
    """What the charts know at the end of an epoch."""

    t: int
    series: Series
    snapshot_config: object  #: `LiveConfig` then


class Stopped(Exception):
    """Nobody waits for the recording any more."""


class Film:
    """Plays a plan.

    Parameters
    ----------
    plan : Plan
    frames_a_second : int
        Of film.
    stopped : callable
        Asked now and then whether to give up; `Stopped` is raised then.
    """

    def __init__(self, plan: Plan, frames_a_second: int, stopped: Callable[[], bool] = lambda: False) -> None:
        self.plan, self._rate, self._stopped = plan, frames_a_second, stopped
        self._seconds = 0.0  #: of film
        self.run = LiveRun(plan.config)
        self._builder = SnapshotBuilder(1, 0)
        self._due = list(plan.changes)
        self._began, self._gesture = time.monotonic(), 0.0
        self.halted = False  #: whether a chain diverged, so that the film ends early

    def play(self) -> Iterator[Frame | Epoch]:
        """Yield the frames in order, and each epoch before the frame that first shows its end."""
        try:
            for number, position in enumerate(self.plan.pace.positions(self.plan.epochs, self._rate)):
                if self._stopped():
                    raise Stopped
                self._seconds = number / self._rate
                yield from self._go(position)
                yield self._frame()
                if self.halted or self.run.state.ended and self.run.state.t < self.plan.epochs:
                    return
        finally:
            self.run.close()

    # going on ---------------------------------------------------------------------------------------------

    def _go(self, position: float) -> Iterator[Epoch]:
        run, state = self.run, self.run.state
        self._change()
        while state.position < position - 1e-9:
            if not run.advance(self._steps(position)):
                self.halted = state.halted
                return
            if state.done:
                self._wait_for_target()
                yield self._epoch()
            self._change()

    def _steps(self, position: float) -> int:
        """Steps towards a position within one epoch, not past a change."""
        state = self.run.state
        if state.done:
            return 1  # the epoch's length is known once it has begun
        part = min(position - (state.t - 1), 1.0)
        wanted = state.longest if part >= 1.0 else math.ceil(part * state.longest)
        change = self._due[0] if self._due else None
        if change is not None and change.advanced is not None and change.t == state.t:
            wanted = min(wanted, change.advanced)
        return max(1, wanted - state.advanced)

    def _change(self) -> None:
        """Turn the knobs whose moment has come."""
        while self._due and self._reached(self._due[0]):
            change = self._due.pop(0)
            self._gesture += 0.0 if change.continues else APART
            self.run.relive(change, self._gesture)

    def _reached(self, change: Change) -> bool:
        state = self.run.state
        if change.advanced is None:
            return state.done and change.t <= state.t
        return change.t < state.t or (change.t == state.t and (state.done or change.advanced <= state.advanced))

    def _wait_for_target(self) -> None:
        """Where the target is drawn in the background, give it the time that Live would."""
        truth = self.run.state.truth
        while truth.busy and time.monotonic() - self._began < self._seconds:
            if self._stopped():
                raise Stopped
            time.sleep(0.01)

    # looking ----------------------------------------------------------------------------------------------

    def _frame(self) -> Frame:
        run, state = self.run, self.run.state
        snapshot = self._builder.build(run, self._seconds, True, True, NOTHING, None)
        cloud = snapshot.cloud
        return Frame(snapshot, state.t if state.done else state.t - 1, cloud.checkpoints, cloud.acceptance_balls)

    def _epoch(self) -> Epoch:
        run, state = self.run, self.run.state
        series = run.history.series(state.t, run.timeline.events(state.t + 0.01))
        return Epoch(state.t, series, state.config)
