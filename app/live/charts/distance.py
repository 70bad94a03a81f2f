"""Squared distance of the chains to the mode, in units of the squared escape distance r^2 = R^2/(t + c)."""

from __future__ import annotations

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, Span

from app.live.charts.time_panel import EndLabel, TimePanel
from app.theme import FONT, Paint

TOPS = (1.6, *(factor * 10.0**k for k in range(7) for factor in (4, 8, 20)))
"""Upper ends of the axis: the first that leaves a fifth of it free above 95 % of the chains."""
ONE_APART = 12
"""Pixels that the escape line must be above zero for its own tick."""


class DistancePanel(TimePanel):
    """Median, 95 % quantile as a filled band, the farthest chain, the escape line at 1, a ring an exit."""

    title, short_title = "Squared distance to the mode", "Distance"
    subtitle = "in units of r² = R²/(t + c)"
    name, term = "distance", "squared distance"
    says = "Here: over r², so that the escape ball is the line at 1. An epoch's farthest step counts; a ring is an exit."
    compared = "q95"
    height = 146
    hover = (("median", "@median{0.000} r²"), ("95 % of chains within", "@q95{0.000} r²"),
             ("farthest", "@farthest{0.00} r²"))

    def draw(self, paint: Paint) -> None:  # noqa: D102
        plot, source = self.figure, self.source
        self.exits = ColumnDataSource({"t": [], "value": []})
        paint(plot.varea("t", 0, "q95", source=source, fill_alpha=0.17).glyph, fill_color="chain")
        farthest = plot.line("t", "farthest", source=source, line_width=0.9, line_alpha=0.7)
        paint(farthest.glyph, line_color="chain")
        line = plot.line("t", "median", source=source, line_width=1.7)
        paint(line.glyph, line_color="chain")
        escape = Span(location=1, dimension="width", line_width=1.6)
        paint(escape, line_color="esc")
        plot.add_layout(escape)
        rings = plot.scatter("t", "value", source=self.exits, size=6, line_width=1.2, fill_alpha=0)
        paint(rings.glyph, line_color="esc")
        self.one = ColumnDataSource({"x": [1.0]})
        one = plot.text("x", 1, value("1"), source=self.one, x_offset=-8, text_align="right",
                        text_baseline="middle", text_font=value(FONT), text_font_size="11px",
                        text_font_style="bold", level="overlay")
        paint(one.glyph, text_color="esctx")
        self.add_hover(line)
        self.top = 1.6

    def update(self, data: dict[str, np.ndarray], now: int) -> None:  # noqa: D102
        worst = float(np.max(data["q95"])) if len(data["t"]) else 0.0
        self.top = next((top for top in TOPS if worst <= 0.8 * top), TOPS[-1])
        stride = self.top / 4 if self.top > TOPS[0] else 0.5
        ticks = [k * stride for k in range(int(self.top / stride) + 1)]
        self.set_range(0.0, self.top, {tick: f"{tick:,.3g}" for tick in ticks if tick != 1})
        apart = self.pixel(1.0) > ONE_APART
        start = [self.figure.x_range.start] if apart else []
        if list(self.one.data["x"]) != start:
            self.one.data = {"x": start}

    def set_exits(self, t: np.ndarray, value: np.ndarray) -> None:
        """Mark the exits; those above the frame sit at its upper edge."""
        self.exits.data = {"t": np.asarray(t, np.float32),
                           "value": np.minimum(value, self.top * 0.975).astype(np.float32)}

    def end_labels(self, data: dict[str, np.ndarray], chains: int = 64) -> list[EndLabel]:
        """Name every line at its right end."""
        return [EndLabel(1.0, "escape line r²", "esctx", bold=True),
                EndLabel(1.0, "○ exits", "esctx", shift=18),
                EndLabel(data["farthest"][-1], f"farthest of {chains}", "chain"),
                EndLabel(data["q95"][-1], "95 % of chains", "chain"),
                EndLabel(data["median"][-1], "median", "chain", bold=True)]
