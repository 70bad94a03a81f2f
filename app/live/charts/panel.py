"""What the charts of the pages have in common: a plain figure with ticks, end labels and the page's colours."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Range1d
from bokeh.plotting import figure

from app.live.charts.end_labels import EndLabel, place
from app.theme import FONT, Paint, tokens

AXIS = 48
"""Room for a step axis with its label under a frame, pixels."""


class Panel:
    """One figure. Subclasses draw their glyphs in `draw` and set data in `show`."""

    name = ""
    left, right, above, below = 46, 92, 8, AXIS  #: borders, pixels
    compact_left, compact_right = 40, 96
    x_label = ""
    x_log = y_log = False
    y_label = ""

    def __init__(self, x_range: Range1d | None = None) -> None:
        self.paint, self.dark = Paint(), False
        self.compact = False  #: whether the page is as narrow as a phone
        self.x_range = x_range or Range1d(start=float(self.x_log), end=10.0 if self.x_log else 1.0)
        self.y_range = Range1d(start=float(self.y_log), end=10.0 if self.y_log else 1.0)
        self.frame = 200.0  #: height of the frame, pixels
        self.figure = figure(
            x_range=self.x_range, y_range=self.y_range, x_axis_type="log" if self.x_log else "linear",
            y_axis_type="log" if self.y_log else "linear",
            sizing_mode="stretch_width", tools="", toolbar_location=None, name=self.name,
            outline_line_color=None, output_backend="canvas", min_border_bottom=self.below, min_border_top=self.above,
            min_border_left=self.left, min_border_right=self.right)
        self._axes()
        self.labels = ColumnDataSource({key: [] for key in ("x", "y", "text", "color", "style")})
        self._named: list[EndLabel] = []
        self.draw()
        self.figure.text(x="x", y="y", text="text", source=self.labels, x_offset=7, text_baseline="middle",
                         text_color="color", text_font=value(FONT), text_font_size="11.5px", text_line_height=1.0,
                         text_font_style="style", level="overlay")  # this level is not clipped to the frame

    def _axes(self) -> None:
        plot, paint = self.figure, self.paint
        paint(plot, background_fill_color="card", border_fill_color="card")
        plot.xgrid.visible = False
        paint(plot.ygrid[0], grid_line_color="grid")
        self.y_ticker, self.x_ticker = FixedTicker(ticks=[]), FixedTicker(ticks=[])
        for axis in (plot.xaxis[0], plot.yaxis[0]):
            axis.update(axis_line_color=None, major_tick_line_color=None, minor_tick_line_color=None,
                        major_label_text_font=FONT, major_label_text_font_size="11px")
            paint(axis, major_label_text_color="ink2")
        paint(plot.yaxis[0], axis_label_text_color="ink2")
        plot.yaxis[0].update(axis_label=self.y_label or None, axis_label_text_font=FONT,
                             axis_label_text_font_size="12px", axis_label_text_font_style="normal")
        plot.yaxis[0].update(ticker=self.y_ticker, major_label_standoff=8, major_tick_out=0, major_tick_in=0)
        plot.ygrid[0].ticker = self.y_ticker
        axis = plot.xaxis[0]
        axis.update(ticker=self.x_ticker, major_tick_in=0, major_tick_out=5, major_label_standoff=4,
                    axis_label=self.x_label or None, axis_label_text_font=FONT, axis_label_text_font_size="12px",
                    axis_label_standoff=4, axis_label_text_font_style="normal")
        paint(axis, axis_label_text_color="ink2", axis_line_color="axis", major_tick_line_color="axis")

    def draw(self) -> None:
        """Add the glyphs, once."""
        raise NotImplementedError

    def hover(self, renderer: object, rows: Sequence[tuple[str, str]], mode: str = "vline") -> None:
        """Show these rows, (label, field), for the point under the pointer."""
        cells = "".join(f'<tr><td style="padding-right:10px;color:#566270">{label}</td>'
                        f'<td style="text-align:right;color:#1b232d">{field}</td></tr>' for label, field in rows)
        self.figure.add_tools(HoverTool(
            renderers=renderer if isinstance(renderer, list) else [renderer], mode=mode, line_policy="nearest",
            point_policy="snap_to_data",
            attachment="horizontal", tooltips=f'<table style="font:12px {FONT}">{cells}</table>'))

    def set_y(self, low: float, high: float, ticks: dict[float, str]) -> None:
        """Set the y axis, sending only what changed."""
        if (self.y_range.start, self.y_range.end) != (low, high):
            self.y_range.update(start=low, end=high)
        if list(ticks) != list(self.y_ticker.ticks) or self.figure.yaxis[0].major_label_overrides != ticks:
            self.y_ticker.ticks = list(ticks)
            self.figure.yaxis[0].major_label_overrides = dict(ticks)

    def set_x(self, low: float, high: float, ticks: dict[float, str]) -> None:
        """Set the x axis, sending only what changed."""
        if (self.x_range.start, self.x_range.end) != (low, high):
            self.x_range.update(start=low, end=high)
        if list(ticks) != list(self.x_ticker.ticks) or self.figure.xaxis[0].major_label_overrides != ticks:
            self.x_ticker.ticks = list(ticks)
            self.figure.xaxis[0].major_label_overrides = dict(ticks)

    def name_ends(self, labels: list[EndLabel], x: float) -> None:
        """Write the end labels at x, moved apart so that none covers another."""
        self._named = labels = sorted(labels, key=lambda label: label.value)  # ties keep the order of the values
        pixels = [min(max(self._pixels(label.value), 0.0), self.frame) + label.shift for label in labels]
        middles = place(pixels, [label.height for label in labels], -6.0, self.frame + self.above - 1.0)
        palette = tokens(self.dark)
        self.labels.data = {
            "x": [x] * len(labels), "y": [self._value(middle) for middle in middles],
            "text": [label.text for label in labels], "color": [palette[label.token] for label in labels],
            "style": ["bold" if label.bold else "normal" for label in labels]}

    def _pixels(self, value: float) -> float:
        """Height of a value above the x axis, pixels."""
        low, high = self.y_range.start, self.y_range.end
        if self.y_log:
            low, high, value = math.log(low), math.log(high), math.log(max(value, 1e-300))
        return (value - low) / (high - low) * self.frame

    def _value(self, pixels: float) -> float:
        low, high = self.y_range.start, self.y_range.end
        part = pixels / self.frame
        return low * (high / low) ** part if self.y_log else low + part * (high - low)

    def restyle(self, dark: bool) -> None:
        """Repaint for the dark or the light theme."""
        self.dark = dark
        self.paint.apply(dark)
        palette = tokens(dark)
        self.labels.data = {**self.labels.data, "color": [palette[label.token] for label in self._named]}

    def resize(self, height: float, compact: bool) -> None:
        """Set the height of the whole figure, pixels."""
        height, self.compact = max(90.0, height), compact
        self.frame = height - self.above - self.below
        self.figure.update(
            height=round(height), min_border_left=self.compact_left if compact else self.left,
            min_border_right=self.compact_right if compact else self.right)
        if self._named:
            self.name_ends(self._named, self.labels.data["x"][0])
