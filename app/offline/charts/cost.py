"""Gradient evaluations of one chain so far: Algorithm 3 beside as many steps with all gradients."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, Range1d

from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel
from app.offline.charts.scale import ticks
from app.offline.ladder import LadderRun

SO_FAR = ("x", "ours", "full")


class CostChart(Panel):
    """Drawn so far in full colour, the rest of the run pale; the axis is logarithmic by its words."""

    name = "offline-cost"
    left, right, above, below = 58, 128, 8, 12
    compact_left, compact_right = 44, 104

    def __init__(self, x_range: Range1d) -> None:
        self._drawn: tuple | None = None
        self._ends: tuple = ()
        super().__init__(x_range)
        self.figure.xaxis[0].visible = False

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        columns = ("x", "ours", "full", "a", "b", "rung")
        self.whole = ColumnDataSource({c: [] for c in columns})
        self.so_far = ColumnDataSource({c: [] for c in SO_FAR})
        self.now = ColumnDataSource({"x": [], "y": []})
        for source, alpha in ((self.whole, 0.25), (self.so_far, 1.0)):
            full = plot.line("x", "full", source=source, line_width=1.8, line_dash=[4, 3], line_alpha=alpha)
            ours = plot.line("x", "ours", source=source, line_width=2.4, line_alpha=alpha)
            paint(full.glyph, line_color="ref")
            paint(ours.glyph, line_color="chain")
            if source is self.whole:
                self.hover(ours, (("rung", "@rung"), ("this sampler", "@a{0,0}"), ("full gradient", "@b{0,0}")))
        dot = plot.scatter("x", "y", source=self.now, size=8, line_width=1.5, level="overlay")
        paint(dot.glyph, fill_color="chain", line_color="card")

    def load(self, run: LadderRun) -> None:
        """Draw the axes and the whole run, pale."""
        config, f = run.config, run.per_rung
        frames = np.arange(run.total + 1)
        rung = np.minimum(np.maximum(np.ceil(frames / f) - 1, 0), run.rungs - 1)
        inside = frames - rung * f
        steps = (config.i_max * inside) // f
        ours = np.where(frames > 0, (rung + 1) * config.terms, 0) + config.batch_size * (config.i_max * rung + steps)
        full = config.terms * (config.i_max * rung + steps)
        low = max(1.0, min(float(config.terms), float(config.terms * max(1, config.i_max // f))))
        high = float(max(ours[-1], full[-1])) * 1.4
        log = np.log10(np.maximum(np.stack([ours, full]), low * 0.7))
        self._data = {"x": frames / f, "ours": log[0], "full": log[1], "a": ours, "b": full,
                      "rung": [f"{int(r) + 1} of {run.rungs}" for r in rung]}
        self.whole.data = self._data
        self.set_y(np.log10(low * 0.7), np.log10(high), ticks(low, high, True, 4))
        self._ends = (int(ours[-1]), int(full[-1]), float(log[0][-1]), float(log[1][-1]))
        self._name()

    def show(self, frame: int) -> None:
        """Draw what has been spent at a frame."""
        data = {key: self._data[key][:frame + 1] for key in SO_FAR}
        self.so_far.data = data
        self.now.data = {"x": data["x"][-1:], "y": data["ours"][-1:]}

    def _name(self) -> None:
        if self._ends:
            ours, full, at, above = self._ends
            self.name_ends([EndLabel(at, f"Algorithm 3\n{ours:,}", "chain", bold=True),
                            EndLabel(above, f"full gradient\n{full:,}", "ink2")], self.x_range.end)
