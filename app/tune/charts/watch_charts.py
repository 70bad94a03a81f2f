"""What the stream itself says of a setting: how well it was foretold, and how honestly."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource

from app.exit_time.numbers import round_ticks, steps
from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel
from app.tune.watching import Watched

SMOOTH = 12
"""Blocks averaged in the rolling score."""


class ScoreChart(Panel):
    """Log score of each block of rows before it was learnt, and its rolling mean; alarms as lines."""

    name = "tune-score"
    left, right, above, below = 62, 92, 8, 46
    compact_left, compact_right = 44, 74
    x_label = "row t"

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.blocks = ColumnDataSource({"x": [], "y": []})
        dots = plot.scatter("x", "y", source=self.blocks, size=4, line_width=0, fill_alpha=0.35)
        paint(dots.glyph, fill_color="chain")
        self.mean = ColumnDataSource({"x": [], "y": []})
        line = plot.line("x", "y", source=self.mean, line_width=2)
        paint(line.glyph, line_color="chain")
        self.alarms = ColumnDataSource({"x": [], "low": [], "high": []})
        paint(plot.segment("x", "low", "x", "high", source=self.alarms, line_width=2).glyph, line_color="esc")
        self.hover(line, (("row", "@x{0,0}"), ("mean log score", "@y{0.000}")))

    def show(self, watched: Watched) -> None:
        """Draw a rehearsal."""
        t, score = watched.t, watched.score
        known = np.isfinite(score)
        t, score = t[known], score[known]
        self.blocks.data = {"x": t, "y": score}
        if not len(t):
            self.mean.data, self.alarms.data = {"x": [], "y": []}, {"x": [], "low": [], "high": []}
            self.name_ends([], 1.0)
            return
        kernel = min(SMOOTH, len(score))
        rolling = np.convolve(score, np.ones(kernel) / kernel, "valid")
        self.mean.data = {"x": t[kernel - 1:], "y": rolling}
        low, high = float(np.quantile(score, 0.02)), float(score.max())
        low, high = low - 0.1 * (high - low) - 1e-9, high + 0.05 * (high - low) + 1e-9
        self.set_y(low, high, round_ticks(low, high, 5))
        self.set_x(0.0, float(t[-1]), steps(float(t[-1])))
        self.alarms.data = {"x": [at for at, _ in watched.drifts], "low": [low] * len(watched.drifts),
                            "high": [high] * len(watched.drifts)}
        ends = [EndLabel(float(rolling[-1]), f"mean {rolling[-1]:.3f}", "chain", bold=True)]
        if watched.drifts:
            ends.append(EndLabel(high, "drift alarm", "esctx", bold=True))
        self.name_ends(ends, float(t[-1]))


class CalibrationChart(Panel):
    """How often what was foretold came; on the diagonal is honest."""

    name = "tune-calibration"
    left, right, above, below = 46, 60, 8, 46
    compact_left, compact_right = 40, 50

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.x_range.update(start=0.0, end=1.0)
        self.set_y(0.0, 1.0, {0.0: "0", 0.5: "0.5", 1.0: "1"})
        self.set_x(0.0, 1.0, {0.0: "0", 0.5: "0.5", 1.0: "1"})
        honest = ColumnDataSource({"x": [0.0, 1.0], "y": [0.0, 1.0]})
        paint(plot.line("x", "y", source=honest, line_width=1.3, line_dash=[4, 3]).glyph, line_color="ref")
        self.curve = ColumnDataSource({"x": [], "y": []})
        paint(plot.line("x", "y", source=self.curve, line_width=2).glyph, line_color="chain")
        dots = plot.scatter("x", "y", source=self.curve, size=7, line_width=0)
        paint(dots.glyph, fill_color="chain")
        self.hover(dots, (("foretold", "@x{0.00}"), ("came", "@y{0.00}")), "mouse")
        plot.xaxis[0].axis_label = "foretold"

    def show(self, watched: Watched) -> None:
        """Draw a rehearsal."""
        self.curve.data = {"x": watched.foretold, "y": watched.observed}
        self.figure.xaxis[0].axis_label = "foretold probability" if watched.kind == "logistic" else "foretold quantile"
        self.name_ends([EndLabel(1.0, "honest", "ink2")], 1.0)
