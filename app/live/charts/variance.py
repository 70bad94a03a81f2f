"""Variance of the gradient, E||g - grad F||^2: with the cache (SAGA), without (SGLD), and a bound."""

from __future__ import annotations

import numpy as np

from app.live.charts.axis_ticks import decades
from app.live.charts.time_panel import EndLabel, TimePanel
from app.theme import Paint

LEVEL = 0.25
"""Power of t up to which a line counts as level."""


class VariancePanel(TimePanel):
    """Three lines on a logarithmic axis; the bound is Lemma 6.2's."""

    title, short_title = "Gradient variance", "Variance"
    subtitle = "E‖g − ∇F‖², log scale"
    name, term = "variance", "gradient variance"
    says = ("Here: at the followed chain, with the cache (SAGA), without it (SGLD), and by Lemma 6.2. The chain's own noise"
            " covers what grows as t, since its steps shrink like 1/t.")
    compared = "saga"
    height = 150
    log = True
    hover = (("SAGA", "@saga{0.00 a}"), ("bound, Lemma 6.2", "@bound{0.00 a}"), ("SGLD", "@sgld{0.00 a}"))

    def draw(self, paint: Paint) -> None:  # noqa: D102
        plot, source = self.figure, self.source
        paint(plot.line("t", "sgld", source=source, line_width=1.8).glyph, line_color="sgld")
        bound = plot.line("t", "bound", source=source, line_width=1.3, line_dash=[5, 4])
        paint(bound.glyph, line_color="bound")
        line = plot.line("t", "saga", source=source, line_width=2)
        paint(line.glyph, line_color="chain")
        self.add_hover(line)

    def update(self, data: dict[str, np.ndarray], now: int) -> None:  # noqa: D102
        known = np.concatenate([data[key] for key in ("saga", "sgld", "bound")])
        known = known[np.isfinite(known) & (known > 0)]
        low, high = (float(known.min()) / 2, float(known.max()) * 2) if known.size else (0.1, 1e5)
        self.set_range(low, max(high, 100 * low), decades(low, max(high, 100 * low)))

    def end_labels(self, data: dict[str, np.ndarray], reduced: bool = True,
                   plain: bool = True) -> list[EndLabel]:
        """Name the lines that have a value; the estimator in use is bold. A metric grows as t, so it takes one t off."""
        grows, steady = ("grows as t²", "grows as t") if plain else ("grows as t", _trend(data["t"], data["saga"]))
        labels = [EndLabel(data["sgld"][-1], f"SGLD {grows}", "sgldtx", bold=not reduced),
                  EndLabel(data["bound"][-1], "bound, Lemma 6.2", "bound"),
                  EndLabel(data["saga"][-1], f"SAGA {steady}" if reduced else "SAGA, if on", "chain",
                           bold=reduced)]
        return [label for label in labels if np.isfinite(label.value)]


def _trend(t: np.ndarray, value: np.ndarray) -> str:
    """Say whether a line rises, over the last factor of four in t."""
    known = np.isfinite(value) & (value > 0) & (t >= t[-1] / 4)
    if known.sum() < 3:
        return ""
    slope = np.polyfit(np.log(t[known]), np.log(value[known]), 1)[0]
    return "stays level" if slope < LEVEL else "still rises"
