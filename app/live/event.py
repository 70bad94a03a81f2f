"""`Event`: a change made mid-run, as the time axes mark it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """A change made mid-run, marked on every time axis."""

    t: float  #: epoch, with the part of the epoch done when the knob moved
    t_end: float | None  #: where a switch went back on: draw a band from t to t_end; None: one line
    text: str  #: such as "η₀ 1 → 5" or "variance reduction off"
    kind: str  #: "knob", "switch" or "chains" (revived)
