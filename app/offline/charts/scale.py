"""Linear and logarithmic axes on one figure: values are mapped before they are drawn, ticks carry their own words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from app.exit_time.numbers import round_ticks

_STEPS = (1, 2, 5)


def mapped(values: Sequence[float] | np.ndarray, log: bool) -> np.ndarray:
    """Return where values stand on the axis; nan where they stand nowhere."""
    values = np.asarray(values, float)
    if not log:
        return np.where(np.isfinite(values), values, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log10(values)
    return np.where(np.isfinite(found), found, np.nan)


def place(value: float, log: bool) -> float:
    """Return where one value stands."""
    return math.log10(value) if log else float(value)


def log_ticks(low: float, high: float, most: int = 7) -> dict[float, str]:
    """Return ticks inside [low, high], as positions on a logarithmic axis with their words."""
    first, last = math.floor(math.log10(low) - 1e-9), math.ceil(math.log10(high) + 1e-9)
    for steps in (_STEPS, (1, 3), (1,)):
        found = [s * 10.0**k for k in range(first, last + 1) for s in steps if low * 0.999 <= s * 10.0**k <= high * 1.001]
        if len(found) <= most:
            break
    stride = math.ceil(len(found) / most)
    return {math.log10(v): _words(v) for v in found[::stride]}


def ticks(low: float, high: float, log: bool, most: int = 7) -> dict[float, str]:
    """Return ticks inside [low, high] for either kind of axis."""
    return log_ticks(low, high, most) if log else round_ticks(low, high, most)


def _words(value: float) -> str:
    if value >= 0.0009:
        return f"{value:,.10g}"
    return "10" + str(round(math.log10(value))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")) if abs(
        math.log10(value) - round(math.log10(value))) < 1e-9 else f"{value:.0e}"
