"""Moves a run on: by single steps, by epochs, or at a pace, in slices short enough to be interrupted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from app.live.pacer import Pacer
from app.live.run import LiveRun
from app.live.run_state import RunState
from app.live.slow_mode_step import StepPath

CHUNK = 0.004
"""Seconds that one call into the sampler should take."""


class Playback:
    """A pace, the cost of a step as measured, and in slow mode the path of the followed chain."""

    def __init__(self, speed: int) -> None:
        self.pacer, self.path = Pacer(speed), StepPath()
        self.hurry_to = 0  #: up to the end of this epoch it plays as fast as it goes
        self._cost = 1e-4  # seconds for one step of all chains

    def set(self, speed: int) -> None:
        """Choose an entry of SPEEDS."""
        self.pacer.set(speed)
        if not self.pacer.slow:
            self.path.clear()

    def stop(self) -> None:
        """The run pauses or jumps: nothing is owed."""
        self.pacer.stop()

    def wait(self, run: LiveRun, now: float) -> float:
        """Seconds until there is something to do."""
        if run.state.position < self.hurry_to:
            return 0.0
        return self.pacer.wait(now, run.state.longest if run.state.t else 1)

    def paced(self, run: LiveRun) -> bool:
        """Whether epochs fall due by the clock."""
        return self.pacer.kind == "epochs" and not math.isinf(self.pacer.rate) and run.state.position >= self.hurry_to

    def chunk(self) -> int:
        """Steps of all chains that take about CHUNK seconds."""
        return max(1, min(int(CHUNK / self._cost), 100_000))

    def play(self, run: LiveRun, until: float) -> bool:
        """Do what is due by now, at the latest until a time; whether anything moved."""
        now, state = time.monotonic(), run.state
        if state.position < self.hurry_to:
            self.stop()  # the clock of the chosen speed begins there
            return self._go_to(run, self.hurry_to, until)
        if self.pacer.kind == "steps":
            return self.pacer.step_due(now) and self.step(run)
        return self._go_to(run, self.pacer.target(now, state.position), until)

    def _go_to(self, run: LiveRun, target: float, until: float) -> bool:
        state, moved = run.state, False
        while state.position < target and (not moved or time.monotonic() < until):
            if not self._go(run, self._steps_to(state, target)):
                break
            moved = True
        return moved

    def step(self, run: LiveRun) -> bool:
        """One step of every unfinished chain, finishing the epoch first if the followed one has ended."""
        state = run.state
        if not state.done and state.step >= state.run_length:
            self.epoch(run, lambda: False)
        if not self.pacer.slow:
            return run.advance(1)
        moved = run.advance(1, state.chain)
        if moved:
            self.path.note(state.chain, state.saga.trace)
        return moved

    def epoch(self, run: LiveRun, stopped: Callable[[], bool]) -> bool:
        """Finish the epoch under way, or run a whole new one."""
        moved = self._go(run, self.chunk())
        while moved and not run.state.done and not stopped():
            self._go(run, self.chunk())
        return moved

    def _steps_to(self, state: RunState, target: float) -> int:
        """Steps towards a target position, no more than a chunk."""
        begun = state.t if state.done else state.t - 1
        if target - begun >= 1:
            return self.chunk()
        if state.done:
            return 1
        wanted = math.ceil((target - begun) * state.longest) - state.advanced
        return max(1, min(wanted, self.chunk()))

    def _go(self, run: LiveRun, steps: int) -> bool:
        start, opened = time.perf_counter(), run.state.done
        moved = run.advance(steps)
        if moved and not opened and not run.state.done:  # a slice without the work at either end of an epoch
            cost = (time.perf_counter() - start) / steps
            self._cost += 0.2 * (cost - self._cost)
        return moved
