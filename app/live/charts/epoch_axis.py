"""The epoch axis under a panel: line, ticks, a green diamond at each new checkpoint, the present epoch."""

from __future__ import annotations

import math

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, FixedTicker, NumeralTickFormatter

from app.live.charts.axis_ticks import epochs
from app.live.charts.time_panel import TimePanel
from app.theme import FONT, Paint


class EpochAxis:
    """Belongs to one panel; shown under the lowest one, or under each when they are shown one at a time."""

    def __init__(self, panel: TimePanel, paint: Paint) -> None:
        self.panel, plot = panel, panel.figure
        self.axis = plot.xaxis[0]
        self.axis.update(
            major_tick_in=0, major_tick_out=5, major_label_standoff=4,
            formatter=NumeralTickFormatter(format="0,0"), axis_label_text_font=FONT,
            axis_label_text_font_size="12px", axis_label_standoff=5, axis_label_text_font_style="normal",
            ticker=FixedTicker(ticks=[]))
        paint(self.axis, axis_label_text_color="ink2", axis_line_color="axis", major_tick_line_color="axis")
        self.now = ColumnDataSource({"x": [], "y": [], "text": []})
        self.checkpoints = ColumnDataSource({"t": [], "y": []})
        words = plot.text("x", "y", "text", source=self.now, x_offset=7, y_offset=12, text_font=value(FONT),
                          text_font_size="11px", text_font_style="bold", text_baseline="middle",
                          level="overlay")
        paint(words.glyph, text_color="ink")
        diamonds = plot.scatter("t", "y", source=self.checkpoints, marker="square", angle=math.pi / 4, size=5,
                                line_width=1.2, level="overlay")
        paint(diamonds.glyph, fill_color="card", line_color="acc")
        self._parts = (self.axis, words, diamonds)
        self.show(False, compact=False)

    def show(self, visible: bool, compact: bool) -> None:
        """Show or hide the axis; a compact one has a shorter label."""
        for part in self._parts:
            part.visible = visible
        self.axis.axis_label = ("epoch t (log), ◇ checkpoint" if compact
                                else "epoch t, log scale   (◇ a new checkpoint)")

    def update(self, start: float, end: float, now: int, checkpoints: np.ndarray) -> None:
        """Set ticks, diamonds and the present epoch; costs nothing while hidden."""
        if not self.axis.visible:
            return
        ticks = [tick for tick in epochs(start, end) if tick < start * (end / start) ** 0.94]  # clear of "now"
        if ticks != self.axis.ticker.ticks:
            self.axis.ticker.ticks = ticks
        low = self.panel.low
        inside = [int(t) for t in checkpoints if start <= t <= end]
        if inside != self.checkpoints.data["t"] or (inside and self.checkpoints.data["y"][0] != low):
            self.checkpoints.data = {"t": inside, "y": [low] * len(inside)}
        self.now.data = {"x": [end], "y": [low], "text": [f"now {now:,}" if now >= start else ""]}
