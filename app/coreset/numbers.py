"""Numbers as the page says them."""

from __future__ import annotations

import math

from app.live.charts.ticks import scientific


def short(value: float | None) -> str:
    """Return 0.0167, 12.3, 4,560 or 1.4 × 10⁷; "…" when there is none."""
    if value is None or not math.isfinite(value):
        return "…"
    if value == 0:
        return "0"
    if 1000 <= abs(value) < 100_000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if 1e-4 <= abs(value) < 1000 else scientific(value)


def times(value: float) -> str:
    """Return a factor: 1.2 ×, 31 ×."""
    return "…" if not math.isfinite(value) else f"{short(float(f'{value:.2g}'))} ×"
