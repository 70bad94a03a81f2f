"""`Playback`: play a run at a selected speed, by the clock and independent of the frame rate.

At the slowest speeds the last step of the followed chain is stored term by term, with the chain's path in this epoch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from app.state.live import SPEEDS

if TYPE_CHECKING:
    from app.live.run import LiveRun
    from app.live.run_state import RunState

SLOW_STEPS = 2.0
"""Maximum steps per second at which the three terms of a step are drawn as arrows."""
BACKLOG = 0.25
"""Maximum seconds of work to catch up after a stall; the rest is skipped."""
LONGEST_PATH = 60
"""Maximum number of earlier points of the epoch that are stored."""


class StepPath:
    """The newest step of one chain, term by term, and the chain's earlier positions in this epoch."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove all points."""
        self._chain, self._t = -1, 0
        self._points: list[Sequence[float]] = []
        self.ends: list[Sequence[float]] = []  #: four points, the ends of the three arrows; empty before the first step

    def note(self, chain: int, trace: Any) -> None:
        """Store the last step of a `StepTrace` of `chain`; None if the chain made no step."""
        if trace is None or len(trace.before) == 0:
            return
        if not self.shows(chain, trace.t):
            self.clear()
            self._chain, self._t = chain, trace.t
        before, eta = trace.before[-1], trace.step_size
        guessed = [x - eta * g for x, g in zip(before, trace.guess[-1], strict=True)]
        corrected = [x - eta * g for x, g in zip(guessed, trace.correction[-1], strict=True)]
        if self.ends:
            self._points = [*self._points, self.ends[0]][-LONGEST_PATH:]
        self.ends = [before, guessed, corrected, trace.after[-1]]

    def shows(self, chain: int, t: int) -> bool:
        """Return whether the stored step is of this chain and epoch."""
        return self._chain == chain and self._t == t

    @property
    def path(self) -> list[Sequence[float]]:
        """Points of the epoch, oldest first; the last is the start of the arrows."""
        return [*self._points, self.ends[0]]


CHUNK = 0.004
"""Target duration of one call into the sampler (seconds)."""


class Playback:
    """Scheduler with a rate, the measured cost of a step, and in slow mode the path of the followed chain.

    Elapsed seconds are converted to a target position in epochs, or to due times of steps.
    """

    def __init__(self, speed: int) -> None:
        self.path = StepPath()
        self.hurry_to = 0  #: play at full speed up to the end of this epoch
        self._cost = 1e-4  # seconds for one step of all chains
        self._clock = 0.0
        self.set(speed)

    def set(self, speed: int) -> None:
        """Set the speed to an entry of SPEEDS."""
        _, self.kind, self.rate = SPEEDS[speed]
        self.stop()
        if not self.slow:
            self.path.clear()

    @property
    def slow(self) -> bool:
        """Whether steps are drawn term by term."""
        return self.kind == "steps" and self.rate <= SLOW_STEPS

    def stop(self) -> None:
        """Reset the schedule when the run pauses or jumps."""
        self._target: float | None = None
        self._step_at: float | None = None

    def target(self, now: float, position: float) -> float:
        """Return the position in epochs that is due now."""
        if math.isinf(self.rate):
            return math.inf
        if self._target is None:
            self._target = position
        else:
            owed = max(BACKLOG * self.rate, 1.0)
            self._target = min(self._target + (now - self._clock) * self.rate, position + owed)
        self._clock = now
        return self._target

    def step_due(self, now: float) -> bool:
        """Return whether a step is due, and schedule the next one an interval later."""
        if self._step_at is not None and now < self._step_at:
            return False
        late = self._step_at is None or now - self._step_at > 1.0 / self.rate
        self._step_at = (now if late else self._step_at) + 1.0 / self.rate
        return True

    def wait(self, run: LiveRun) -> float:
        """Return the seconds until work is due."""
        state = run.state
        if state.position < self.hurry_to or math.isinf(self.rate):
            return 0.0
        if self.kind == "steps":
            return 0.0 if self._step_at is None else max(0.0, self._step_at - run.clock())
        return min(0.25, 1.0 / (self.rate * max(1, state.longest if state.t else 1)))

    def paced(self, run: LiveRun) -> bool:
        """Return whether epochs are due by the clock."""
        return self.kind == "epochs" and not math.isinf(self.rate) and run.state.position >= self.hurry_to

    def chunk(self) -> int:
        """Return the number of steps of all chains that take about CHUNK seconds."""
        return max(1, min(int(CHUNK / self._cost), 100_000))

    def play(self, run: LiveRun, until: float) -> bool:
        """Advance the run to the position due now, at most until a time of the run's clock; return whether it moved."""
        now, state = run.clock(), run.state
        if state.position < self.hurry_to:
            self.stop()  # the selected speed's schedule starts there
            return self._go_to(run, self.hurry_to, until)
        if self.kind == "steps":
            return self.step_due(now) and self.step(run)
        return self._go_to(run, self.target(now, state.position), until)

    def _go_to(self, run: LiveRun, target: float, until: float) -> bool:
        state, moved = run.state, False
        while state.position < target and (not moved or run.clock() < until):
            if not self._go(run, self._steps_to(state, target)):
                break
            moved = True
        return moved

    def step(self, run: LiveRun) -> bool:
        """Make one step of every unfinished chain, after finishing the epoch if the followed chain has finished it."""
        state = run.state
        if not state.done and state.step >= state.run_length:
            self.epoch(run, lambda: False)
        if not self.slow:
            return run.advance(1)
        moved = run.advance(1, state.chain)
        if moved:
            self.path.note(state.chain, state.trace)
        return moved

    def epoch(self, run: LiveRun, stopped: Callable[[], bool]) -> bool:
        """Finish the current epoch, or run a whole new one."""
        moved = self._go(run, self.chunk())
        while moved and not run.state.done and not stopped():
            self._go(run, self.chunk())
        return moved

    def _steps_to(self, state: RunState, target: float) -> int:
        """Return the number of steps towards a target position, at most a chunk."""
        begun = state.t if state.done else state.t - 1
        if target - begun >= 1:
            return self.chunk()
        if state.done:
            return 1
        needed = math.ceil((target - begun) * state.longest) - state.advanced
        return max(1, min(needed, self.chunk()))

    def _go(self, run: LiveRun, steps: int) -> bool:
        start, opened = run.clock(), run.state.done
        moved = run.advance(steps)
        if moved and not opened and not run.state.done:  # a slice without the work at the start or end of an epoch
            cost = (run.clock() - start) / steps
            self._cost += 0.2 * (cost - self._cost)
        return moved
