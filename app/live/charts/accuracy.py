"""Marginal accuracy against the epoch: an exact sampler's ceiling, what eta0 predicts, the measurement."""

from __future__ import annotations

import math

import numpy as np

from app.live.charts.axis_ticks import fractions
from app.live.charts.time_panel import EndLabel, TimePanel
from app.theme import Paint


class AccuracyPanel(TimePanel):
    """Measured line, prediction dashed, ceiling band of plus or minus two standard deviations."""

    title, short_title = "Marginal accuracy", "Accuracy"
    name, term = "accuracy", "accuracy"
    says = ("Here: of all chains over the last 16 epochs together. The band is the ceiling, what as many exact draws would"
            " score, give or take two standard deviations: inside it a sampler is as good as exact, above its middle by"
            " chance. Dashed: what η₀ predicts.")
    compared = "accuracy"
    height = 150
    above = 16  # the texts of the events; the title stands in the headroom, which their lines cross
    headroom = 24
    hover = (("accuracy", "@accuracy{0.000}"), ("total variation", "@tv{0.000}"),
             ("ceiling", "@ceiling_low{0.000} to @ceiling_high{0.000}"), ("η₀ predicts", "@predicted{0.000}"),
             ("memory of an epoch", "@memory{0.00}"))

    def draw(self, paint: Paint) -> None:  # noqa: D102
        plot, source = self.figure, self.source
        band = plot.varea("t", "ceiling_low", "ceiling_high", source=source, fill_alpha=0.22)
        paint(band.glyph, fill_color="ref")
        dashed = plot.line("t", "predicted", source=source, line_width=1.2, line_dash=[4, 3])
        paint(dashed.glyph, line_color="mode")
        line = plot.line("t", "accuracy", source=source, line_width=2)
        paint(line.glyph, line_color="chain")
        self.add_hover(line)

    def update(self, data: dict[str, np.ndarray], now: int) -> None:  # noqa: D102
        drawn = np.concatenate([data[key] for key in ("accuracy", "ceiling_low", "predicted")])
        lowest = float(np.min(drawn, initial=1.0, where=np.isfinite(drawn)))
        low = max(0.0, min(0.75, math.floor((lowest - 0.03) * 20) / 20))
        self.set_range(low, 1.0, {tick: f"{tick:.1f}" for tick in fractions(low, 1.0)})

    def end_labels(self, data: dict[str, np.ndarray]) -> list[EndLabel]:
        """Return ceiling, measurement and prediction with their last values; nothing before the target is known."""
        if not np.isfinite(data["accuracy"][-1]):
            return []
        ceiling = (data["ceiling_low"][-1] + data["ceiling_high"][-1]) / 2
        return [EndLabel(ceiling, f"ceiling {ceiling:.3f}", "ink2", shift=6),
                EndLabel(data["accuracy"][-1], f"measured {data['accuracy'][-1]:.3f}", "chain", bold=True),
                EndLabel(data["predicted"][-1], f"η₀ predicts {data['predicted'][-1]:.3f}", "ink", shift=-6)]
