"""How long work will still take: read off its own pace, and said only where the readings agree."""

import math
import time
from collections.abc import Callable

import numpy as np

SETTLE = 2.0
"""Seconds of work before anything is said."""
AT_ONCE = 0.2
"""Seconds after the beginning within which nothing is done yet."""
REPORTS = 3
"""Reports before anything is said."""
LEAST = 0.02
"""Share of the work done before anything is said."""
SPREAD = 3.0
"""Longest over shortest reading that is still said: their geometric middle is then within a factor of 1.8 of each."""
STEADY = 1.25
"""Ratio of two paces, one after the other, that counts as one and the same."""
SHORT = 2.0
"""Seconds left below which readings need not agree: the words are the same."""
MOST = 400
"""Reports kept; more are thinned out."""


class TimeLeft:
    """Seconds left of work that tells now and then how much of it is done; None where nobody can say.

    Work that goes at one pace, that slows down, that began slowly and work that stood still for a while differ in what
    their past says of their future. So the past is read in several ways: at the pace since the beginning, at the paces of
    its parts, and as a power of the work done. Where these are far apart, as when no report has come for long, there is
    no estimate.

    Parameters
    ----------
    clock : callable, optional
        Seconds that never jump; `time.monotonic` without one.
    """

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or time.monotonic
        self.restart()

    def restart(self) -> None:
        """Begin anew: the work is another, or nothing of it is done any more."""
        self._began, self._base = self._clock(), 0.0
        self._times, self._done, self._left, self._reports = [0.0], [0.0], (1.0, 1.0), 0

    def tell(self, done: float, left: float | None = None, most: float | None = None) -> None:
        """Take in how much has been done and how much is left, in one unit.

        Parameters
        ----------
        done : float >= 0
            Less than before begins anew. What the first call reports was done in an earlier run.
        left : float >= 0, optional
            By default ``1 - done``: ``done`` is then a share.
        most : float >= left, optional
            Where nobody knows quite how much is left: the most; ``left`` is then the least.
        """
        left = 1.0 - done if left is None else left
        if done < self._base + self._done[-1]:
            self.restart()
        now = self._clock() - self._began
        if not self._reports and now < AT_ONCE:
            self._base = done
        least = max(0.0, left)
        self._left, done = (least, least if most is None else max(least, most)), done - self._base
        if done > self._done[-1]:
            self._reports += 1
            self._times.append(now)
            self._done.append(done)
            if len(self._done) > MOST:
                self._times[1:-1], self._done[1:-1] = self._times[2:-1:2], self._done[2:-1:2]

    @property
    def seconds(self) -> float | None:
        """Seconds left at this moment, or None."""
        latest, done = self._times[-1], self._done[-1]
        now = self._clock() - self._began
        least, most = self._left
        if most == 0.0:
            return 0.0
        if now < SETTLE or self._reports < REPORTS or done < LEAST * (done + most):
            return None
        since = now - latest
        ahead = {least, most}
        readings = [max(0.0, one - since) for more in ahead for one in self._readings(latest, more)]
        readings += [one for more in ahead for one in self._readings(now, more)]
        return middle(min(readings), max(readings))

    def _readings(self, now: float, more: float) -> list[float]:
        """Seconds left after the last report, were it made now, with so much left."""
        done = self._done[-1]
        quarter, half, late = np.interp((0.25 * done, 0.5 * done, 0.75 * done), self._done, self._times).tolist()
        before, after, last = (half - quarter) / 0.25, (now - half) / 0.5, (now - late) / 0.25
        ahead = more / done
        if max(before, after, last) <= STEADY * min(before, after, last):
            return [ahead * after, ahead * last]
        power = math.log(now / half) / math.log(2.0) if half > 0.0 else 1.0
        return [*(ahead * pace for pace in (now, before, after, last)), now * ((1.0 + ahead) ** min(power, 4.0) - 1.0)]


def middle(low: float, high: float) -> float | None:
    """Return the seconds to say of what takes between ``low`` and ``high``; None where these are too far apart."""
    if high <= SHORT:
        return high
    return math.sqrt(low * high) if high <= SPREAD * low else None


def time_words(seconds: float | None) -> str:
    """Return seconds as a page says them: "42 s", "about 3 min"; empty when unknown."""
    if seconds is None:
        return ""
    if seconds < 1.5:
        return "a second"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
