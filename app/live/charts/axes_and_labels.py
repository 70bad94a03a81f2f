"""Axes and labels of the time panels: y axes and ticks, names at the ends of lines, texts of events.

Plain Python, also translated for the lab in one file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.number_words import power_of_ten

if TYPE_CHECKING:
    from app.live.timeline import Event


def power(exponent: int) -> str:
    """Return the tick label of 10^exponent: 0.1, 1, 10, 10², ..."""
    if -2 < exponent < 2:
        return f"{10.0 ** exponent:g}"
    return power_of_ten(exponent)


def decades(low: float, high: float, most: int = 5) -> list[int]:
    """Return the exponents of powers of ten inside [low, high], thinned to `most`."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    start = first + (-first) % stride
    return list(range(start, last + 1, stride))


def epochs(low: float, high: float, most: int = 5) -> list[int]:
    """Return round epochs inside [low, high] for a logarithmic axis, about `most` or fewer."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1,), (1, 3), (1, 2, 5)):
        ticks = [s * 10 ** k for k in range(first, last + 1) for s in steps if low <= s * 10 ** k <= high]
        if len(ticks) >= 3:
            stride = max(1, math.ceil(len(ticks) / most))
            return [tick for k, tick in enumerate(ticks) if k % stride == 0]
    for stride in (s * 10 ** k for k in range(last + 1) for s in (1, 2, 5)):
        ticks = list(range(math.ceil(low / stride) * stride, math.floor(high) + 1, stride))
        if len(ticks) <= most:
            return ticks
    return []


def fractions(low: float, high: float) -> list[float]:
    """Return ticks inside [low, high] at tenths, or at fifths if the range is wide."""
    stride = 1 if high - low <= 0.55 else 2
    return [k / 10 for k in range(0, 11, stride) if low - 1e-9 <= k / 10 <= high + 1e-9]


def spread(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions near `heights`, in the same order, at least `gap` apart inside [low, high].

    The sum of squared displacements is minimal: colliding labels form groups, each centred on its mean height. If the range
    is too small for all labels, they are evenly spaced.
    """
    count = len(heights)
    apart = min(gap, (high - low) / max(1, count - 1))
    order = sorted(range(count), key=lambda k: heights[k])
    groups: list[tuple[float, int]] = []  # (mean, size) of heights minus ranks: pool adjacent violators
    for rank, k in enumerate(order):
        mean, size = heights[k] - rank * apart, 1
        while groups and groups[-1][0] > mean:
            below, more = groups.pop()
            mean, size = (mean * size + below * more) / (size + more), size + more
        groups.append((mean, size))
    fitted = [min(max(mean, low), high - (count - 1) * apart) for mean, size in groups for _ in range(size)]
    placed = [0.0 for _ in order]
    for rank, k in enumerate(order):
        placed[k] = fitted[rank] + rank * apart
    return placed


Columns = Mapping[str, Sequence[float]]
TOPS = (1.6, *(factor * 10.0**k for k in range(7) for factor in (4, 8, 20)))
"""Upper ends of the axis of squared distances: the first with the 95 % quantile within 0.8 of it is used."""
LEVEL = 0.25
"""Maximum power of t for a line to be labelled level."""


@dataclass(frozen=True)
class Axis:
    """Range of a y axis, its ticks and their labels."""

    low: float
    high: float
    ticks: Sequence[float]
    labels: Sequence[str]


@dataclass(frozen=True)
class EndLabel:
    """A name at the right end of a line."""

    value: float  #: position on the y axis
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
    """Return an axis of at least two decades, with ticks at powers of ten."""
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
    """Return the axis of squared distances, without a tick at 1, which the panel draws."""
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
    """Return the last measured accuracy with three decimals; empty before the first measurement."""
    accuracy = data["accuracy"]
    return f"{accuracy[-1]:.3f}" if len(accuracy) and math.isfinite(accuracy[-1]) else ""


def accuracy_labels(data: Columns) -> list[EndLabel]:
    """Return labels of ceiling, measurement and prediction with their last values; empty before the first measurement."""
    measured = accuracy_measured(data)
    if not measured:
        return []
    ceiling = (data["ceiling_low"][-1] + data["ceiling_high"][-1]) / 2
    return [EndLabel(ceiling, f"ceiling {ceiling:.3f}", "ink2", shift=6),
            EndLabel(data["accuracy"][-1], f"measured {measured}", "chain", bold=True),
            EndLabel(data["predicted"][-1], f"η₀ predicts {data['predicted'][-1]:.3f}", "ink", shift=-6)]


