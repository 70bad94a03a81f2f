"""A progress line on stderr: drawn over itself on a terminal, now and then in a log."""

import sys
import time

WIDTH = 24
SOME_TIME = 10.0  # seconds between lines of a log


class Progress:
    """Shows ``done`` of ``total`` with the time left; silent when ``quiet``."""

    def __init__(self, unit: str, total: int | None = None, start: int = 0, quiet: bool = False) -> None:
        self._unit, self._total, self._start, self._quiet = unit, total, start, quiet
        self._terminal = sys.stderr.isatty()
        self._began = self._shown = time.monotonic()

    def __call__(self, done: int, words: str = "", seconds_left: float | None = None) -> None:
        """Show ``done``; cheap enough to call often."""
        now = time.monotonic()
        if self._quiet or now - self._shown < (0.1 if self._terminal else SOME_TIME):
            return
        self._shown = now
        rate = (done - self._start) / max(now - self._began, 1e-9)
        line = f"{done:,} {self._unit}"
        if self._total and self._total >= done:
            full = int(WIDTH * done / self._total)
            left = seconds_left if seconds_left is not None else (self._total - done) / rate if rate else None
            line = f"[{'#' * full}{'.' * (WIDTH - full)}] {done:,} of about {self._total:,} {self._unit}"
            line += f", {_time(left)} left" if left is not None else ""
        line += f", {rate:,.0f} a second" if rate >= 1 else ""
        line += f"  {words}" if words else ""
        print(f"\r\x1b[K{line}" if self._terminal else line, end="" if self._terminal else "\n", file=sys.stderr,
              flush=True)

    def close(self) -> None:
        """Leave the line."""
        if self._terminal and not self._quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
