"""Mean push of the noise in one step, over 2 eta, by distance: on the square it is d, on the distance not."""

from __future__ import annotations

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, Whisker

from app.exit_time.numbers import round_ticks
from app.exit_time.result import ExitResult
from app.live.charts.panel import Panel
from app.theme import FONT

FEWEST = 30
"""Steps a bin must hold to be drawn."""


class PushChart(Panel):
    """Measured means with error bars of two standard errors, and the line they should lie on."""

    left, right, above, below = 36, 14, 10, 48
    compact_left, compact_right = 34, 12
    x_label = "distance from the mode ÷ r"

    def __init__(self, squared: bool) -> None:
        self.squared = squared
        self.name = "exit-push-square" if squared else "exit-push-plain"
        super().__init__()

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.points = ColumnDataSource({key: [] for key in ("x", "y", "low", "high", "count")})
        self.theory = ColumnDataSource({"x": [], "y": []})
        paint(plot.line("x", "y", source=self.theory, line_width=1.3, line_dash=[4, 3]).glyph, line_color="mode")
        bars = Whisker(source=self.points, base="x", lower="low", upper="high", line_width=1.1,
                       upper_head=None, lower_head=None, level="glyph")
        paint(bars, line_color="chain")
        plot.add_layout(bars)
        dots = plot.scatter("x", "y", source=self.points, size=5.2)
        paint(dots.glyph, fill_color="chain", line_color="chain")
        self.words = ColumnDataSource({"x": [], "y": [], "text": []})
        words = plot.text("x", "y", "text", source=self.words, text_baseline="middle", text_font=value(FONT),
                          text_font_size="11.5px", text_line_height=1.3)
        words.glyph.text_align = "left" if self.squared else "right"
        paint(words.glyph, text_color="ink")
        self.hover(dots, (("distance ÷ r", "@x{0.00}"), ("mean push ÷ 2η", "@y{0.000}"),
                          ("± 2 standard errors", "@low{0.000} to @high{0.000}"), ("steps", "@count{0,0}")), "mouse")

    def show(self, picture: ExitResult) -> None:
        """Draw the bins that hold enough steps."""
        if picture.crowd is None:
            return
        config, pushes = picture.config, picture.crowd.pushes
        d, r = config.dim, config.radius
        x = pushes.distance / r
        mean, error = ((pushes.square, pushes.square_error) if self.squared
                       else (pushes.plain, pushes.plain_error))
        shown = (pushes.count >= FEWEST) & np.isfinite(error)
        top = 2.0 * d if self.squared else max(2.0 * (d - 1) / (2 * 0.12 * r), 1.0 / r)
        shown &= (mean <= 1.02 * top) & (error <= 0.2 * top)  # a wilder bin says nothing
        self.points.data = {"x": x[shown], "y": mean[shown], "low": np.maximum(mean - 2 * error, -0.06 * top)[shown],
                            "high": np.minimum(mean + 2 * error, top)[shown], "count": pushes.count[shown]}
        line = np.linspace(0.005, 1.0, 120)
        law = np.full(line.size, float(d)) if self.squared else (d - 1) / (2 * line * r)
        inside = law <= top
        self.theory.data = {"x": line[inside], "y": law[inside]}
        text = "d, wherever it is" if self.squared else (
            "0 away from the mode" if d == 1 else "(d − 1)/(2‖D‖)\nunbounded at the mode")
        height = 1.36 * d if self.squared else 0.68 * top
        self.words.data = {"x": [0.04 if self.squared else 0.98], "y": [height], "text": [text]}
        self.set_y(-0.06 * top, top, round_ticks(0.0, top, 5))
        self.set_x(0.0, 1.0, {0.0: "0", 0.5: "0.5", 1.0: "1"})
