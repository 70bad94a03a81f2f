"""What each time panel says of the columns on show: y axis, names at the ends of its lines, and of the events over them.

Ticks, the room of labels and of texts: plain Python, translated too.
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
    """Return 10^exponent as a tick says it: 0.1, 1, 10, 10², ..."""
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
    """Return round epochs inside [low, high] for a logarithmic axis, at most about `most`."""
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
    """Return ticks at tenths (fifths when the range is wide) inside [low, high]."""
    stride = 1 if high - low <= 0.55 else 2
    return [k / 10 for k in range(0, 11, stride) if low - 1e-9 <= k / 10 <= high + 1e-9]


def spread(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions near `heights`, in the same order of height, at least `gap` apart inside [low, high].

    Labels that collide move together, each group centred on what it wanted: the sum of squared moves is the least there
    is. When the room is too small for all, they share it evenly.
    """
    count = len(heights)
    apart = min(gap, (high - low) / max(1, count - 1))
    order = sorted(range(count), key=lambda k: heights[k])
    groups: list[tuple[float, int]] = []  # mean and size of each, of heights less their ranks: isotonic regression by pools
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


OFF = " off"
CHARACTER = 6.2
"""Mean width of a character of the event texts (pixels), for deciding which fit."""
BEYOND = 10
"""Pixels right of the axis that a text may reach: there stand the buttons that save the charts."""
NEAR = 24
"""Switches turned off within this many pixels of each other are named in one text."""

Placed = tuple[float, str, str]
"""Centre of a text in pixels from the start of the axis, the text, its kind."""


def choose_texts(events: Sequence[Event], start: float, end: float, width: float) -> list[Placed]:
    """Return the texts of the events that can be named: the newest first, none over another.

    A text is centred on its mark, or moved so that it stays inside [0, width + BEYOND], or moved left of a newer
    text as long as it still touches its mark.
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
    """Return the events in order, switches that went off close together (`near` in log epochs) as one.

    A text of more than `longest` characters says how many they are.
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
