"""Limits and ticks of axes, computed from the drawn values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from app.number_words import power_of_ten, scientific


def log_limits(values: Iterable[np.ndarray], least: float = 0.0) -> tuple[float, float]:
    """Return limits of a logarithmic axis, rounded to quarters of a decade so that new values rarely move the axis.

    Parameters
    ----------
    values : iterable of arrays
        Non-finite and non-positive values are ignored; if none remain, the values 0.1 and 10 are used.
    least : float
        Minimum span of the axis in decades.
    """
    drawn = np.concatenate([np.empty(0), *(np.asarray(one, float).ravel() for one in values)])
    drawn = np.log10(drawn[np.isfinite(drawn) & (drawn > 0)])
    low, high = (drawn.min(), drawn.max()) if drawn.size else (-1.0, 1.0)
    middle, half = (low + high) / 2, max(high - low, least) / 2
    return float(10 ** (np.floor(4 * (middle - half) - 0.3) / 4)), float(10 ** (np.ceil(4 * (middle + half) + 0.3) / 4))


def linear_limits(values: Iterable[np.ndarray], below: float = 0.05, above: float = 0.06) -> tuple[float, float]:
    """Return limits of a linear axis: the range of the finite values, 0 to 1 if there are none, with relative margins."""
    drawn = np.concatenate([np.empty(0), *(np.asarray(one, float).ravel() for one in values)])
    drawn = drawn[np.isfinite(drawn)]
    low, high = (float(drawn.min()), float(drawn.max())) if drawn.size else (0.0, 1.0)
    span = high - low if high > low else max(abs(high), 1.0)
    return low - below * span, high + above * span


def plain_ticks(low: float, high: float, most: int = 6,
                words: Callable[[float], str] | None = None) -> list[tuple[float, str]]:
    """Return ticks of a logarithmic axis from `low` to `high`, at least two if low < high.

    Ticks are powers of ten, formatted as 10,000 up to a million and as 10⁷ beyond, or by `words`; if fewer than two are in
    the range, they are round numbers.
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    at = range(first + (-first) % stride, last + 1, stride)
    if len(at) < 2:
        return [(v, words(v) if words else f"{v:,g}" if v < 1e6 else scientific(v)) for v in _round_numbers(low, high)]
    return [(10.0**k, words(10.0**k * (1 + 1e-12)) if words else f"{10.0 ** k:,.0f}" if 0 <= k <= 6
             else f"{10.0 ** k:g}" if -3 < k < 0 else power_of_ten(k)) for k in at]


def _round_numbers(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten from `low` to `high`, or the multiples of a round step if those are too few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inside = [value for k in powers for value in (10.0**k, 2 * 10.0**k, 5 * 10.0**k) if low <= value <= high]
    if len(inside) > 1 or not low < high:
        return inside or [low]
    place = 10.0 ** math.floor(math.log10(high - low))
    several = ([n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
               for step in (5 * place, 2 * place, place, place / 2))  # any such range has two multiples of the last
    return next(multiples for multiples in several if len(multiples) > 1)
