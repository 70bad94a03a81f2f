"""Accuracy at the end of each rung against that rung's own target, with what exact draws score."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, Range1d

from app.exit_time.numbers import round_ticks
from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel
from app.offline.ladder import LadderRun, accuracy
from app.offline.words import beta_words


class RungsChart(Panel):
    """Points appear as the animation reaches them; the band is the ceiling, two standard deviations either side."""

    name = "offline-rungs"
    left, right, above, below = 58, 128, 12, 50
    compact_left, compact_right = 44, 104
    x_label = "rung: inverse temperature β"

    def __init__(self, x_range: Range1d) -> None:
        self._known: list[tuple] = []
        self._last = -1
        super().__init__(x_range)

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.band = ColumnDataSource({c: [] for c in ("x", "low", "mean", "high")})
        paint(plot.varea("x", "low", "high", source=self.band, fill_alpha=0.22).glyph, fill_color="ref")
        paint(plot.line("x", "mean", source=self.band, line_width=1.2).glyph, line_color="ref")
        self.points = ColumnDataSource({c: [] for c in ("x", "y", "beta", "ceiling", "width")})
        line = plot.line("x", "y", source=self.points, line_width=2)
        dots = plot.scatter("x", "y", source=self.points, size=7)
        paint(line.glyph, line_color="chain")
        paint(dots.glyph, fill_color="chain", line_color="card")
        self.plain = ColumnDataSource({c: [] for c in ("x", "y")})
        ring = plot.scatter("x", "y", source=self.plain, size=10, line_width=1.8, fill_alpha=0.0)
        paint(ring.glyph, line_color="sgld")
        self.hover(dots, (("β", "@beta"), ("accuracy", "@y{0.000}"), ("exact draws", "@ceiling"),
                          ("width against the target", "@width")), "mouse")
        self.hover(ring, (("β = 1 throughout", "@y{0.000}"),), "mouse")

    def load(self, run: LadderRun) -> None:
        """Score all rungs whose chains and target are known, and set the axes."""
        self._known = []
        for rung in range(min(run.rungs, len(run.truths))):
            found, truth = accuracy(run, rung), run.truths[rung]
            if found is not None:
                end = run.end(rung).astype(float)
                ratio = float(np.sqrt(np.var(end, axis=0, ddof=1) / np.diagonal(truth.covariance)).max())
                self._known.append((rung + 1, found, beta_words(truth.beta),
                                    f"{truth.ceiling:.3f} ± {truth.ceiling_sd:.3f}", f"{ratio:.2f}"))
        truths = run.truths
        x = np.arange(1, len(truths) + 1)
        mean, sd = np.array([t.ceiling for t in truths]), np.array([t.ceiling_sd for t in truths])
        self.band.data = {"x": x, "low": mean - 2 * sd, "mean": mean, "high": mean + 2 * sd}
        self.plain.data = {"x": [run.rungs] if run.plain else [], "y": [run.plain] if run.plain else []}
        values = [row[1] for row in self._known] + ([run.plain] if run.plain else [])
        low = min([*values, *(mean - 2 * sd)], default=0.5)
        top = max([*values, *(mean + 2 * sd)], default=1.0)
        low, top = max(0.0, low - 0.03), min(1.0, top + 0.02)
        self.set_y(low, top, round_ticks(low, top, 4))
        stride = max(1, round(run.rungs / (4 if self.compact else 7)))
        marks = [k for k in range(run.rungs, 0, -stride)]
        self.set_x(0.0, self.x_range.end, {float(k): beta_words(run.betas[k - 1]) for k in reversed(marks)})
        self._plain, self._ceiling = run.plain, float(mean[-1]) if len(mean) == run.rungs else None
        self._last = -1

    def show(self, rung: int) -> None:
        """Show the rungs that have ended by now: `rung` of them."""
        rows = [row for row in self._known if row[0] <= rung]
        if len(rows) != self._last:
            self._last = len(rows)
            self.points.data = dict(zip(("x", "y", "beta", "ceiling", "width"), map(list, zip(*rows, strict=True)),
                                        strict=True)) if rows else {c: [] for c in self.points.data}
            self._name(rows)

    def _name(self, rows: list[tuple]) -> None:
        labels = []
        if self._ceiling is not None:
            labels.append(EndLabel(self._ceiling, f"exact draws {self._ceiling:.3f}", "ink2"))
        if rows:
            labels.append(EndLabel(rows[-1][1], f"chains {rows[-1][1]:.3f}", "chain", bold=True))
        if self._plain:
            labels.append(EndLabel(self._plain, f"no ladder {self._plain:.3f}", "sgldtx"))
        self.name_ends(labels, self.x_range.end)
