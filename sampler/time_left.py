"""Estimates of the remaining time of a task from its pace, returned only if several extrapolations agree."""

import math
import time
from collections.abc import Callable

import numpy as np

SETTLE = 2.0
"""Seconds of work before the first estimate."""
AT_ONCE = 0.2
"""Seconds after the start within which a report counts as work of an earlier run."""
REPORTS = 3
"""Reports before the first estimate."""
LEAST = 0.02
"""Completed fraction of the work before the first estimate."""
SPREAD = 3.0
"""Largest ratio of the longest to the shortest estimate: their geometric mean is then within a factor of 1.8 of each."""
STEADY = 1.25
"""Largest ratio of successive paces that counts as a constant pace."""
SHORT = 2.0
"""Remaining seconds below which the estimates need not agree, since the displayed text is the same."""
MOST = 400
"""Largest number of stored reports; more are thinned out."""


class TimeLeft:
    """Estimate of the remaining seconds of a task from occasional progress reports; None if it cannot be estimated.

    The past of a task predicts its future differently if its pace is constant, decreases, was slow at first, or was 0 for a
    while. So the past is extrapolated in several ways: at the mean pace, at the paces of parts of the work, and as a power
    of the completed work. If these differ too much, for example after a long time without reports, there is no estimate.

    Parameters
    ----------
    clock : callable, optional
        Returns a monotonic time in seconds; the default is `time.monotonic`.
    """

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or time.monotonic
        self.restart()

    def restart(self) -> None:
        """Discard all reports: the task is another, or starts again."""
        self._began, self._base = self._clock(), 0.0
        self._times, self._done, self._left, self._reports = [0.0], [0.0], (1.0, 1.0), 0

    def update(self, done: float, left: float | None = None, most: float | None = None) -> None:
        """Record the completed and the remaining work, in the same unit.

        Parameters
        ----------
        done : float >= 0
            Completed work; a decrease restarts the estimate. A report at the start is work of an earlier run.
        left : float >= 0, optional
            Remaining work; the default is ``1 - done``, for ``done`` as a fraction.
        most : float >= left, optional
            Upper bound of the remaining work if it is uncertain; ``left`` is then its lower bound.
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
        """Estimated remaining seconds at this time, or None."""
        latest, done = self._times[-1], self._done[-1]
        now = self._clock() - self._began
        least, most = self._left
        if most == 0.0:
            return 0.0
        if now < SETTLE or self._reports < REPORTS or done < LEAST * (done + most):
            return None
        since = now - latest
        ahead = {least, most}
        estimates = [max(0.0, one - since) for more in ahead for one in self._estimates(latest, more)]
        estimates += [one for more in ahead for one in self._estimates(now, more)]
        return middle(min(estimates), max(estimates))

    def _estimates(self, now: float, more: float) -> list[float]:
        """Return estimates of the remaining seconds if the last report were made at ``now``, with ``more`` work left."""
        done = self._done[-1]
        quarter, half, late = np.interp((0.25 * done, 0.5 * done, 0.75 * done), self._done, self._times).tolist()
        before, after, last = (half - quarter) / 0.25, (now - half) / 0.5, (now - late) / 0.25
        ahead = more / done
        if max(before, after, last) <= STEADY * min(before, after, last):
            return [ahead * after, ahead * last]
        power = math.log(now / half) / math.log(2.0) if half > 0.0 else 1.0
        return [*(ahead * pace for pace in (now, before, after, last)), now * ((1.0 + ahead) ** min(power, 4.0) - 1.0)]


def middle(low: float, high: float) -> float | None:
    """Return an estimate between ``low`` and ``high`` seconds; None if these are too far apart."""
    if high <= SHORT:
        return high
    return math.sqrt(low * high) if high <= SPREAD * low else None


def time_words(seconds: float | None) -> str:
    """Return a text for ``seconds``, such as "42 s" or "about 3 min"; empty for None."""
    if seconds is None:
        return ""
    if seconds < 1.5:
        return "a second"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