def distance_labels(data: Columns, chains: int) -> list[EndLabel]:
    """Return labels of all lines and of the exits."""
    return [EndLabel(1.0, "escape line r²", "esctx", bold=True),
            EndLabel(1.0, "○ exits", "esctx", shift=18),
            EndLabel(data["farthest"][-1], f"farthest of {chains}", "chain"),
            EndLabel(data["q95"][-1], "95 % of chains", "chain"),
            EndLabel(data["median"][-1], "median", "chain", bold=True)]


def variance_labels(data: Columns, reduced: bool, plain: bool) -> list[EndLabel]:
    """Return labels of the lines with a value, bold for the estimator in use; in a metric, growth is lower by one power."""
    without, with_cache = ("grows as t²", "grows as t") if plain else ("grows as t", _trend(data["t"], data["saga"]))
    labels = [EndLabel(data["sgld"][-1], f"SGLD {without}", "sgldtx", bold=not reduced),
              EndLabel(data["bound"][-1], "bound, Lemma 6.2", "bound"),
              EndLabel(data["saga"][-1], f"SAGA {with_cache}" if reduced else "SAGA, if on", "chain", bold=reduced)]
    return [label for label in labels if math.isfinite(label.value)]


def cost_labels(data: Columns) -> list[EndLabel]:
    """Return labels of both lines with their last values."""
    return [EndLabel(data["full"][-1], f"full gradient {data['full'][-1]:,.0f}", "ink2"),
            EndLabel(data["cost"][-1], f"this sampler {data['cost'][-1]:,.0f}", "chain", bold=True)]


def _trend(t: Sequence[float], values: Sequence[float]) -> str:
    """Return "stays level" or "still rises" for the last factor of four in t; empty with fewer than three values."""
    fitted = [(math.log(at), math.log(value)) for at, value in zip(t, values, strict=True)
              if at >= t[-1] / 4 and math.isfinite(value) and value > 0]
    if len(fitted) < 3:
        return ""
    mean, level = sum(x for x, y in fitted) / len(fitted), sum(y for x, y in fitted) / len(fitted)
    rise = sum((x - mean) * (y - level) for x, y in fitted)
    return "stays level" if rise < LEVEL * sum((x - mean) ** 2 for x, y in fitted) else "still rises"


OFF = " off"
CHARACTER = 6.2
"""Mean width of a character of the event texts (pixels), for deciding which fit."""
BEYOND = 10
"""Maximum extent of a text to the right of the axis (pixels), next to the buttons for saving the charts."""
NEAR = 24
"""Maximum distance of switches turned off that are merged into one text (pixels)."""

Placed = tuple[float, str, str]
"""Centre of a text in pixels from the start of the axis, the text, its kind."""


def choose_texts(events: Sequence[Event], start: float, end: float, width: float) -> list[Placed]:
    """Return the texts of the events that fit without overlap, the newest first.

    A text is centred on its mark, or moved to stay inside [0, width + BEYOND], or moved left of a newer text if it still
    covers its mark.
    """
    scale = width / math.log(end / start)
    chosen: list[Placed] = []
    taken: list[tuple[float, float]] = []
    for event in reversed(_together(events, start, NEAR / scale, int((width + BEYOND) / CHARACTER))):
        last = min(event.t_end or event.t, end)
        if last < start or event.t > end:
            continue
        middle = (math.log(max(event.t, start) / start) + math.log(last / start)) / 2 * scale
        half = len(event.text) * CHARACTER / 2
        x = min(max(middle, half), width + BEYOND - half)
        edge = min([low for low, high in taken if x + half + 8 > low and x - half - 8 < high], default=math.inf)
        x = min(x, edge - 8 - half)
        if x >= half and middle - x <= half and all(x + half < low or x - half > high for low, high in taken):
            taken.append((x - half, x + half))
            chosen.append((x, event.text, event.kind))
    return chosen


def _together(events: Sequence[Event], start: float, near: float, longest: int) -> list[Event]:
    """Return the events in order, with switches turned off within `near` (in log epochs) merged.

    A merged text of more than `longest` characters is replaced by the number of switches.
    """
    joined: list[Event] = []
    names: list[str] = []
    for event in sorted(events, key=lambda event: event.t):
        name = event.text[: -len(OFF)] if _off(event) else event.text
        last = joined[-1] if joined and _off(joined[-1]) and _off(event) else None
        if last is not None and math.log(max(event.t, start) / max(last.t, start)) < near:
            names.append(name)
            text = ", ".join(names) + OFF
            text = text if len(text) <= longest else f"{len(names)} switches{OFF}"
            joined[-1] = replace(last, text=text, t_end=last.t_end and event.t_end)
        else:
            joined.append(event)
            names = [name]
    return joined


def _off(event: Event) -> bool:
    return event.kind == "switch" and event.text.endswith(OFF)
