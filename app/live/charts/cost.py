"""Gradient evaluations an epoch: ours, flat however many rows there are, against a full-gradient chain's."""

from __future__ import annotations

import numpy as np

from app.live.charts.axis_ticks import decades
from app.live.charts.time_panel import EndLabel, TimePanel
from app.theme import Paint


class CostPanel(TimePanel):
    """Two lines on a logarithmic axis; the lowest panel, which carries the epoch axis of all four."""

    title, short_title = "Cost", "Cost"
    subtitle = "gradient evaluations an epoch, log scale"
    name, term = "cost", "gradient evaluation"
    says = "Here: of one chain in one epoch, refreshes counted, beside as many steps with all t gradients each."
    compared = "cost"
    height = 100
    log = True
    hover = (("this sampler", "@cost{0,0} gradients"), ("full gradient", "@full{0,0} gradients"))

    def draw(self, paint: Paint) -> None:  # noqa: D102
        plot, source = self.figure, self.source
        paint(plot.line("t", "full", source=source, line_width=1.6).glyph, line_color="ref")
        line = plot.line("t", "cost", source=source, line_width=2)
        paint(line.glyph, line_color="chain")
        self.add_hover(line)

    def update(self, data: dict[str, np.ndarray], now: int) -> None:  # noqa: D102
        if len(data["t"]):
            both = np.maximum(np.concatenate([data["cost"], data["full"]]), 1.0)
            low, high = float(both.min()) / 2, float(both.max()) * 1.6
        else:
            low, high = 50.0, 1e5
        high = max(high, 100 * low)
        self.set_range(low, high, decades(low, high))

    def end_labels(self, data: dict[str, np.ndarray]) -> list[EndLabel]:
        """Name both lines with their numbers."""
        return [EndLabel(data["full"][-1], f"full gradient {data['full'][-1]:,.0f}", "ink2"),
                EndLabel(data["cost"][-1], f"this sampler {data['cost'][-1]:,.0f}", "chain", bold=True)]
