"""`ChartView`: properties of the charts' models for a series, in plain Python, also translated for the lab in one file."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.live.charts.axes_and_labels import (
    Axis,
    Columns,
    EndLabel,
    Words,
    accuracy_axis,
    accuracy_labels,
    accuracy_measured,
    choose_texts,
    cost_axis,
    cost_labels,
    distance_axis,
    distance_labels,
    epochs,
    spread,
    variance_axis,
    variance_labels,
)
from app.live.history import FIRST as FIRST_EPOCH
from app.live.snapshot import COLUMNS
from sampler.algorithms import PLAIN

if TYPE_CHECKING:
    from app.live.snapshot import Series

NATURAL_HEIGHT = 754
"""Height of the stack at scale one (pixels)."""
MARGINS, COMPACT_MARGINS = (54, 126), (40, 116)
"""Margins of a panel, left for tick labels and right for end labels (pixels)."""
TITLE = 24
"""Height of the title row above a panel's frame (pixels)."""
LABEL_GAP = 15
GAP = 14
"""Space under a frame without an axis (pixels)."""
AXIS = 54
"""Space for the epoch axis under a frame (pixels)."""
COMPACT_HEIGHT = 108
AXIS_LABEL, SHORT_AXIS_LABEL = "epoch t, log scale   (◇ a new checkpoint)", "epoch t (log), ◇ checkpoint"
WORDS = ("x", "y", "text", "color", "style", "size", "align", "dx", "dy")
TEXT_COLORS = {"switch": "sgldtx", "knob": "hot", "chains": "acctx"}
"""Kind of an event -> token of its text."""
ONE_APART = 12
"""Minimum height of the escape line above zero for its own tick (pixels)."""
MARKS_APART = 7
"""Width of the columns of the epoch axis in which the largest exit and the first checkpoint are marked (pixels)."""


@dataclass
class Panel:
    """Frame of a panel, in pixels, and its y axis."""

    name: str
    compared: str  #: column that is also drawn for a ghost run
    height: int  #: height of the frame at scale one
    above: int = TITLE  #: space above the frame
    headroom: int = 0  #: height of the frame above the top of the y axis
    log: bool = False
    frame_height: int = 0
    has_epochs: bool = False  #: whether the panel has the epoch axis
    axis: Axis = Axis(0.0, 1.0, (), ())

    @property
    def low(self) -> float:
        """Lower end of the y range."""
        return self.axis.low

    @property
    def top(self) -> float:
        """Upper end of the y range, with the headroom."""
        low, high, above = self.axis.low, self.axis.high, self.headroom / self.frame_height
        return high * (high / low) ** above if self.log else high + (high - low) * above

    def pixel(self, value: float) -> float:
        """Return the height of a y value above the bottom of the frame, clipped to the frame."""
        low, top = self.low, self.top
        if self.log:
            value, low, top = math.log(max(value, 1e-300)), math.log(low), math.log(top)
        return min(max((value - low) / (top - low), 0.0), 1.0) * (self.frame_height + self.headroom)

    def value_at(self, pixel: float) -> float:
        """Return the y value at a height above the bottom of the frame, the inverse of `pixel`."""
        low, top, share = self.low, self.top, pixel / (self.frame_height + self.headroom)
        return low * (top / low) ** share if self.log else low + (top - low) * share

    def words_of(self, labels: Sequence[EndLabel], x: float) -> list[Words]:
        """Return end labels as texts at epoch x, moved apart to avoid overlap."""
        heights = spread([self.pixel(label.value) + label.shift for label in labels], LABEL_GAP, 2.0,
                         self.frame_height + self.headroom - 2.0)
        return [Words(x, self.value_at(height), label.text, label.color, "bold" if label.bold else "normal")
                for label, height in zip(labels, heights, strict=True)]

    def layout(self, margins: tuple[int, int], compact: bool) -> dict[str, dict[str, Any]]:
        """Return the properties that depend on the available space."""
        below = AXIS if self.has_epochs else GAP
        return {self.name: {"height": self.frame_height + self.headroom + self.above + below, "min_border_left": margins[0],
                            "min_border_right": margins[1], "min_border_top": self.above, "min_border_bottom": below},
                f"{self.name} x_axis": {"visible": self.has_epochs,
                                        "axis_label": SHORT_AXIS_LABEL if compact else AXIS_LABEL},
                f"{self.name} diamonds": {"visible": self.has_epochs}}


