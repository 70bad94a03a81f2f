"""Curves of several samplers against passes over the data: lines, bands, and points with their bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from bokeh.models import ColumnDataSource, Span

from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel
from app.offline.charts.scale import mapped, place, ticks
from app.offline.samplers import SAMPLERS, text_token

NOTHING = np.empty(0)
DASHES = {"line": "solid", "dash": [6, 4], "dots": [2, 3]}


@dataclass(frozen=True, eq=False)
class Drawn:
    """One sampler's curve: a line with an optional band, and optional points with bars."""

    key: str
    label: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray = field(default_factory=lambda: NOTHING)
    high: np.ndarray = field(default_factory=lambda: NOTHING)
    point_x: np.ndarray = field(default_factory=lambda: NOTHING)
    point_y: np.ndarray = field(default_factory=lambda: NOTHING)
    point_low: np.ndarray = field(default_factory=lambda: NOTHING)
    point_high: np.ndarray = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Level:
    """A horizontal line with a name."""

    value: float
    text: str
    token: str


class RaceChart(Panel):
    """`show` draws curves; axes are linear or logarithmic as asked."""

    left, right, above, below = 58, 132, 10, 50
    compact_left, compact_right = 44, 92
    x_label = "passes over the data"

    def __init__(self, name: str, y_words: str, y_log: bool) -> None:
        self.name, self._y_words, self.log_y, self.log_x = name, y_words, y_log, True
        self._shown: tuple | None = None
        super().__init__()

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.levels = [Span(location=0.0, dimension="width", line_width=1.2, line_dash=[4, 3], visible=False)
                       for _ in range(3)]
        for span, token in zip(self.levels, ("ref", "mode", "ref"), strict=True):
            plot.add_layout(paint(span, line_color=token))
        self.one = Span(location=0.0, dimension="height", line_width=1, line_dash=[1, 3])
        plot.add_layout(paint(self.one, line_color="axis"))
        self.lines, self.points, drawn, dots = {}, {}, [], []
        for key, entry in SAMPLERS.items():
            line = self.lines[key] = ColumnDataSource({c: [] for c in ("x", "y", "low", "high", "passes", "value", "name")})
            point = self.points[key] = ColumnDataSource(
                {c: [] for c in ("x", "y", "low", "high", "passes", "value", "name", "band")})
            paint(plot.varea("x", "low", "high", source=line, fill_alpha=0.14).glyph, fill_color=entry.token)
            glyph = plot.line("x", "y", source=line, line_width=2 if entry.mark == "line" else 1.6,
                              line_dash=DASHES[entry.mark])
            paint(glyph.glyph, line_color=entry.token)
            paint(plot.segment("x", "low", "x", "high", source=point, line_width=1.2, line_alpha=0.65).glyph,
                  line_color=entry.token)
            dot = plot.scatter("x", "y", source=point, size=6, line_width=1.2)
            paint(dot.glyph, fill_color="card" if entry.mark != "line" else entry.token, line_color=entry.token)
            drawn.append(glyph)
            dots.append(dot)
        self.hover(drawn, (("", "<b>@name</b>"), ("passes", "@passes{0.00}"), (self._y_words, "@value{0.0000}")), "mouse")
        self.hover(dots, (("", "<b>@name</b>, chains"), ("passes", "@passes{0.00}"), (self._y_words, "@value{0.0000}"),
                          ("95 % band", "@band")), "mouse")

    def show(self, curves: Sequence[Drawn], end: float, log_x: bool, levels: Sequence[Level] = (),
             top: float | None = None) -> None:
        """Draw curves up to `end` passes; what is above `top` is out of sight."""
        self._shown = (curves, end, log_x, levels, top)
        self.log_x = log_x
        by_key = {curve.key: curve for curve in curves}
        for key in SAMPLERS:
            self._put(key, by_key.get(key))
        firsts = [curve.x[curve.x > 0][0] for curve in curves if (curve.x > 0).any()]
        first = min(firsts, default=0.02) if log_x else 0.0
        self._fit(curves, levels, top)
        most = 5 if self.compact else 8
        left, right = place(first, log_x) if log_x else 0.0, place(end, log_x)
        self.set_x(left, right + 0.012 * (right - left), ticks(first, end, log_x, most))
        self.one.location = place(1.0, log_x)
        self.one.visible = first < 1.0 < end
        for line, level in zip(self.levels, (*levels, None, None, None), strict=False):
            line.visible = level is not None
            if level is not None:
                line.location = place(level.value, self.log_y)
        self._name(curves, self.x_range.end, levels)

    def _put(self, key: str, curve: Drawn | None) -> None:
        line, point = self.lines[key], self.points[key]
        if curve is None:
            for source in (line, point):
                if len(source.data["x"]):
                    source.data = {column: [] for column in source.data}
            return
        keep = curve.x > 0 if self.log_x else np.ones(len(curve.x), bool)
        y = mapped(curve.y[keep], self.log_y)
        low, high = ((mapped(v[keep], self.log_y) for v in (curve.low, curve.high)) if len(curve.low)
                     else (np.full(keep.sum(), np.nan),) * 2)
        line.data = {"x": mapped(curve.x[keep], self.log_x), "y": y, "low": low, "high": high,
                     "passes": curve.x[keep], "value": curve.y[keep], "name": [curve.label] * int(keep.sum())}
        band = [f"{a:.4f} to {b:.4f}" for a, b in zip(curve.point_low, curve.point_high, strict=True)]
        point.data = {"x": mapped(curve.point_x, self.log_x), "y": mapped(curve.point_y, self.log_y),
                      "low": mapped(curve.point_low, self.log_y), "high": mapped(curve.point_high, self.log_y),
                      "passes": curve.point_x, "value": curve.point_y, "name": [curve.label] * len(band), "band": band}

    def _fit(self, curves: Sequence[Drawn], levels: Sequence[Level], top: float | None) -> None:
        values = np.concatenate([[level.value for level in levels], *(curve.y for curve in curves),
                                 *(curve.point_y for curve in curves)])
        values = values[np.isfinite(values) & ((values > 0) | (not self.log_y))]
        values = np.minimum(values, np.inf if top is None else top) if values.size else np.array([0.1, 1.0])
        low, high = float(values.min()), float(values.max())
        if self.log_y:
            low, high = low * 0.75, high * 1.25
        else:
            room = max(high - low, 1e-6)
            low, high = low - 0.05 * room, high + 0.06 * room
        self.set_y(place(low, self.log_y), place(high, self.log_y), ticks(low, high, self.log_y, 7))

    def _name(self, curves: Sequence[Drawn], x: float, levels: Sequence[Level]) -> None:
        labels = []
        for curve in curves:
            known = curve.y[np.isfinite(curve.y)]
            if known.size:
                entry = SAMPLERS[curve.key]
                text = entry.short if self.compact or curve.key != "plus" else curve.label
                labels.append(EndLabel(place(max(known[-1], 1e-300), self.log_y), text, text_token(entry.token),
                                       bold=entry.mark == "line"))
        labels += [EndLabel(place(level.value, self.log_y), level.text, level.token) for level in levels]
        self.name_ends(labels, x)

    def resize(self, height: float, compact: bool) -> None:  # noqa: D102
        changed = compact != self.compact
        super().resize(height, compact)
        if changed and self._shown is not None:
            self.show(*self._shown)
