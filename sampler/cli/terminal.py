"""The terminal of a command: a progress line, a question before something is lost, and signals that ask to stop."""

import signal
import sys
import time
from types import FrameType

from sampler.time_left import TimeLeft, time_words

WIDTH = 24
"""Characters of the bar."""
SOME_TIME = 10.0
"""Seconds between lines of a log."""


class Progress:
    """Shows ``done`` of ``total`` with the time left; silent when ``quiet``.

    Where the caller passes the seconds left (``foreseen``), None means that they are unknown.
    """

    def __init__(self, unit: str, total: int | None = None, start: int = 0, quiet: bool = False,
                 foreseen: bool = False) -> None:
        self._unit, self._total, self._start, self._quiet = unit, total, start, quiet
        self._terminal = sys.stderr.isatty()
        self._began = self._shown = time.monotonic()
        self._left = None if foreseen else TimeLeft()

    def __call__(self, done: int, words: str = "", seconds_left: float | None = None) -> None:
        """Show ``done``; cheap enough to call often."""
        now = time.monotonic()
        if self._left is not None and self._total and self._total >= done:
            self._left.update(done - self._start, self._total - done)
            seconds_left = self._left.seconds
        if self._quiet or now - self._shown < (0.1 if self._terminal else SOME_TIME):
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
        """Leave the line."""
        if self._terminal and not self._quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def confirmed(question: str) -> bool:
    """Ask for yes or no on standard error; no where nobody can answer: input or errors are no terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


class Stopping:
    """True after SIGTERM or SIGINT inside a ``with``: work asks between two pieces, so that finished ones are kept.

    A second signal ends the process at once.
    """

    def __init__(self) -> None:
        self._asked_to_stop, self.number = False, 0  # of the signal that came

    def __enter__(self) -> "Stopping":
        self._before = {number: signal.signal(number, self._ask) for number in (signal.SIGTERM, signal.SIGINT)}
        return self

    def __exit__(self, *error: object) -> None:
        """Signals mean again what they meant before."""
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: one that Python did not set

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self._asked_to_stop:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._asked_to_stop, self.number = True, number

    def __call__(self) -> bool:
        """Has a signal come?"""
        return self._asked_to_stop
