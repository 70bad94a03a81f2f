"""The coreset points over the data they stand for: area of a marker = weight."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource

from app.coreset.cloud import Background2d, Points
from app.exit_time.numbers import round_ticks
from app.live.charts.panel import Panel

UNIT = 7.0
"""Diameter of a point with the first weight N/M, pixels."""
LARGEST = 46.0


class PointsChart(Panel):
    """Grey: data. Blue: coreset points, gold where the label is 1. Crosses: points whose weight is zero."""

    name = "coreset-points"
    left, right, above, below = 54, 16, 6, 42
    compact_left, compact_right = 44, 10

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.data = ColumnDataSource({"x": [], "y": []})
        paint(plot.scatter("x", "y", source=self.data, size=3, fill_alpha=0.5, line_color=None).glyph, fill_color="ref")
        keys = ("x", "y", "size", "weight", "row")
        self.plain, self.positive = (ColumnDataSource({key: [] for key in keys}) for _ in range(2))
        drawn = []
        for source, token in ((self.plain, "chain"), (self.positive, "esc")):
            marks = plot.scatter("x", "y", source=source, size="size", fill_alpha=0.28, line_alpha=0.9, line_width=1.1)
            paint(marks.glyph, fill_color=token, line_color=token)
            drawn.append(marks)
        self.dead = ColumnDataSource({"x": [], "y": []})
        paint(plot.scatter("x", "y", source=self.dead, marker="x", size=6, line_width=1.2).glyph, line_color="ink2")
        self.hover(drawn, (("datum", "@row{0,0}"), ("weight ÷ (N/M)", "@weight{0.000}")), "mouse")
        self._background: Background2d | None = None

    def show(self, background: Background2d, points: Points | None) -> None:
        """Draw the data once and the points at every call."""
        if background is not self._background:
            self._background = background
            self.data.data = {"x": background.x, "y": background.y}
            self.set_x(background.low[0], background.high[0], round_ticks(background.low[0], background.high[0], 5))
            self.set_y(background.low[1], background.high[1], round_ticks(background.low[1], background.high[1], 5))
            self.figure.xaxis[0].axis_label, self.figure.yaxis[0].axis_label = background.names
        if points is None:
            chosen = np.empty(0, bool)
            for source in (self.plain, self.positive):
                source.data = {key: [] for key in source.data}
            self.dead.data = {"x": [], "y": []}
            return
        alive = points.weight > 0
        size = np.minimum(LARGEST, np.maximum(1.5, UNIT * np.sqrt(points.weight)))
        for source, chosen in ((self.plain, alive & ~points.positive), (self.positive, alive & points.positive)):
            source.data = {"x": points.x[chosen], "y": points.y[chosen], "size": size[chosen],
                           "weight": points.weight[chosen], "row": points.row[chosen]}
        self.dead.data = {"x": points.x[~alive], "y": points.y[~alive]}
