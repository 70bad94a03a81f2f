"""A log-log figure of any number of lines, with bands, marks, a dashed reference and names at the ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from bokeh.models import ColumnDataSource

from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel
from app.live.charts.ticks import decades, power
from app.theme import tokens

_EMPTY = np.empty(0)
DASHES = {(False, False): "solid", (True, False): "dashed", (False, True): "dotted", (True, True): "dotdash"}
"""(dashed, dotted) -> pattern."""


class Curve(NamedTuple):
    """One line."""

    x: np.ndarray  #: (j,) above 0
    y: np.ndarray  #: (j,) above 0; gaps where it is not finite
    name: str  #: on hover
    label: str = ""  #: at its end; empty for none
    token: str = "chain"
    text: str = "chain"
    width: float = 1.8
    dashed: bool = False
    bold: bool = False
    dotted: bool = False
    low: np.ndarray | None = None  #: (j,) of its band
    high: np.ndarray | None = None


class Mark(NamedTuple):
    """A diamond on a line, or a ring where ``ring``."""

    x: float
    y: float
    token: str
    name: str
    ring: bool = False


class Level(NamedTuple):
    """A dashed line to compare with."""

    x: np.ndarray
    y: np.ndarray
    label: str
    token: str = "mode"


class LinesChart(Panel):
    """Both axes logarithmic. `what` names the quantity on hover."""

    left, right, above, below = 54, 132, 10, 46
    compact_left, compact_right = 44, 104
    x_log = y_log = True
    x_label = "iteration t, log scale"
    what = "value"
    x_what = "iteration"
    least_decades = 1.0

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.curves: list[Curve] = []
        self.marks: list[Mark] = []
        self.bands = ColumnDataSource({"xs": [], "ys": [], "color": []})
        plot.patches("xs", "ys", source=self.bands, fill_color="color", fill_alpha=0.13, line_color=None)
        self.level = ColumnDataSource({"x": [], "y": []})
        self.level_line = plot.line("x", "y", source=self.level, line_width=1.4, line_dash=[4, 3])
        paint(self.level_line.glyph, line_color="mode")
        self.lines = ColumnDataSource({key: [] for key in ("xs", "ys", "color", "width", "dash")})
        plot.multi_line("xs", "ys", source=self.lines, line_color="color", line_width="width",
                        line_dash={"field": "dash"}, line_join="round")
        self.spots = ColumnDataSource({"x": [], "y": [], "at": [], "text": []})
        spots = plot.line("x", "y", source=self.spots, line_alpha=0.0, line_width=1)
        self.diamonds = ColumnDataSource({"x": [], "y": [], "color": [], "marker": []})
        found = plot.scatter("x", "y", source=self.diamonds, marker="marker", size=9, line_color="color", line_width=1.6,
                             level="overlay")
        paint(found.glyph, fill_color="card")
        self.hover(spots, ((self.x_what, "@at"), (self.what, "@text{safe}")))

    def show_curves(self, curves: Sequence[Curve], end: float, level: Level | None = None,
                    marks: Sequence[Mark] = (), start: float = 1.0, also: Sequence[float] = ()) -> None:
        """Draw these lines from ``start`` to ``end``; ``also`` are values the y axis must hold."""
        self.curves, self.marks = list(curves), list(marks)
        self._fit_y(level, also)
        end = max(end, 1.2 * start)
        self.set_x(start, end, _ticks(start, end, 4 if self.compact else 6))
        low, high = self.y_range.start, self.y_range.end
        self.level.data = {"x": _EMPTY, "y": _EMPTY} if level is None else {"x": level.x, "y": level.y}
        shown = [curve for curve in self.curves if len(curve.x)]
        clipped = [np.clip(np.asarray(curve.y, float), low / 10, high * 10) for curve in shown]
        self.lines.data = {
            "xs": [curve.x for curve in shown], "ys": clipped, "width": [curve.width for curve in shown],
            "dash": [DASHES[curve.dashed, curve.dotted] for curve in shown], "color": self._colors(shown)}
        bands = [curve for curve in shown if curve.low is not None]
        outlines = [_outline(curve, low / 10, high * 10) for curve in bands]
        self.bands.data = {"xs": [x for x, _ in outlines], "ys": [y for _, y in outlines], "color": self._colors(bands)}
        self.spots.data = _spots(shown, self.marks)
        self.diamonds.data = {
            "x": [mark.x for mark in self.marks], "y": [mark.y for mark in self.marks],
            "color": self._colors(self.marks),
            "marker": ["circle" if mark.ring else "diamond" for mark in self.marks]}
        self._name(shown, level, end)

    def _name(self, shown: list[Curve], level: Level | None, end: float) -> None:
        labels = [] if level is None or not level.label else [EndLabel(float(level.y[-1]), level.label, "ink")]
        for curve in shown:
            finite = np.flatnonzero(np.isfinite(curve.y))
            if curve.label and finite.size:
                labels.append(EndLabel(float(curve.y[finite[-1]]), curve.label, curve.text, curve.bold))
        self.name_ends(labels, end)

    def _fit_y(self, level: Level | None, also: Sequence[float]) -> None:
        parts = [np.asarray(curve.y, float) for curve in self.curves]
        parts += [np.asarray(also, float), _EMPTY if level is None else np.asarray(level.y, float)[-1:]]
        values = np.concatenate([_EMPTY, *parts])
        values = values[np.isfinite(values) & (values > 0)]
        if not values.size:
            values = np.array([0.1, 10.0])
        low, high = math.log10(values.min()), math.log10(values.max())
        middle, span = 0.5 * (low + high), max(high - low, self.least_decades)
        low, high = middle - 0.54 * span, middle + 0.54 * span
        low, high = math.floor(4 * low) / 4, math.ceil(4 * high) / 4  # so that the axis does not tremble
        self.set_y(10.0**low, 10.0**high, _ticks(10.0**low, 10.0**high, 6))

    def _colors(self, things: Sequence[Curve | Mark]) -> list[str]:
        palette = tokens(self.dark)
        return [palette[thing.token] for thing in things]

    def restyle(self, dark: bool) -> None:
        """Repaint for the dark or the light theme."""
        super().restyle(dark)
        shown = [curve for curve in self.curves if len(curve.x)]
        self.lines.data = {**self.lines.data, "color": self._colors(shown)}
        self.bands.data = {**self.bands.data, "color": self._colors([c for c in shown if c.low is not None])}
        self.diamonds.data = {**self.diamonds.data, "color": self._colors(self.marks)}


def _ticks(low: float, high: float, most: int) -> dict[float, str]:
    """Powers of ten; with fewer than two of them inside, 1, 2 and 5 times these."""
    found = decades(low, high, most)
    if len(found) >= 2:
        return found
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = {s * 10.0**k: power(k) if s == 1 else f"{s * 10.0**k:g}" for k in range(first, last + 1) for s in (1, 2, 5)}
    return {value: words for value, words in steps.items() if low <= value <= high}


def _outline(curve: Curve, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """A band as one closed patch, where it is known."""
    known = np.isfinite(curve.low) & np.isfinite(curve.high)
    x = np.asarray(curve.x)[known]
    under, over = np.clip(curve.low[known], low, high), np.clip(curve.high[known], low, high)
    return np.concatenate([x, x[::-1]]), np.concatenate([over, under[::-1]])


def _spots(curves: Sequence[Curve], marks: Sequence[Mark]) -> dict[str, object]:
    """What is said at each place of the longest line: the value of every line there, one a row, and what is marked."""
    if not curves:
        return {"x": _EMPTY, "y": _EMPTY, "at": [], "text": []}
    x = np.asarray(max(curves, key=lambda curve: len(curve.x)).x, float)
    cells, heights = [], np.full(x.size, np.nan)
    for curve in curves:
        at, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
        place = np.clip(np.searchsorted(at, x), 0, at.size - 1)
        there = np.where(np.abs(at[place] / x - 1.0) < 0.03, y[place], np.nan)
        heights = np.fmax(heights, there)
        cells.append([f"{curve.name} &nbsp; <b>{value:.3g}</b>" if math.isfinite(value) else "" for value in there])
    middle = np.nanmedian(heights) if np.isfinite(heights).any() else 1.0
    rows = [[cell for cell in row if cell] for row in zip(*cells, strict=True)]
    for mark in marks:
        rows[int(np.argmin(np.abs(np.log(x / mark.x))))].append(mark.name)
    return {"x": x, "y": np.where(np.isfinite(heights), heights, middle),
            "at": [f"{value:,.0f}" if value >= 10 else f"{value:g}" for value in x],
            "text": ["<br>".join(dict.fromkeys(row)) for row in rows]}
