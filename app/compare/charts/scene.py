"""`Scene`: what one chart of the page shows, in the coordinates of its frame; made without Bokeh, drawn by anyone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from app.live.charts.end_labels import EndLabel


@dataclass(frozen=True)
class Axis:
    """One axis: linear in its own coordinate, which may be a logarithm."""

    low: float
    high: float
    ticks: dict[float, str]
    label: str
    log: bool = False

    def at(self, values: np.ndarray | float) -> np.ndarray | float:
        """Return where values stand."""
        if not self.log:
            return np.asarray(values, float) if np.ndim(values) else float(values)
        found = np.log10(np.maximum(values, 1e-300))
        return found if np.ndim(values) else float(found)


@dataclass(frozen=True, eq=False)
class Trace:
    """One line with its points. x and y are axis coordinates, (m,)."""

    key: str
    name: str
    token: str
    text: str  #: token of its words
    x: np.ndarray
    y: np.ndarray
    told: tuple[tuple[str, str], ...] = ()  #: of each point: what x and y are, in words
    dash: tuple[int, ...] = ()
    width: float = 1.8
    marker: str = "circle"  #: "circle", "ring", "diamond"
    line: bool = True
    bold: bool = False
    alpha: float = 1.0
    points: bool = True
    where: str = ""  #: words of its label in the chart; empty for none


@dataclass(frozen=True, eq=False)
class Scene:
    """One chart."""

    x: Axis
    y: Axis
    traces: tuple[Trace, ...] = ()
    band: tuple[float, float] | None = None  #: y of a horizontal band
    uprights: tuple[tuple[float, str], ...] = ()  #: x and words of dotted verticals
    ends: tuple[EndLabel, ...] = ()  #: labels right of the frame
    guides: tuple[tuple[float, float, float, float], ...] = field(default=())  #: thin lines x0, y0, x1, y1
    heads: tuple[str, str] = ("point", "value")  #: hover: what `told` holds


def log_axis(low: float, high: float, label: str, words=None) -> Axis:
    """Return a logarithmic axis with ticks at powers of ten."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    words = words or (lambda v: f"{v:,.0f}" if v >= 1 else f"{v:g}")
    stride = max(1, math.ceil((last - first + 1) / 6))
    ticks = {float(k): words(10.0**k) for k in range(first, last + 1, stride)}
    return Axis(math.log10(low), math.log10(high), ticks, label, True)


def linear_axis(low: float, high: float, label: str, words=None, most: int = 6) -> Axis:
    """Return a linear axis with ticks at round numbers."""
    span = max(high - low, 1e-12)
    size = 10.0 ** math.floor(math.log10(span / most))
    stride = next(s * size for s in (1, 2, 2.5, 5, 10) if span / (s * size) <= most)
    words = words or (lambda v: f"{v:,.0f}" if stride >= 1 else f"{v:g}")
    first, last = math.ceil(low / stride - 1e-9), math.floor(high / stride + 1e-9)
    return Axis(low, high, {round(k * stride, 12): words(round(k * stride, 12)) for k in range(first, last + 1)}, label)
