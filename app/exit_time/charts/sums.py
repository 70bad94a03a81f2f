"""Pull, drift and martingale of one chain, their running sums and what these add up to."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource

from app.exit_time.numbers import round_ticks, steps
from app.exit_time.result import ExitResult
from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel

COLUMNS = ("x", "pull", "drift", "martingale", "total", "step_pull", "step_drift", "step_martingale")


class SumsChart(Panel):
    """Four lines in units of r^2; hover gives the numbers of one step."""

    name = "exit-sums"
    left, right, above, below = 46, 84, 10, 48
    x_label = "step i"

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.source = ColumnDataSource({key: [] for key in COLUMNS})
        self.zero = ColumnDataSource({"x": [0, 1], "y": [0, 0]})
        self.line = ColumnDataSource({"x": [0, 1], "y": [1, 1]})
        paint(plot.line("x", "y", source=self.zero, line_width=1).glyph, line_color="axis")
        paint(plot.line("x", "y", source=self.line, line_width=1.3).glyph, line_color="esc")
        paint(plot.line("x", "pull", source=self.source, line_width=2).glyph, line_color="ref")
        paint(plot.line("x", "drift", source=self.source, line_width=1.4, line_dash=[4, 3]).glyph,
              line_color="mode")
        paint(plot.line("x", "martingale", source=self.source, line_width=0.9, line_alpha=0.75).glyph,
              line_color="chain")
        total = plot.line("x", "total", source=self.source, line_width=2.4)
        paint(total.glyph, line_color="chain")
        self.ring = ColumnDataSource({"x": [], "y": []})
        ring = plot.scatter("x", "y", source=self.ring, size=9, line_width=2, level="overlay")
        paint(ring.glyph, line_color="esc", fill_color="card")
        field = "@{}{{+0.0000}} &nbsp; this step @{}{{+0.000000}}"
        self.hover(total, (
            ("step", "@x{0,0}"), ("pull", field.format("pull", "step_pull")),
            ("drift", field.format("drift", "step_drift")),
            ("martingale", field.format("martingale", "step_martingale")), ("their sum", "@total{+0.0000} r²")))

    def show(self, picture: ExitResult) -> None:
        """Draw the sums of the chosen chain."""
        sums = picture.sums
        if sums is None:
            if picture.too_long:
                self.source.data = {key: [] for key in COLUMNS}
                self.ring.data = {"x": [], "y": []}
                self.name_ends([], 0)
            return
        end = float(sums.steps[-1])
        escape = 1.0 - sums.start
        self.source.data = {"x": sums.steps} | {key: getattr(sums, key) for key in COLUMNS[1:]}
        self.zero.data = {"x": [0, end], "y": [0, 0]}
        self.line.data = {"x": [0, end], "y": [escape, escape]}
        self.ring.data = {"x": [end], "y": [sums.total[-1]]} if sums.left else {"x": [], "y": []}
        values = np.concatenate([sums.pull, sums.drift, sums.martingale, sums.total, [escape]])
        low, high = float(values.min()), float(values.max())
        margin = 0.04 * (high - low)
        self.set_y(min(low - margin, -margin), high + margin, round_ticks(low, high, 5))
        self.set_x(0.0, end, steps(end, 4 if self.compact else 5))
        self.figure.xaxis[0].axis_label = (f"step i: chain {sums.chain:,} leaves at step {sums.left:,}" if sums.left
                                           else f"step i: chain {sums.chain:,} stays")
        name = "r²" if sums.start == 0.0 else "r² − ρ₀²"
        self.name_ends([
            EndLabel(escape, name, "esctx", bold=True), EndLabel(sums.total[-1], "their sum", "chain", bold=True),
            EndLabel(sums.martingale[-1], "martingale", "chain"), EndLabel(sums.drift[-1], "drift", "ink"),
            EndLabel(sums.pull[-1], "pull", "ink2")], end)
