"""`Rewind`: the exact replay from a kept state to any epoch."""

from __future__ import annotations

import time
from collections.abc import Iterator

from app.live.recent_samples import EPOCHS
from app.live.run import LiveRun
from app.live.timeline import Change


class Rewind:
    """Brings a run to the end of epoch `target` exactly as it went, in slices."""

    def __init__(self, run: LiveRun, target: int) -> None:
        floor = run.timeline.floor
        self.target = min(max(target, _first_reachable(run) if floor else 0), run.history.t)
        kept = run.keeper.best(self.target, floor)
        start = kept.t if kept is not None else 0
        if not (run.state.done and start <= run.state.t <= self.target):
            run.restore(kept)
        self.run, self.state, self._start = run, run.state, run.state.t
        self._changes: Iterator[Change] = iter([c for c in run.timeline.changes if self._ahead(c)])
        self._next = next(self._changes, None)

    def _ahead(self, change: Change) -> bool:
        return change.t > self.state.t or (change.t == self.state.t and change.advanced is None)

    @property
    def done(self) -> bool:
        """Whether the end of the target epoch is reached."""
        return self.state.done and self.state.t >= self.target

    @property
    def fraction(self) -> float:
        """Part of the way, in [0, 1]."""
        return 1.0 if self.done else (self.state.t - self._start) / max(1, self.target - self._start)

    def stop_here(self) -> None:
        """Make the epoch under way the target."""
        self.target = min(self.target, self.state.t)

    def step(self, steps: int) -> None:
        """Go on by at most `steps` steps, within one epoch, and not past a logged change."""
        run, state = self.run, self.state
        if self.done:
            return
        while self._next is not None and self._due(self._next):
            run.apply(self._next)
            self._next = next(self._changes, None)
        run.measures.pooling = self.target - state.t <= EPOCHS + 2
        if self._next is not None and self._next.advanced is not None and self._next.t == state.t + state.done:
            already = 0 if state.done else state.advanced
            if self._next.advanced > already:
                steps = min(steps, self._next.advanced - already)
        if not run.go(steps):
            self.target = state.t

    def _due(self, change: Change) -> bool:
        """Whether the run stands where the change was made."""
        state = self.state
        if change.advanced is None:
            return state.done and change.t <= state.t
        return not state.done and change.t == state.t and change.advanced <= state.advanced

    def run_for(self, seconds: float, steps: int) -> bool:
        """Work for about `seconds`, `steps` at a time; True when done."""
        end = time.perf_counter() + seconds
        while not self.done and time.perf_counter() < end:
            self.step(steps)
        return self.done


def _first_reachable(run: LiveRun) -> int:
    usable = [state.t for state in run.keeper.states if state.t >= run.timeline.floor]
    return usable[0] if usable else run.state.t
