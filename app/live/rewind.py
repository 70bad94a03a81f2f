"""Exact replay of a run: `Rewind` from a saved state to any recorded epoch, `Recall` from a link's history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.live.recent_samples import EPOCHS
from app.live.timeline import not_after, place

if TYPE_CHECKING:
    from app.live.moment_link import Moment
    from app.live.run import LiveRun
    from app.live.run_state import RunState
    from app.live.timeline import Change

DRAWN = 12
"""Number of epochs before the moment of a link that are displayed frame by frame, the length of a trail."""
FRAMES_PER_EPOCH = 4
"""Frames in each of these epochs."""


class Replay:
    """Advance a run to an instant in slices, applying logged changes at their positions.

    Parameters
    ----------
    run
        Run at a position before the instant.
    t, advanced
        The instant: epoch t, after `advanced` of its steps (None: after its end).
    changes
        Remaining changes, in order.
    """

    def __init__(self, run: LiveRun, t: int, advanced: int | None, changes: Sequence[Change]) -> None:
        self.run, self._start = run, run.state.t
        self.target, self._advanced = t, advanced
        self._pending = list(changes)

    @property
    def state(self) -> RunState:
        """Current state of the run."""
        return self.run.state

    @property
    def _here(self) -> tuple[int, float]:
        return place(self.state.t, None if self.state.done else self.state.advanced)

    @property
    def done(self) -> bool:
        """Whether the instant is reached."""
        return not_after(place(self.target, self._advanced), self._here)

    @property
    def drawn(self) -> bool:
        """Whether the remaining epochs are displayed frame by frame, so that chains have trails at the end."""
        return False

    @property
    def fraction(self) -> float:
        """Completed fraction, in [0, 1]."""
        return 1.0 if self.done else min(max(0.0, (self.state.t - self._start) / max(1, self.target - self._start)), 1.0)

    def stop_here(self) -> None:
        """Set the target to the end of the current epoch."""
        if self.state.t <= self.target:
            self.target, self._advanced = self.state.t, None

    def step(self, steps: int) -> None:
        """Advance by at most `steps` steps, within one epoch and not past a logged change."""
        while self._pending and not_after(self._pending[0].place, self._here):
            due, *self._pending = self._pending
            self._repeat(due)
        if self.done:
            return
        for t, advanced in ((self.target, self._advanced), *[(change.t, change.advanced) for change in self._pending[:1]]):
            already = 0 if self.state.done else self.state.advanced
            if advanced is not None and t == self.state.t + self.state.done and advanced > already:
                steps = min(steps, advanced - already)
        if not self.run.go(steps):
            self.target, self._advanced = self.state.t, None

    def run_for(self, seconds: float, steps: int) -> bool:
        """Work for about `seconds`, `steps` at a time; return whether done."""
        end = self.run.clock() + seconds
        while not self.done and self.run.clock() < end:
            self.step(steps)
        return self.done

    def _repeat(self, change: Change) -> None:
        """Apply a logged change; implemented by subclasses."""


class Rewind(Replay):
    """Replay to the end of a recorded epoch `target`; the existing records are kept."""

    def __init__(self, run: LiveRun, target: int) -> None:
        target = min(target, run.history.t)
        kept = run.saved_states.latest(target)
        if not (run.state.done and kept.t <= run.state.t <= target):
            run.restore(kept)
        here = run.state.t
        ahead = [c for c in run.timeline.changes if c.t > here or (c.t == here and c.advanced is None)]
        super().__init__(run, target, None, [c for c in ahead if not not_after(place(target, None), c.place)])

    def step(self, steps: int) -> None:
        """Advance as `Replay.step`; samples are pooled only near the end, where they matter."""
        self.run.measures.pooling = self.target - self.state.t <= EPOCHS + 2
        super().step(steps)

    def _repeat(self, change: Change) -> None:
        self.run.apply(change)


class Recall(Replay):
    """Replay of a new run to the moment of a link, with all measurements, logs and marks."""

    def __init__(self, run: LiveRun, moment: Moment) -> None:
        super().__init__(run, moment.t, moment.advanced, moment.way)
        self._gesture = 0.0

    @property
    def done(self) -> bool:
        """Whether the moment is reached and the changes at it are applied."""
        return super().done and not (self._pending and not_after(self._pending[0].place, self._here))

    @property
    def drawn(self) -> bool:
        """Whether the last `DRAWN` epochs are reached, which are displayed so that the trails equal those of the sharer."""
        return self.target - self.state.position <= DRAWN

    def run_for(self, seconds: float, steps: int) -> bool:
        """Work for about `seconds`, or for one frame's part of an epoch; return whether done."""
        end, drawn = self.run.clock() + seconds, self.drawn
        goal = self.state.position + 1.0 / FRAMES_PER_EPOCH if drawn else self.target - DRAWN
        while not self.done and self.state.position < goal and self.run.clock() < end:
            part = max(1, self.state.longest // FRAMES_PER_EPOCH) if drawn and self.state.t else steps
            self.step(min(steps, part))
        return self.done

    def _repeat(self, change: Change) -> None:
        self._gesture += 0.0 if change.continues else 60.0
        self.run.replay_change(change, self._gesture)
