"""Round ticks."""

from __future__ import annotations

import math


def steps(end: float, most: int = 5) -> dict[float, str]:
    """Return ticks for a step axis from 0 to `end`, the last one at the end."""
    if end <= 0:
        return {0.0: "0"}
    for stride in (s * 10**k for k in range(9) for s in (1, 2, 2.5, 5) if s * 10**k == int(s * 10**k)):
        if end / stride <= most - 1:
            break
    ticks = [k * stride for k in range(int(end // stride) + 1)]
    return {float(tick): f"{tick:,.0f}" for tick in ticks}


def round_ticks(low: float, high: float, most: int = 6) -> dict[float, str]:
    """Return ticks at round numbers inside [low, high]."""
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return {low: f"{low:g}"}
    size = 10.0 ** math.floor(math.log10(span / most))
    stride = next(s * size for s in (1, 2, 2.5, 5, 10) if span / (s * size) <= most)
    first, last = math.ceil(low / stride - 1e-9), math.floor(high / stride + 1e-9)
    return {round(k * stride, 12): f"{round(k * stride, 12):g}".replace("-", "−") for k in range(first, last + 1)}
