"""How much of the run is due by the clock, whatever the frame rate."""

from __future__ import annotations

import math

from app.state.live import SPEEDS

SLOW_STEPS = 2.0
"""At this many steps a second or fewer the three terms of a step are drawn as arrows."""
BACKLOG = 0.25
"""Seconds of work that may be owed: after a stall it goes on at its pace, it does not race."""


class Pacer:
    """Turns seconds into a target position in epochs, or into moments at which a step is due."""

    def __init__(self, speed: int) -> None:
        self.set(speed)

    def set(self, speed: int) -> None:
        """Choose an entry of SPEEDS."""
        _, self.kind, self.rate = SPEEDS[speed]
        self._target: float | None = None
        self._clock = 0.0
        self._step_at: float | None = None

    @property
    def slow(self) -> bool:
        """Whether single steps are watched."""
        return self.kind == "steps" and self.rate <= SLOW_STEPS

    def stop(self) -> None:
        """Owe nothing: the run pauses or jumps."""
        self._target = self._step_at = None

    def target(self, now: float, position: float) -> float:
        """Position in epochs where the run should be now."""
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
        """Whether one more step is due; the next falls due a whole interval later."""
        if self._step_at is not None and now < self._step_at:
            return False
        late = self._step_at is None or now - self._step_at > 1.0 / self.rate
        self._step_at = (now if late else self._step_at) + 1.0 / self.rate
        return True

    def wait(self, now: float, longest: int) -> float:
        """Seconds until there is something to do; `longest` steps make the epoch under way."""
        if self.kind == "steps":
            return 0.0 if self._step_at is None else max(0.0, self._step_at - now)
        return 0.0 if math.isinf(self.rate) else min(0.25, 1.0 / (self.rate * max(1, longest)))
