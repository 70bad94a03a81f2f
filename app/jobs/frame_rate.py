"""`FrameRate`: interval between frames of each visit. It grows with the number of visits; epochs keep their speed."""

import time
from collections.abc import Callable, Hashable

SHORTEST, LONGEST = 1 / 60, 1 / 8
"""Shortest and longest interval between two frames of a visit, in seconds."""
SHARE = 0.5
"""Largest share of the serving thread's time for the frames of other visits."""
ASIDE = 0.05
"""The same for one page without frames, such as the map of a running sweep, while Live pages are drawn."""
RECENT = 1.0
"""Seconds after its last frame in which a visit counts as drawn."""
BLEND = 0.05
"""Weight of the latest frame in the moving averages."""
FEW = 3
"""Number of visits up to which browsers acknowledge every frame, for the lowest latency of a knob."""
CHARTS = 6
"""Minimum interval between two drawings of the charts: in frames, and in seconds."""
CHARTS_SHORTEST = 0.17


class FrameRate:
    """Interval between two frames of one visit, from the measured cost of frames.

    Parameters
    ----------
    clock
        Function that returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cost = self._apart = 0.0
        self._seen: dict[Hashable, float] = {}

    def note(self, visit: Hashable, seconds: float) -> None:
        """Record a frame sent to a visit and the serving thread's time for it, in seconds."""
        now = self._clock()
        self._cost += BLEND * (seconds - self._cost)
        if visit in self._seen:
            self._apart += BLEND * (min(now - self._seen[visit], RECENT) - self._apart)
        self._seen[visit] = now
        self._seen = {other: at for other, at in self._seen.items() if now - at < RECENT}

    def rest(self, seconds: float) -> float:
        """Return the pause in seconds of a page without frames that has used the serving thread for `seconds`."""
        now = self._clock()
        return seconds * (1 / ASIDE - 1) if any(now - at < RECENT for at in self._seen.values()) else 0.0

    @property
    def visits(self) -> int:
        """Number of visits drawn in the last RECENT seconds."""
        return len(self._seen)

    @property
    def frame(self) -> float:
        """Target interval between two frames of a visit, in seconds; a single visit has the highest rate."""
        return min(max(SHORTEST, (self.visits - 1) * self._cost / SHARE), LONGEST)

    def next_due(self, due: float, now: float) -> float:
        """Return the due time of the frame after one that was due at `due` and is made now.

        A delay of less than one frame is made up for, a longer one is not. A frame made early, after a change of a knob, is
        followed by a full interval.
        """
        return max(now - self.frame, min(due, now)) + self.frame

    @property
    def answered(self) -> int:
        """Frames per acknowledgement: an acknowledgement costs the serving thread as much as a frame."""
        return 1 if self.visits <= FEW else 3

    @property
    def apart(self) -> float:
        """Measured interval between two frames of a visit, in seconds; longer than `frame` on an overloaded machine."""
        return max(self.frame, self._apart if self.visits > 1 else 0.0)

    @property
    def charts(self) -> float:
        """Interval between two drawings of a visit's charts and texts, in seconds; it grows before that of the chains."""
        return max(CHARTS_SHORTEST, CHARTS * self.apart)
