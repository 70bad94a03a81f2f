"""`Pace`: how many epochs a second a recording plays, and where its frames stand."""

from __future__ import annotations

import math
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

    def seconds(self, epochs: float) -> float:
        """How long the first `epochs` play."""
        ends = (*self.starts[1:], math.inf)
        return sum(max(0.0, min(end, epochs) - start) / rate
                   for start, end, rate in zip(self.starts, ends, self.rates, strict=True))

    def positions(self, epochs: int, frames_a_second: float) -> Iterator[float]:
        """Positions in epochs of the frames, from 0 to `epochs`."""
        position = 0.0
        while position < epochs - 1e-6:
            yield position
            position += self.at(position) / frames_a_second
        yield float(epochs)


def rate_of(speed: int) -> float:
    """Epochs a second of an entry of SPEEDS; one that counts steps, or knows no end, takes the nearest that can be shown."""
    _, counts, rate = SPEEDS[speed]
    return SPEEDS[DEFAULT_SPEED][2] if counts == "steps" else min(rate, FASTEST)


def even_pace(speed: int, epochs: int) -> Pace:
    """Return the pace of a speed, hurried so that the whole takes `LONGEST` at most."""
    return Pace((0.0,), (max(rate_of(speed), epochs / LONGEST),))
