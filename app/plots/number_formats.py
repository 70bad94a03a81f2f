"""Numbers as labels, ticks and hover texts say them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def scientific(value: float) -> str:
    """Return a number as 4.0 × 10⁻⁴, or plainly when it is near one."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "…"
    if 0.01 <= abs(value) < 1000:
        return f"{value:.3g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def short(value: float | None) -> str:
    """Return 0.0167, 12.3, 4,560 or 1.4 × 10⁷; "…" when there is none."""
    if value is None or not math.isfinite(value):
        return "…"
    if value == 0:
        return "0"
    if 1000 <= abs(value) < 100_000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if 1e-4 <= abs(value) < 1000 else scientific(value)


def share(value: float) -> str:
    """Return a probability of staying: 0.637, and 1 − 2.3 × 10⁻⁵ where three digits would say 1."""
    if not math.isfinite(value):
        return "…"
    gone = 1.0 - value
    if gone <= 0.0:
        return "1"
    if gone < 0.0005:
        return f"1 − {scientific(gone)}"
    return "0" if value <= 0.0 else scientific(value) if value < 0.0005 else f"{value:.3f}"


def lasted(seconds: float) -> str:
    """Return a time as 2.3 ms, 14 µs, 1.2 s."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def steady(values: Iterable[np.ndarray], least: float = 0.0) -> tuple[float, float]:
    """Return limits of a logarithmic axis in quarters of a decade, so that it does not tremble while values come in.

    Parameters
    ----------
    values : iterable of arrays
        Those not finite or not above 0 are passed over; without any the limits are 0.1 and 10.
    least : float
        Decades that the axis spans at least.
    """
    found = np.concatenate([np.empty(0), *(np.asarray(one, float).ravel() for one in values)])
    found = np.log10(found[np.isfinite(found) & (found > 0)])
    low, high = (found.min(), found.max()) if found.size else (-1.0, 1.0)
    middle, half = (low + high) / 2, max(high - low, least) / 2
    return float(10 ** (np.floor(4 * (middle - half) - 0.3) / 4)), float(10 ** (np.ceil(4 * (middle + half) + 0.3) / 4))


def roomy(values: Iterable[np.ndarray], below: float = 0.05, above: float = 0.06) -> tuple[float, float]:
    """Return limits of a linear axis with some room under and over finite values; 0 to 1 without any."""
    found = np.concatenate([np.empty(0), *(np.asarray(one, float).ravel() for one in values)])
    found = found[np.isfinite(found)]
    low, high = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
    span = high - low if high > low else max(abs(high), 1.0)
    return low - below * span, high + above * span


def plain_ticks(low: float, high: float, most: int = 6,
                words: Callable[[float], str] | None = None) -> list[tuple[float, str]]:
    """Return powers of ten inside [low, high], said as 10,000 up to a million and as 10⁷ beyond, or by `words`."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    at = range(first + (-first) % stride, last + 1, stride)
    if len(at) < 2:
        steps = [s * 10.0**k for k in range(first - 1, last + 1) for s in (1, 2, 5)]
        return [(v, words(v) if words else f"{v:,g}" if v < 1e6 else scientific(v)) for v in steps if low <= v <= high]
    return [(10.0**k, words(10.0**k * (1 + 1e-12)) if words else f"{10.0 ** k:,.0f}" if 0 <= k <= 6
             else f"{10.0 ** k:g}" if -3 < k < 0 else "10" + str(k).translate(_SUPERSCRIPT)) for k in at]
