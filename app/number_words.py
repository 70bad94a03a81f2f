"""Numbers as pages say them in tables and sentences."""

from __future__ import annotations

import math

from app.plots.number_formats import lasted as _lasted
from app.plots.number_formats import scientific, short

__all__ = ["accuracy", "factor", "growth_of", "lasted", "near_round", "rounded", "scientific", "short", "times", "tiny"]


def rounded(value: float | None, digits: int = 2) -> str:
    """Return 35,000 for 34,871: two figures, grouped; a dash for None."""
    if value is None or not math.isfinite(value):
        return "–"
    if value <= 0:
        return "0"
    place = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    near = round(value / place) * place
    return f"{near:,.0f}" if near >= 10 else f"{near:.{digits}g}"


def accuracy(value: float | None) -> str:
    """Return an accuracy with three digits; a dash for None."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.3f}"


def lasted(seconds: float | None) -> str:
    """Return seconds as 2.3 ms, 14 µs, 1.2 s; a dash for None."""
    return "–" if seconds is None or not math.isfinite(seconds) else _lasted(seconds)


def tiny(value: float | None) -> str:
    """Return 2.4 × 10⁻⁴; a dash for None or nan."""
    return "–" if value is None or not math.isfinite(value) else scientific(value)


def near_round(value: float) -> int:
    """Return the nearest of 1, 2, 3, 5 times a power of ten."""
    place = 10.0 ** math.floor(math.log10(max(value, 1.0)))
    return int(min((1, 2, 3, 5, 10), key=lambda s: abs(math.log(s * place / max(value, 1.0)))) * place)


def times(ratio: float) -> str:
    """Return a ratio as 3.2 times, 160 times."""
    return f"{ratio:.1f} times" if ratio < 10 else f"{rounded(ratio)} times"


def factor(value: float) -> str:
    """Return a factor as 1.2 ×, 31 ×."""
    return "…" if not math.isfinite(value) else f"{short(float(f'{value:.2g}'))} ×"


def growth_of(slope: float | None) -> str:
    """Return how a cost grows, from its log-log slope."""
    if slope is None:
        return "–"
    if abs(slope) < 0.1:
        return "flat"
    return "grows as t" if abs(slope - 1) < 0.15 else f"grows as t^{slope:.2f}".replace("-", "−")
