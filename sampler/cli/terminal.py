"""Terminal of a command: progress line, confirmation, and stop signals."""

import signal
import sys
import time
from types import FrameType

from sampler.time_left import TimeLeft, time_words

WIDTH = 24
"""Width of the bar in characters."""
LOG_EVERY = 10.0
"""Seconds between progress lines in a log."""


class Progress:
    """Progress line with ``done`` of ``total`` and the time left; silent if ``quiet``.

    With ``external`` the caller supplies the seconds left, None if they are unknown.
    """

    def __init__(self, unit: str, total: int | None = None, start: int = 0, quiet: bool = False,
                 external: bool = False) -> None:
        self._unit, self._total, self._start, self._quiet = unit, total, start, quiet
        self._terminal = sys.stderr.isatty()
        self._began = self._shown = time.monotonic()
        self._left = None if external else TimeLeft()

    def __call__(self, done: int, words: str = "", seconds_left: float | None = None) -> None:
        """Update ``done``; the display is refreshed at limited intervals."""
        now = time.monotonic()
        if self._left is not None and self._total and self._total >= done:
            self._left.update(done - self._start, self._total - done)
            seconds_left = self._left.seconds
        if self._quiet or now - self._shown < (0.1 if self._terminal else LOG_EVERY):
            return
        self._shown = now
        rate = (done - self._start) / max(now - self._began, 1e-9)
        line = f"{done:,} {self._unit}"
        if self._total and self._total >= done:
            full = int(WIDTH * done / self._total)
            line = f"[{'#' * full}{'.' * (WIDTH - full)}] {done:,} of about {self._total:,} {self._unit}"
            line += f", {time_words(seconds_left)} left" if seconds_left is not None else ""
        line += f", {rate:,.0f} a second" if rate >= 1 else ""
        line += f"  {words}" if words else ""
        print(f"\r\x1b[K{line}" if self._terminal else line, end="" if self._terminal else "\n", file=sys.stderr,
              flush=True)

    def close(self) -> None:
        """Clear the line."""
        if self._terminal and not self._quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def confirmed(question: str) -> bool:
    """Ask a yes/no question on standard error; return False unless standard input and error are terminals."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


class Stopping:
    """Context manager that records SIGTERM and SIGINT; calling it returns True after one, to stop between work items.

    A second signal ends the process immediately.
    """

    def __init__(self) -> None:
        self._requested, self.number = False, 0  # number of the signal received

    def __enter__(self) -> "Stopping":
        self._before = {number: signal.signal(number, self._handle) for number in (signal.SIGTERM, signal.SIGINT)}
        return self

    def __exit__(self, *error: object) -> None:
        """Restore the previous signal handlers."""
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not set by Python

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._requested:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._requested, self.number = True, number

    def __call__(self) -> bool:
        """Return whether a signal was received."""
        return self._requested
