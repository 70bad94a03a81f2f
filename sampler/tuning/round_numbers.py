"""Round numbers to suggest."""

from __future__ import annotations

import math

_ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
MOST_STEPS = 2000
"""Longest epoch a suggestion asks for."""


def below(value: float) -> float:
    """Largest round number (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten) not above a positive value."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    digit = max(digit for digit in _ROUND if digit * power <= value * (1 + 1e-9))
    return float(f"{digit * power:.6g}")


def above(value: float) -> float:
    """Smallest round number not below a positive value."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    digit = min(digit for digit in _ROUND if digit * power >= value * (1 - 1e-9))
    return float(f"{digit * power:.6g}")


def nearest(value: float) -> float:
    """Round number nearest to a positive value on a logarithmic scale."""
    low, high = below(value), above(value)
    return low if value * value < low * high else high


def whole_steps(value: float) -> int:
    """Round number of steps an epoch, at most MOST_STEPS."""
    return int(min(MOST_STEPS, math.ceil(above(max(value, 1.0)))))
