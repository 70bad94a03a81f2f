"""`Pace`: how many epochs a second a recording plays, and where its frames stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from app.state.live import DEFAULT_SPEED, SPEEDS

FASTEST = 64.0
"""Epochs a second: faster, nobody sees a chain move."""
LONGEST = 120.0
"""Seconds that a recording without a pace of its own takes, at most."""
RATES = (60, 30, 20, 15, 12, 10, 6, 5)
"""Frames a second of film there may be."""


@dataclass(frozen=True)
class Pace:
    """Epochs a second, piece by piece."""

    starts: tuple[float, ...]  #: epochs at which the pieces begin, the first 0
    rates: tuple[float, ...]  #: epochs a second of each

    def at(self, position: float) -> float:
        """Epochs a second at a position in epochs."""
        return self.rates[max(0, bisect_right(self.starts, position) - 1)]

    def played(self, position: float, frames_a_second: int) -> float:
        """Epochs a second as played: every epoch ends with a frame, so an epoch is whole frames, or a frame whole epochs."""
        rate = self.at(position)
        if rate <= frames_a_second:
            return frames_a_second / round(frames_a_second / rate)
        return frames_a_second * round(rate / frames_a_second)

    def positions(self, epochs: int, frames_a_second: int) -> Iterator[float]:
        """Positions in epochs of the frames, from 0 to `epochs`; the end of an epoch is a whole number."""
        yield 0.0
        ended = 0
        while ended < epochs:
            share = self.played(ended, frames_a_second) / frames_a_second  # of an epoch, a frame
            if share < 1.0:
                frames = round(1.0 / share)
                yield from (ended + k / frames for k in range(1, frames))
            ended = min(ended + max(1, round(share)), epochs)
            yield float(ended)

    def frames(self, epochs: int, frames_a_second: int) -> int:
        """Count the frames."""
        return sum(1 for _ in self.positions(epochs, frames_a_second))


def rate_of(speed: int) -> float:
    """Epochs a second of an entry of SPEEDS; one that counts steps, or knows no end, takes the nearest that can be shown."""
    _, counts, rate = SPEEDS[speed]
    return SPEEDS[DEFAULT_SPEED][2] if counts == "steps" else min(rate, FASTEST)


def even_pace(speed: int, epochs: int) -> Pace:
    """Return the pace of a speed, hurried so that the whole takes `LONGEST` at most."""
    return Pace((0.0,), (max(rate_of(speed), epochs / LONGEST),))
