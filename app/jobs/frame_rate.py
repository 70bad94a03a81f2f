"""`FrameRate`: how often each visit of this server is drawn. Frames grow rarer with visits; epochs keep their speed."""

import time
from collections.abc import Callable, Hashable

SHORTEST, LONGEST = 1 / 60, 1 / 8
"""Seconds between two frames of a visit: of one alone, and of one among many."""
SHARE = 0.5
"""Of the time of the thread that serves all pages, what the frames of others may take."""
ASIDE = 0.05
"""The same of one page that draws no frames, such as the map of a sweep at work, while Live's visits are drawn."""
RECENT = 1.0
"""Seconds since its last frame after which a visit counts no more."""
BLEND = 0.05
"""Weight of the newest frame in the means."""
FEW = 3
"""Visits of which each browser answers every frame: what a knob does is seen soonest then."""
CHARTS = 6
"""Frames between two drawings of the charts, at least, where frames are rare; and the least seconds between them."""
CHARTS_SHORTEST = 0.17


class FrameRate:
    """Seconds that should lie between two frames of one visit, from what frames have cost.

    Parameters
    ----------
    clock
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cost = self._apart = 0.0
        self._seen: dict[Hashable, float] = {}

    def note(self, visit: Hashable, seconds: float) -> None:
        """Take in that a frame was sent to a visit, and what it took of the serving thread."""
        now = self._clock()
        self._cost += BLEND * (seconds - self._cost)
        if visit in self._seen:
            self._apart += BLEND * (min(now - self._seen[visit], RECENT) - self._apart)
        self._seen[visit] = now
        self._seen = {other: at for other, at in self._seen.items() if now - at < RECENT}

    def rest(self, seconds: float) -> float:
        """Return for how many seconds a page is not drawn again that has just taken so many of the serving thread."""
        now = self._clock()
        return seconds * (1 / ASIDE - 1) if any(now - at < RECENT for at in self._seen.values()) else 0.0

    @property
    def visits(self) -> int:
        """Visits drawn of late."""
        return len(self._seen)

    @property
    def frame(self) -> float:
        """Seconds between two frames of a visit: who is alone has all that the machine can draw."""
        return min(max(SHORTEST, (self.visits - 1) * self._cost / SHARE), LONGEST)

    def next_due(self, due: float, now: float) -> float:
        """Return when the frame after one that was due at `due` and is made now is due: lateness does not add up.

        What is more than a frame late is not made up for; one made early, because a knob was turned, has its rest after it.
        """
        return max(now - self.frame, min(due, now)) + self.frame

    @property
    def answered(self) -> int:
        """Frames that a browser answers at once: an answer costs the serving thread as much as a frame."""
        return 1 if self.visits <= FEW else 3

    @property
    def apart(self) -> float:
        """Seconds that two frames of a visit do lie apart: more than `frame` says where the machine cannot keep the pace."""
        return max(self.frame, self._apart if self.visits > 1 else 0.0)

    @property
    def charts(self) -> float:
        """Seconds between two drawings of a visit's charts and words: they grow rarer before the chains do."""
        return max(CHARTS_SHORTEST, CHARTS * self.apart)
