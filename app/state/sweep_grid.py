"""The default grid of a sweep on the Tune page: which step sizes and epoch lengths of a range are tried."""

from __future__ import annotations

import math

from sampler.tuning import around, spaced

ETA0_A_DECADE = 4.0
"""Values of eta0 for each factor of ten."""
I_MAX_A_DECADE = 3.6
"""Values of i_max for each factor of ten."""


def eta0_values(pair: tuple[float, float]) -> tuple[float, ...]:
    """Return the step sizes swept in a range."""
    low, high = pair
    inner = spaced(low, high, 1 + round(ETA0_A_DECADE * math.log10(high / low)))[1:-1]
    return tuple(sorted({float(f"{low:.3g}"), float(f"{high:.3g}")} | {float(f"{value:.2g}") for value in inner}))


def i_max_values(pair: tuple[int, int]) -> tuple[int, ...]:
    """Return the epoch lengths swept in a range."""
    low, high = pair
    count = 1 + round(I_MAX_A_DECADE * math.log10(high / low))
    inner = spaced(low, high, count, whole=True)[1:-1] if count > 2 else ()
    rounded = {max(low, min(high, v)) for value in inner for v in around(value, (1.0,), whole=True)}
    return tuple(sorted({low, high} | {int(v) for v in rounded}))
