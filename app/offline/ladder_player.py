"""`Player`: where the animation stands; a clock that turns seconds into frames."""

from __future__ import annotations

import math


class Player:
    """A position in frames that moves at `rate` rungs a second while playing, and waits for what is not there yet."""

    def __init__(self, per_rung: int = 60, rungs: int = 1, rate: float = 0.5) -> None:
        self.per_rung, self.rungs, self.rate = per_rung, rungs, rate
        self.position = 0.0
        self.playing = True
        self._at: float | None = None

    @property
    def frame(self) -> int:
        """The frame to show."""
        return int(self.position)

    @property
    def end(self) -> int:
        """Index of the last frame of a whole run."""
        return self.per_rung * self.rungs

    @property
    def over(self) -> bool:
        """Whether the last frame is shown."""
        return self.frame >= self.end

    def load(self, per_rung: int, rungs: int) -> None:
        """Begin a new run, playing."""
        self.per_rung, self.rungs = per_rung, rungs
        self.restart()

    def tick(self, now: float, available: int) -> int:
        """Move on to the time `now`, seconds, but not past the last frame there is; return the frame to show."""
        passed = 0.0 if self._at is None else min(now - self._at, 0.25)  # a stalled browser does not make it jump
        self._at = now
        if self.playing:
            ahead = self.position + passed * self.rate * self.per_rung
            self.position = max(0.0, min(ahead, float(available), float(self.end)))
            if self.over:
                self.playing = False
        else:
            self.position = max(0.0, min(self.position, float(available)))
        return self.frame

    def play(self) -> None:
        """Go on; from the start when it is over."""
        if self.over:
            self.position = 0.0
        self.playing, self._at = True, None

    def pause(self) -> None:
        """Stand still."""
        self.playing = False

    def restart(self) -> None:
        """Begin again, playing."""
        self.position, self.playing, self._at = 0.0, True, None

    def step(self, available: int) -> None:
        """Go to the end of this rung, or of the next one, and stand still there."""
        self.playing = False
        end = (math.floor(self.position / self.per_rung + 1e-9) + 1) * self.per_rung
        self.position = float(max(0, min(end, available, self.end)))

    def seek(self, frame: int, available: int) -> None:
        """Go to a frame and stand still there."""
        self.playing = False
        self.position = float(max(0, min(frame, available, self.end)))
