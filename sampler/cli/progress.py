"""A progress line on stderr: drawn over itself on a terminal, now and then in a log."""

import sys
import time

from sampler.time_left import TimeLeft, time_words

WIDTH = 24
SOME_TIME = 10.0  # seconds between lines of a log


class Progress:
    """Shows ``done`` of ``total`` with the time left; silent when ``quiet``.

    Where the caller is to say the seconds left (``foreseen``), None says that nobody can tell.
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
            self._left.tell(done - self._start, self._total - done)
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
