"""Where ticks stand and what they say."""

from __future__ import annotations

import math

from app.number_words import SUPERSCRIPT


def power(exponent: int) -> str:
    """Return 10^exponent as a tick says it: 0.1, 1, 10, 10², ..."""
    if -2 < exponent < 2:
        return f"{10.0 ** exponent:g}"
    return "10" + str(exponent).translate(SUPERSCRIPT)


def decades(low: float, high: float, most: int = 5) -> dict[float, str]:
    """Return ticks at powers of ten inside [low, high], thinned to `most`, with their labels."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    start = first + (-first) % stride
    return {10.0 ** k: power(k) for k in range(start, last + 1, stride)}


def epochs(low: float, high: float, most: int = 5) -> list[int]:
    """Return round epochs inside [low, high] for a logarithmic axis, at most about `most`."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1,), (1, 3), (1, 2, 5)):
        found = [s * 10 ** k for k in range(first, last + 1) for s in steps if low <= s * 10 ** k <= high]
        if len(found) >= 3:
            return found[:: max(1, math.ceil(len(found) / most))]
    for stride in (s * 10 ** k for k in range(last + 1) for s in (1, 2, 5)):
        found = list(range(math.ceil(low / stride) * stride, math.floor(high) + 1, stride))
        if len(found) <= most:
            return found
    return []


def fractions(low: float, high: float) -> list[float]:
    """Return ticks at tenths (fifths when the range is wide) inside [low, high]."""
    stride = 1 if high - low <= 0.55 else 2
    return [k / 10 for k in range(0, 11, stride) if low - 1e-9 <= k / 10 <= high + 1e-9]
