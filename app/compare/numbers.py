"""Numbers as the page says them."""

from __future__ import annotations

import math

from app.live.charts.ticks import scientific


def rounded(value: float | None, digits: int = 2) -> str:
    """Return 35,000 for 34,871: two figures, grouped; a dash for None."""
    if value is None or not math.isfinite(value):
        return "–"
    if value <= 0:
        return "0"
    place = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    near = round(value / place) * place
    return f"{near:,.0f}" if near >= 10 else f"{near:.{digits}g}"


def share(value: float | None) -> str:
    """Return an accuracy with three digits; a dash for None."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.3f}"


def lasted(seconds: float | None) -> str:
    """Return seconds as 2.3 ms, 14 µs, 1.2 s; a dash for None."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def tiny(value: float | None) -> str:
    """Return 2.4 × 10⁻⁴; a dash for None or nan."""
    return "–" if value is None or not math.isfinite(value) else scientific(value)


def nice(value: float) -> int:
    """Return the nearest of 1, 2, 3, 5 times a power of ten."""
    place = 10.0 ** math.floor(math.log10(max(value, 1.0)))
    return int(min((1, 2, 3, 5, 10), key=lambda s: abs(math.log(s * place / max(value, 1.0)))) * place)


def times(ratio: float) -> str:
    """Return a ratio as 3.2 times, 160 times."""
    return f"{ratio:.1f} times" if ratio < 10 else f"{rounded(ratio)} times"


def slope_words(slope: float | None) -> str:
    """Return how a cost grows, from its log-log slope."""
    if slope is None:
        return "–"
    shown = f"{slope:.2f}".replace("-", "−")
    if shown in ("−0.00", "0.00"):
        shown = "0"
    if abs(slope) < 0.1:
        return "flat"
    if abs(slope - 1) < 0.15:
        return "grows as t"
    return f"grows as t^{shown}"
