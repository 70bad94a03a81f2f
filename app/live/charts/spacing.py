"""Where ticks stand and what they say; how labels in a column are kept from overlapping."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.number_words import power_of_ten


def power(exponent: int) -> str:
    """Return 10^exponent as a tick says it: 0.1, 1, 10, 10², ..."""
    if -2 < exponent < 2:
        return f"{10.0 ** exponent:g}"
    return power_of_ten(exponent)


def decades(low: float, high: float, most: int = 5) -> list[int]:
    """Return the exponents of powers of ten inside [low, high], thinned to `most`."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    start = first + (-first) % stride
    return list(range(start, last + 1, stride))


def epochs(low: float, high: float, most: int = 5) -> list[int]:
    """Return round epochs inside [low, high] for a logarithmic axis, at most about `most`."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1,), (1, 3), (1, 2, 5)):
        ticks = [s * 10 ** k for k in range(first, last + 1) for s in steps if low <= s * 10 ** k <= high]
        if len(ticks) >= 3:
            stride = max(1, math.ceil(len(ticks) / most))
            return [tick for k, tick in enumerate(ticks) if k % stride == 0]
    for stride in (s * 10 ** k for k in range(last + 1) for s in (1, 2, 5)):
        ticks = list(range(math.ceil(low / stride) * stride, math.floor(high) + 1, stride))
        if len(ticks) <= most:
            return ticks
    return []


def fractions(low: float, high: float) -> list[float]:
    """Return ticks at tenths (fifths when the range is wide) inside [low, high]."""
    stride = 1 if high - low <= 0.55 else 2
    return [k / 10 for k in range(0, 11, stride) if low - 1e-9 <= k / 10 <= high + 1e-9]


def spread(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions near `heights`, in the same order of height, at least `gap` apart inside [low, high].

    Labels that collide move together, each group centred on what it wanted: the sum of squared moves is the least there
    is. When the room is too small for all, they share it evenly.
    """
    count = len(heights)
    apart = min(gap, (high - low) / max(1, count - 1))
    order = sorted(range(count), key=lambda k: heights[k])
    groups: list[tuple[float, int]] = []  # mean and size of each, of heights less their ranks: isotonic regression by pools
    for rank, k in enumerate(order):
        mean, size = heights[k] - rank * apart, 1
        while groups and groups[-1][0] > mean:
            below, more = groups.pop()
            mean, size = (mean * size + below * more) / (size + more), size + more
        groups.append((mean, size))
    fitted = [min(max(mean, low), high - (count - 1) * apart) for mean, size in groups for _ in range(size)]
    placed = [0.0 for _ in order]
    for rank, k in enumerate(order):
        placed[k] = fitted[rank] + rank * apart
    return placed
