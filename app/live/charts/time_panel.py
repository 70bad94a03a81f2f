"""What the time panels have in common: one figure on the shared epoch axis, with labels at its right end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Range1d
from bokeh.plotting import figure

from app.live.charts.label_spacing import spread
from app.theme import FONT, Paint, tokens

LEFT, RIGHT = 54, 126
"""Margins of a panel: room for the tick labels, room for the end labels (pixels)."""
COMPACT_LEFT, COMPACT_RIGHT = 40, 116
TITLE = 24
"""Height of the row that holds the panel's title, above its frame (pixels)."""
LABEL_GAP = 15
GAP = 14
"""Room under a frame that has no axis (pixels)."""
AXIS = 54
"""Room for the epoch axis under a frame (pixels)."""
COMPACT_HEIGHT = 108


class EndLabel(NamedTuple):
    """A name at the right end of a line."""

    value: float  #: where on the y axis
    text: str
    token: str  #: colour
    bold: bool = False
    shift: float = 0.0  #: pixels upwards from the value


class TimePanel:
    """One panel. Subclasses draw their glyphs in `draw` and set ranges, ticks and labels in `update`."""

    title = ""
    subtitle = ""
    short_title = ""
    name = ""
    term = ""  #: of the glossary, that its title is
    says = ""  #: what is drawn, beside the term's definition
    height = 150  #: of the frame, pixels
    log = False
    above = TITLE  #: room above the frame, pixels
    headroom = 0  #: pixels of frame above the top of the y axis
    hover: tuple[tuple[str, str], ...] = ()
    compared = ""  #: column drawn of a run that is kept as a ghost, too

    def __init__(self, source: ColumnDataSource, ghost: ColumnDataSource, x_range: Range1d, paint: Paint) -> None:
        self.source, self.paint = source, paint
        self.frame_height, self.low, self.high = self.height, 0.0, 1.0
        self.y_range = Range1d(start=0.1 if self.log else 0.0, end=1.0)
        self.figure = figure(
            x_range=x_range, y_range=self.y_range, x_axis_type="log",
            y_axis_type="log" if self.log else "linear",
            sizing_mode="stretch_width", tools="", toolbar_location=None, name=self.name,
            min_border_left=LEFT, min_border_right=RIGHT, min_border_bottom=0, min_border_top=self.above,
            outline_line_color=None, output_backend="canvas")
        self.figure.toolbar.autohide = True
        self._axes()
        self.labels = ColumnDataSource({key: [] for key in ("x", "y", "text", "color", "style")})
        self._shown: list[EndLabel] = []
        paint(self.figure.line("t", self.compared, source=ghost, line_width=1.6, line_dash=[2, 3]).glyph,
              line_color="ink2")
        self.draw(paint)
        self.figure.text(x="x", y="y", text="text", source=self.labels, x_offset=7, text_baseline="middle",
                         text_color="color", text_font=value(FONT), text_font_size="11.5px",
                         text_font_style="style", level="overlay")  # this level is not clipped to the frame
        for renderer in self.figure.renderers:  # nothing is ever selected or muted: two models less each
            renderer.nonselection_glyph = renderer.muted_glyph = None
        self.resize(1.0, compact=False, axis=False)

    def _axes(self) -> None:
        plot, paint = self.figure, self.paint
        plot.background_fill_color = plot.border_fill_color = None  # the card shows, in the theme that the browser has
        plot.xgrid.visible = False
        paint(plot.ygrid[0], grid_line_color="grid")
        self.y_ticker = FixedTicker(ticks=[])
        for axis in (plot.xaxis[0], plot.yaxis[0]):
            axis.axis_line_color = axis.major_tick_line_color = axis.minor_tick_line_color = None
            axis.major_label_text_font = FONT
            axis.major_label_text_font_size = "11px"
            paint(axis, major_label_text_color="ink2")
        plot.yaxis[0].ticker = plot.ygrid[0].ticker = self.y_ticker
        plot.yaxis[0].major_label_standoff = 8
        plot.yaxis[0].major_tick_out = plot.yaxis[0].major_tick_in = 0
        plot.xaxis[0].visible = False

    def add_hover(self, renderer: object) -> None:
        """Show this panel's numbers of the epoch under the pointer, following `renderer`."""
        rows = "".join(f'<tr><td>{label}</td><td>{value}</td></tr>' for label, value in self.hover)
        html = f'<table class="lab-tip"><tr><td>epoch t</td><td>@t{{0,0}}</td></tr>{rows}</table>'
        self.figure.add_tools(HoverTool(
            renderers=[renderer], mode="vline", tooltips=html, line_policy="nearest",
            point_policy="snap_to_data", attachment="horizontal"))

    def draw(self, paint: Paint) -> None:
        """Add the glyphs, once."""
        raise NotImplementedError

    def update(self, data: dict[str, np.ndarray], now: int) -> None:
        """Set ranges, ticks and end labels for new columns; `now` is the present epoch."""
        raise NotImplementedError

    def set_range(self, low: float, high: float, ticks: dict[float, str] | list[float]) -> None:
        """Set the y axis to [low, high] (plus the headroom) with these ticks, sending only what changed."""
        self.low, self.high = low, high
        above = self.headroom / self.frame_height
        top = high * (high / low) ** above if self.log else high + (high - low) * above
        if (self.y_range.start, self.y_range.end) != (low, top):
            self.y_range.update(start=low, end=top)
        if list(ticks) != list(self.y_ticker.ticks):
            self.y_ticker.ticks = list(ticks)
            if isinstance(ticks, dict):
                self.figure.yaxis[0].major_label_overrides = dict(ticks)

    def pixel(self, value: float) -> float:
        """Return the height of a y value above the bottom of the frame, in pixels, clipped to the frame."""
        low, high = self.y_range.start, self.y_range.end
        if self.log:
            value, low, high = np.log(max(value, 1e-300)), np.log(low), np.log(high)
        return float(np.clip((value - low) / (high - low), 0.0, 1.0) * (self.frame_height + self.headroom))

    def value_at(self, pixel: float) -> float:
        """Return the y value at a height above the bottom of the frame, the inverse of `pixel`."""
        low, high = self.y_range.start, self.y_range.end
        share = pixel / (self.frame_height + self.headroom)
        return low * (high / low) ** share if self.log else low + (high - low) * share

    def place_labels(self, labels: list[EndLabel], x: float, dark: bool, held: bool = False) -> None:
        """Write the end labels at x, moved apart so that none covers another; held: their texts stay as they are."""
        if held and len(labels) == len(self._shown):
            labels = [label._replace(text=old.text) for label, old in zip(labels, self._shown, strict=True)]
        self._shown = labels
        heights = spread([self.pixel(label.value) + label.shift for label in labels], LABEL_GAP,
                         2.0, self.frame_height + self.headroom - 2.0)
        palette = tokens(dark)
        self.labels.data = {
            "x": [x] * len(labels), "y": [self.value_at(height) for height in heights],
            "text": [label.text for label in labels],
            "color": [palette[label.token] for label in labels],
            "style": ["bold" if label.bold else "normal" for label in labels]}

    def recolour(self, dark: bool) -> None:
        """Repaint the end labels."""
        palette = tokens(dark)
        self.labels.data = {**self.labels.data, "color": [palette[label.token] for label in self._shown]}

    def resize(self, scale: float, compact: bool, axis: bool) -> None:
        """Set the height from the room there is; compact panels are shown one at a time."""
        self.frame_height = COMPACT_HEIGHT if compact else round(self.height * scale)
        below = AXIS if axis else GAP
        self.figure.update(
            min_border_left=COMPACT_LEFT if compact else LEFT,
            min_border_right=COMPACT_RIGHT if compact else RIGHT, min_border_bottom=below,
            height=self.frame_height + self.headroom + self.above + below)