class ChartView:
    """State of the charts: series, window of epochs and size; `properties` returns the resulting model properties."""

    def __init__(self) -> None:
        self.window, self.span, self.compact = "all", (FIRST_EPOCH, 2 * FIRST_EPOCH), False
        self.margins, self.width = MARGINS, 396.0
        self.series: Series | None = None
        self.ghost: Columns = empty()  #: columns of a ghost run
        self.accuracy_shown = ""  #: accuracy in the label at the chart's right end; empty before the first measurement
        self.panels = (Panel("accuracy", "accuracy", 150, above=16, headroom=24),  # its title is in the headroom
                       Panel("distance", "q95", 146),
                       Panel("variance", "saga", 150, log=True, axis=variance_axis(self.ghost)),
                       Panel("cost", "cost", 100, log=True, axis=cost_axis(self.ghost)))
        self.algorithm = PLAIN
        self._now, self._chains, self._reduced = 0, 64, True
        self._held = False  # whether the labels at the right end keep the values of an earlier series
        self._texts: list[str] = []  # labels at the right end of the accuracy chart
        self.resize(578, NATURAL_HEIGHT, False)

    def update(self, series: Series, now: int, chains: int, reduced: bool, algorithm: str = PLAIN,
               held: bool = False) -> None:
        """Set a new series.

        Parameters
        ----------
        now
            Current epoch.
        reduced
            Whether variance reduction is on.
        held
            Whether to keep the accuracy labels at the right end, for consistency with the texts next to the charts.
        """
        self.series, self._now, self._chains, self._reduced = series, now, chains, reduced
        self.algorithm, self._held = algorithm, held

    def release(self) -> bool:
        """Stop holding the labels at the right end; return whether they were held."""
        held, self._held = self._held, False
        return held

    def set_window(self, window: str, span: tuple[int, int] | None = None) -> None:
        """Select the whole run ("all"), the last minute ("recent") or the epochs of `span` (None: unchanged)."""
        if window not in ("all", "recent", "span"):
            raise ValueError(f"window must be 'all', 'recent' or 'span'; got '{window}'. Choose one of these.")
        self.window, self.span = window, span or self.span

    def resize(self, width: float, height: float, compact: bool) -> None:
        """Fit the panels to a card of this size (pixels); compact: one panel at a time, as on a phone.

        The epoch axis is under the lowest panel, or under every compact one.
        """
        self.compact, self.margins = compact, COMPACT_MARGINS if compact else MARGINS
        self.width = max(60.0, width - sum(self.margins))
        frames = sum(panel.height for panel in self.panels)
        scale = min(max((height - NATURAL_HEIGHT + frames) / frames, 0.62), 2.0)
        for panel in self.panels:
            panel.frame_height = COMPACT_HEIGHT if self.compact else round(panel.height * scale)
            panel.has_epochs = self.compact or panel.name == "cost"

    def properties(self) -> dict[str, dict[str, Any]]:
        """Return model name -> property -> value for all properties that may change."""
        layout: dict[str, dict[str, Any]] = {"ghost": {"data": self.ghost}}
        for panel in self.panels:
            layout = {**layout, **panel.layout(self.margins, self.compact)}
        if self.series is None:
            return layout
        shown = self._chosen(self.series)
        data = shown.columns
        start, end = self._epochs(shown is self.series, data)
        self._set_axes(data, start, end)
        result = {**layout, "series": {"data": data}, **self._marks(self.series, start, end)}
        for panel, words in zip(self.panels, self._words(data, start, end), strict=True):
            axis = panel.axis
            result = {**result, f"{panel.name} y_range": {"start": panel.low, "end": panel.top},
                      f"{panel.name} ticker": {"ticks": axis.ticks},
                      f"{panel.name} y_axis": {"major_label_overrides": dict(zip(axis.ticks, axis.labels, strict=True))},
                      f"{panel.name} texts": {"data": {name: [getattr(one, name) for one in words] for name in WORDS}}}
        return result

    # epochs -----------------------------------------------------------------------------------------------

    def _chosen(self, series: Series) -> Series:
        """Return the recent series if it is selected, or if it covers the selected span; else the whole one."""
        recent = series.recent
        if recent is None or len(recent.columns["t"]) == 0 or self.window == "all":
            return series
        fine = self.window == "recent" or recent.columns["t"][0] <= max(self.span[0], FIRST_EPOCH + 3)
        return recent if fine else series

    def _epochs(self, whole: bool, data: Columns) -> tuple[float, float]:
        if self.window == "span" and self._now > self.span[0]:
            return float(self.span[0]), max(float(self.span[1]), 1.02 * self._now)
        if whole:
            return float(FIRST_EPOCH), max(1.5 * FIRST_EPOCH, 1.02 * self._now)
        start = float(data["t"][0])
        return start, max(start + 8, start * (self._now / start) ** 1.02)

    def _marks(self, series: Series, start: float, end: float) -> dict[str, dict[str, Any]]:
        """Return epoch range and ticks, checkpoints, exits and events."""
        ticks = [tick for tick in epochs(start, end) if tick < start * (end / start) ** 0.94]  # clear of "now"
        columns = self.width / MARKS_APART
        exits_t, exits_value = _thin(series, start, end, columns)
        highest = 0.975 * self.panels[1].axis.high  # exits above the axis are drawn at its upper end
        bands = [*[(event.t, event.t_end or event.t) for event in series.events],
                 *[(event.t_end, event.t_end) for event in series.events if event.t_end is not None]]  # line at the end
        return {"x_range": {"start": start, "end": end}, "x_ticker": {"ticks": ticks},
                "checkpoints": {"data": {"t": _firsts(series.checkpoints, start, end, columns)}},
                "exits": {"data": {"t": exits_t, "value": [min(value, highest) for value in exits_value]}},
                "events": {"data": {"t": [t for t, t_end in bands], "t_end": [t_end for t, t_end in bands]}}}

    # values and texts -------------------------------------------------------------------------------------

    def _set_axes(self, data: Columns, start: float, end: float) -> None:
        """Set the y axes to include the ghost's lines in the displayed epochs."""
        if len(data["t"]):
            kept = [k for k, t in enumerate(self.ghost["t"]) if start <= t <= end]
            data = {**data, **{name: [*data[name], *[self.ghost[name][k] for k in kept]]
                               for name in [panel.compared for panel in self.panels]}}
        axes = (accuracy_axis(data), distance_axis(data), variance_axis(data),
                cost_axis(data))
        for panel, axis in zip(self.panels, axes, strict=True):
            panel.axis = axis

    def _words(self, data: Columns, start: float, end: float) -> list[list[Words]]:
        """Return the texts of each panel: line names, events, current epoch, and the tick of the escape line."""
        some = len(data["t"]) > 0
        if not (self._held and some):
            self.accuracy_shown = accuracy_measured(data)
        accuracy, distance, variance, cost = self.panels
        labels, words = [[], [], [], []], []
        if some:
            labels = [accuracy_labels(data), distance_labels(data, self._chains),
                      variance_labels(data, self._reduced, self.algorithm == PLAIN), cost_labels(data)]
        for panel, ends in zip(self.panels, labels, strict=True):
            named = panel.words_of([*ends, *(self._ghost_label(panel, end) if some else [])], end)
            if panel is accuracy:
                named = self._hold(named) if self._held and some else named
                self._texts = [one.text for one in named]
            if panel is distance and panel.pixel(1.0) > ONE_APART:
                named = [*named, Words(start, 1.0, "1", "esctx", size="11px", align="right", dx=-8)]
            if panel.has_epochs and self._now >= start:
                named = [*named, Words(end, panel.low, f"now {self._now:,}", "ink", size="11px", dy=12)]
            words.append([*named, *self._event_words(start, end)] if panel is accuracy else named)
        return words

    def _hold(self, words: list[Words]) -> list[Words]:
        """Return the words with the texts of an earlier series, if their numbers match."""
        if len(words) != len(self._texts):
            return words
        return [Words(one.x, one.y, text, one.color, one.style) for one, text in zip(words, self._texts, strict=True)]

    def _ghost_label(self, panel: Panel, end: float) -> list[EndLabel]:
        """Return the label of the ghost's line at the right end; none if the ghost ended before the current epoch."""
        t, values = self.ghost["t"], self.ghost[panel.compared]
        last = sum(1 for at in t if at <= end) - 1
        if last < 0 or t[-1] < self._now or not math.isfinite(values[last]):
            return []
        return [EndLabel(values[last], "ghost", "ink2")]

    def _event_words(self, start: float, end: float) -> list[Words]:
        """Return the texts of the events that fit, above the uppermost panel."""
        texts = choose_texts(self.series.events, start, end, self.width)
        return [Words(start * (end / start) ** (x / self.width), self.panels[0].top, text, TEXT_COLORS.get(kind, "ink"),
                      align="center", dx=0, dy=-9) for x, text, kind in texts]


def _thin(series: Series, start: float, end: float, columns: float) -> tuple[list[float], list[float]]:
    """Return epochs and values of the displayed exits: the largest in each column of the picture."""
    at, value, last = [], [], -1
    for t, height in zip(series.exits_t, series.exits_value, strict=True):
        if not start <= t <= end:
            continue
        column = _column(t, start, end, columns)
        if column != last:
            at.append(t)
            value.append(height)
        elif height > value[-1]:
            at[-1], value[-1] = t, height
        last = column
    return at, value


def _firsts(epochs: Sequence[int], start: float, end: float, columns: float) -> list[int]:
    """Return the displayed epochs: the first in each column of the picture."""
    shown, last = [], -1
    for t in epochs:
        column = _column(t, start, end, columns) if start <= t <= end else last
        if column != last:
            shown.append(t)
        last = column
    return shown


def _column(t: float, start: float, end: float, columns: float) -> int:
    return int(math.log(t / start) / math.log(end / start) * columns)


def empty() -> dict[str, Sequence[float]]:
    """Return the columns with no rows."""
    return {name: array("f") for name in COLUMNS}
