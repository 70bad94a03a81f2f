"""The exact replay of a run: `Rewind` from a kept state to any epoch it has been at, `Recall` from a link's history."""

from __future__ import annotations

import time
from collections.abc import Iterable

from app.live.moment import Moment
from app.live.recent_samples import EPOCHS
from app.live.run import LiveRun
from app.live.timeline import Change, place

DRAWN = 12
"""Epochs before the moment of a link that are shown as they pass: as many as a path on the picture is long."""
PICTURES = 4
"""Of each of these epochs."""


class Replay:
    """Brings a run to an instant, in slices, with logged changes made where they were made.

    Parameters
    ----------
    run
        Stands before the instant.
    t, advanced
        The instant: epoch t, after `advanced` of its steps (None: after its end).
    changes
        Those still to come, in order.
    """

    def __init__(self, run: LiveRun, t: int, advanced: int | None, changes: Iterable[Change]) -> None:
        self.run, self.state, self._start = run, run.state, run.state.t
        self.target, self._advanced = t, advanced
        self._changes = iter(changes)
        self._next = next(self._changes, None)

    @property
    def _here(self) -> tuple[int, float]:
        return place(self.state.t, None if self.state.done else self.state.advanced)

    @property
    def done(self) -> bool:
        """Whether the instant is reached."""
        return self._here >= place(self.target, self._advanced)

    @property
    def drawn(self) -> bool:
        """Whether what is left is shown frame by frame, so that chains have paths at its end."""
        return False

    @property
    def fraction(self) -> float:
        """Part of the way, in [0, 1]."""
        return 1.0 if self.done else min(max(0.0, (self.state.t - self._start) / max(1, self.target - self._start)), 1.0)

    def stop_here(self) -> None:
        """Make the end of the epoch under way the target."""
        if self.state.t <= self.target:
            self.target, self._advanced = self.state.t, None

    def step(self, steps: int) -> None:
        """Go on by at most `steps` steps, within one epoch, and not past a logged change."""
        self._repeat_what_is_due()
        if self.done:
            return
        self._prepare()
        for t, advanced in ((self.target, self._advanced), *([(self._next.t, self._next.advanced)] if self._next else [])):
            already = 0 if self.state.done else self.state.advanced
            if advanced is not None and t == self.state.t + self.state.done and advanced > already:
                steps = min(steps, advanced - already)
        if not self.run.go(steps):
            self.target, self._advanced = self.state.t, None

    def run_for(self, seconds: float, steps: int) -> bool:
        """Work for about `seconds`, `steps` at a time; True when done."""
        end = time.perf_counter() + seconds
        while not self.done and time.perf_counter() < end:
            self.step(steps)
        return self.done

    def _repeat_what_is_due(self) -> None:
        while self._next is not None and self._next.place <= self._here:
            self._repeat(self._next)
            self._next = next(self._changes, None)

    def _prepare(self) -> None:
        """Get ready for steps."""

    def _repeat(self, change: Change) -> None:
        """Make a change again."""
        raise NotImplementedError


class Rewind(Replay):
    """Brings a run to the end of epoch `target`, which it has been at: what was recorded then stays as it is."""

    def __init__(self, run: LiveRun, target: int) -> None:
        floor = run.timeline.floor
        target = min(max(target, _first_reachable(run) if floor else 0), run.history.t)
        kept = run.keeper.best(target, floor)
        start = kept.t if kept is not None else 0
        if not (run.state.done and start <= run.state.t <= target):
            run.restore(kept)
        here = run.state.t
        ahead = [c for c in run.timeline.changes if c.t > here or (c.t == here and c.advanced is None)]
        super().__init__(run, target, None, [c for c in ahead if c.place < place(target, None)])

    def _prepare(self) -> None:
        self.run.measures.pooling = self.target - self.state.t <= EPOCHS + 2

    def _repeat(self, change: Change) -> None:
        self.run.apply(change)


class Recall(Replay):
    """Brings a new run to the moment a link shows: everything is measured, logged and marked as it was the first time."""

    def __init__(self, run: LiveRun, moment: Moment) -> None:
        super().__init__(run, moment.t, moment.advanced, moment.way)
        self._gesture = 0.0

    @property
    def done(self) -> bool:
        """Whether the moment is reached, with the changes made at it."""
        return super().done and (self._next is None or self._next.place > self._here)

    @property
    def drawn(self) -> bool:
        """Whether the last epochs are reached, whose paths somebody who opens the link sees as the one who shared it did."""
        return self.target - self.state.position <= DRAWN

    def run_for(self, seconds: float, steps: int) -> bool:
        """Work for about `seconds`, or for one picture's part of an epoch; True when done."""
        end, drawn = time.perf_counter() + seconds, self.drawn
        goal = self.state.position + 1.0 / PICTURES if drawn else self.target - DRAWN
        while not self.done and self.state.position < goal and time.perf_counter() < end:
            part = max(1, self.state.longest // PICTURES) if drawn and self.state.t else steps
            self.step(min(steps, part))
        return self.done

    def _repeat(self, change: Change) -> None:
        self._gesture += 0.0 if change.continues else 60.0
        self.run.relive(change, self._gesture)


def _first_reachable(run: LiveRun) -> int:
    usable = [state.t for state in run.keeper.states if state.t >= run.timeline.floor]
    return usable[0] if usable else run.state.t
