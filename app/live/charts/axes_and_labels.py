"""What each time panel says of the columns on show: y axis, names at the ends of its lines. Plain Python, translated too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.live.charts.spacing import decades, fractions, power

Columns = Mapping[str, Sequence[float]]
TOPS = (1.6, *(factor * 10.0**k for k in range(7) for factor in (4, 8, 20)))
"""Upper ends of the axis of squared distances: the first that leaves a fifth of it free above 95 % of the chains."""
LEVEL = 0.25
"""Power of t up to which a line counts as level."""


@dataclass(frozen=True)
class Axis:
    """Range of a y axis, its ticks and what they say."""

    low: float
    high: float
    ticks: Sequence[float]
    labels: Sequence[str]


@dataclass(frozen=True)
class EndLabel:
    """A name at the right end of a line."""

    value: float  #: where on the y axis
    text: str
    color: str  #: token
    bold: bool = False
    shift: float = 0.0  #: pixels upwards from the value


@dataclass(frozen=True)
class Words:
    """A text in a panel, not clipped to its frame."""

    x: float
    y: float
    text: str
    color: str  #: token
    style: str = "bold"  #: of the font
    size: str = "11.5px"
    align: str = "left"
    dx: int = 7  #: pixels to the right of x
    dy: int = 0  #: pixels below y


def _finite(data: Columns, names: Sequence[str]) -> list[float]:
    return [value for name in names for value in data[name] if math.isfinite(value)]


def _log_axis(low: float, high: float) -> Axis:
    """Return an axis of two decades or more, with ticks at powers of ten."""
    high = max(high, 100 * low)
    exponents = decades(low, high)
    return Axis(low, high, [10.0**k for k in exponents], [power(k) for k in exponents])


def accuracy_axis(data: Columns) -> Axis:
    """Return the axis of accuracies, up to 1."""
    lowest = min([1.0, *_finite(data, ("accuracy", "ceiling_low", "predicted"))])
    low = max(0.0, min(0.75, math.floor((lowest - 0.03) * 20) / 20))
    ticks = fractions(low, 1.0)
    return Axis(low, 1.0, ticks, [f"{tick:.1f}" for tick in ticks])


def distance_axis(data: Columns) -> Axis:
    """Return the axis of squared distances; the tick at 1 is the panel's own."""
    worst = max([0.0, *_finite(data, ("q95",))])
    top = next((top for top in TOPS if worst <= 0.8 * top), TOPS[-1])
    stride = top / 4 if top > TOPS[0] else 0.5
    ticks = [k * stride for k in range(int(top / stride) + 1) if k * stride != 1]
    return Axis(0.0, top, ticks, [f"{tick:,.3g}" for tick in ticks])


def variance_axis(data: Columns) -> Axis:
    """Return the axis of gradient variances."""
    drawn = [value for value in _finite(data, ("saga", "sgld", "bound")) if value > 0]
    return _log_axis(min(drawn) / 2, max(drawn) * 2) if drawn else _log_axis(0.1, 1e5)


def cost_axis(data: Columns) -> Axis:
    """Return the axis of gradient evaluations."""
    both = [max(value, 1.0) for value in _finite(data, ("cost", "full"))]
    return _log_axis(min(both) / 2, max(both) * 1.6) if both else _log_axis(50.0, 1e5)


def accuracy_measured(data: Columns) -> str:
    """Return the last measured accuracy with three decimals; empty before the target is sampled."""
    accuracy = data["accuracy"]
    return f"{accuracy[-1]:.3f}" if len(accuracy) and math.isfinite(accuracy[-1]) else ""


def accuracy_labels(data: Columns) -> list[EndLabel]:
    """Name ceiling, measurement and prediction with their last values; nothing before the target is sampled."""
    measured = accuracy_measured(data)
    if not measured:
        return []
    ceiling = (data["ceiling_low"][-1] + data["ceiling_high"][-1]) / 2
    return [EndLabel(ceiling, f"ceiling {ceiling:.3f}", "ink2", shift=6),
            EndLabel(data["accuracy"][-1], f"measured {measured}", "chain", bold=True),
            EndLabel(data["predicted"][-1], f"η₀ predicts {data['predicted'][-1]:.3f}", "ink", shift=-6)]


def distance_labels(data: Columns, chains: int) -> list[EndLabel]:
    """Name every line at its right end."""
    return [EndLabel(1.0, "escape line r²", "esctx", bold=True),
            EndLabel(1.0, "○ exits", "esctx", shift=18),
            EndLabel(data["farthest"][-1], f"farthest of {chains}", "chain"),
            EndLabel(data["q95"][-1], "95 % of chains", "chain"),
            EndLabel(data["median"][-1], "median", "chain", bold=True)]


def variance_labels(data: Columns, reduced: bool, plain: bool) -> list[EndLabel]:
    """Name the lines that have a value; the estimator in use is bold. A metric grows as t, so it takes one t off."""
    without, with_cache = ("grows as t²", "grows as t") if plain else ("grows as t", _trend(data["t"], data["saga"]))
    labels = [EndLabel(data["sgld"][-1], f"SGLD {without}", "sgldtx", bold=not reduced),
              EndLabel(data["bound"][-1], "bound, Lemma 6.2", "bound"),
              EndLabel(data["saga"][-1], f"SAGA {with_cache}" if reduced else "SAGA, if on", "chain", bold=reduced)]
    return [label for label in labels if math.isfinite(label.value)]


def cost_labels(data: Columns) -> list[EndLabel]:
    """Name both lines with their numbers."""
    return [EndLabel(data["full"][-1], f"full gradient {data['full'][-1]:,.0f}", "ink2"),
            EndLabel(data["cost"][-1], f"this sampler {data['cost'][-1]:,.0f}", "chain", bold=True)]


def _trend(t: Sequence[float], values: Sequence[float]) -> str:
    """Say whether a line rises, over the last factor of four in t."""
    fitted = [(math.log(at), math.log(value)) for at, value in zip(t, values, strict=True)
              if at >= t[-1] / 4 and math.isfinite(value) and value > 0]
    if len(fitted) < 3:
        return ""
    mean, level = sum(x for x, y in fitted) / len(fitted), sum(y for x, y in fitted) / len(fitted)
    rise = sum((x - mean) * (y - level) for x, y in fitted)
    return "stays level" if rise < LEVEL * sum((x - mean) ** 2 for x, y in fitted) else "still rises"
