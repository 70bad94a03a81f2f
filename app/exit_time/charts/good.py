"""Share of Live's chains that have kept to the good events so far, against the epoch."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource

from app.exit_time.good_events import GoodEventsSoFar
from app.exit_time.numbers import share
from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel
from app.live.charts.ticks import epochs


class GoodChart(Panel):
    """Orange: G_t. Green diamonds: H_t at powers of two."""

    name = "exit-good"
    left, right, above, below = 46, 84, 8, 48
    x_label = "epoch t of the Live run, log scale"
    x_log = True

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.escape = ColumnDataSource({"x": [], "y": []})
        self.reset = ColumnDataSource({"x": [], "y": []})
        line = plot.step("x", "y", source=self.escape, line_width=2, mode="after")
        paint(line.glyph, line_color="esc")
        paint(plot.step("x", "y", source=self.reset, line_width=1.2, line_dash=[6, 4], mode="after").glyph,
              line_color="acc")
        marks = plot.scatter("x", "y", source=self.reset, marker="diamond", size=9, line_width=1.4)
        paint(marks.glyph, line_color="acc", fill_color="card")
        self.hover(line, (("epoch", "@x{0,0}"), ("chains with G<sub>t</sub>", "@y{0.000}")))
        self.hover(marks, (("epoch", "@x{0,0}"), ("chains with H<sub>t</sub>", "@y{0.000}")), "mouse")

    def show(self, found: GoodEventsSoFar) -> None:
        """Draw both shares."""
        t = float(found.epochs[-1])
        self.escape.data = {"x": found.epochs, "y": found.escape}
        known = found.reset is not None
        x = np.append(found.reset_epochs, t) if known else []
        self.reset.data = {"x": x, "y": np.append(found.reset, found.reset[-1]) if known else []}
        self.set_y(0.0, 1.04, {0.0: "0", 0.25: "0.25", 0.5: "0.5", 0.75: "0.75", 1.0: "1"})
        end = max(t, 2.0)
        self.set_x(1.0, end, {float(e): f"{e:,}" for e in epochs(1.0, end, 5)})
        labels = [EndLabel(found.escape[-1], f"Gₜ {share(found.escape[-1])}", "esctx", bold=True)]
        if known:
            labels.append(EndLabel(found.reset[-1], f"Hₜ {share(found.reset[-1])}", "acctx", bold=True))
        self.name_ends(labels, end)
