"""Accuracy along one row of the map: measured as dots, predicted as a line that needs no sweep."""

from __future__ import annotations

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, TapTool

from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel
from app.live.charts.ticks import fractions
from app.theme import FONT, tokens
from app.tune.charts.labels import step_words
from app.tune.picture import TunePicture

DOTS = ("x", "y", "low", "high", "size", "whole", "predicted", "said")


class SliceChart(Panel):
    """The row of the cell looked at; a click on a dot looks at its cell."""

    name = "tune-slice"
    left, right, above, below = 62, 84, 6, 44
    compact_left, compact_right = 34, 74
    x_log = True
    x_label = "step size η₀, log scale"

    def __init__(self, chosen) -> None:
        self._chosen, self._picture = chosen, None
        super().__init__()
        self.dots.selected.on_change("indices", self._take)

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.ceiling = ColumnDataSource({"left": [], "right": [], "bottom": [], "top": []})
        paint(plot.quad("left", "right", "bottom", "top", source=self.ceiling, fill_alpha=0.22, line_color=None).glyph,
              fill_color="ref")
        self.said = ColumnDataSource({"x": [], "y": []})
        line = plot.line("x", "y", source=self.said, line_width=1.3, line_dash=[4, 3])
        paint(line.glyph, line_color="mode")
        self.dots = ColumnDataSource({key: [] for key in DOTS})
        bars = plot.segment("x", "low", "x", "high", source=self.dots, line_width=1.2, line_alpha=0.6)
        paint(bars.glyph, line_color="chain")
        dots = plot.scatter("x", "y", size="size", source=self.dots, line_width=1.4, fill_alpha="whole")
        paint(dots.glyph, fill_color="chain", line_color="chain")
        for renderer in (dots, bars):
            renderer.selection_glyph = renderer.nonselection_glyph = None
        self.ring = ColumnDataSource({"x": [], "y": []})
        paint(plot.scatter("x", "y", source=self.ring, size=11, line_width=2.5).glyph, line_color="esc", fill_color="chain")
        self.names = ColumnDataSource({"x": [], "y": [], "text": []})
        plot.text("x", "y", "text", source=self.names, text_font=value(FONT), text_font_size="11.5px", x_offset=9,
                  text_baseline="middle", text_color="color", text_font_style="style", level="overlay")
        self.names.data = {"x": [], "y": [], "text": [], "color": [], "style": []}
        self.hover(dots, (("η₀", "@x"), ("measured", "@y{0.000}"), ("the formula says", "@predicted"), ("", "@said")),
                   "mouse")
        plot.add_tools(TapTool(renderers=[dots]))

    def _take(self, attr: str, old: list[int], new: list[int]) -> None:
        if new and self._picture is not None:
            eta0 = self.dots.data["x"][new[0]]
            self.dots.selected.indices = []
            _, length, batch = self._picture.looked_at
            self._chosen((eta0, length, batch))

    def show(self, picture: TunePicture) -> None:
        """Draw the row of the cell looked at."""
        self._picture = picture
        config, (eta0, length, batch) = picture.config, picture.looked_at
        seen, etas = picture.foresight, config.etas
        row = seen.surface[batch][int(np.searchsorted(seen.lengths, length))]
        cells = [picture.cell((e, length, batch)) for e in etas]
        run = [(e, c) for e, c in zip(etas, cells, strict=True) if c is not None and c.diverged is None]
        tops = [c.ceiling for _, c in run] or [seen.ceiling]
        sd = max([c.ceiling_sd for _, c in run], default=0.005)
        ceiling = tops[-1] if len(set(tops)) == 1 else max(tops)
        low, high = max(0.0, ceiling - 0.25), min(1.0, ceiling + max(0.015, 3 * sd))
        half = (etas[1] / etas[0]) ** 0.5 if len(etas) > 1 else 1.2
        start, end = etas[0] / half, etas[-1] * half
        every = 2 if len(etas) > 8 or self.compact else 1
        self.set_x(start, end, {e: step_words(e) for e in etas[::every]})
        self.set_y(low, high, {v: f"{v:g}" for v in fractions(low, high)})
        self.ceiling.data = {"left": [start], "right": [end], "bottom": [ceiling - 2 * sd], "top": [ceiling + 2 * sd]}
        shown = np.where(row >= low - 0.05, row, np.nan)
        self.said.data = {"x": seen.etas, "y": shown}
        visible = [(e, c) for e, c in run if c.accuracy >= low]
        self.dots.data = {
            "x": [e for e, _ in visible], "y": [c.accuracy for _, c in visible],
            "low": [c.accuracy - 2 * c.ceiling_sd for _, c in visible],
            "high": [c.accuracy + 2 * c.ceiling_sd for _, c in visible], "size": [8 for _ in visible],
            "whole": [float(picture.state((e, length, batch)) == "done") for e, _ in visible],
            "predicted": [f"{seen.cells[e, length, batch].accuracy:.3f}" for e, _ in visible],
            "said": ["" if picture.state((e, length, batch)) == "done" else f"at {c.rows:,} rows" for e, c in visible]}
        here = [(e, c) for e, c in visible if e == eta0]
        self.ring.data = {"x": [e for e, _ in here], "y": [c.accuracy for _, c in here]}
        self._name(visible, shown, ceiling, end, tokens(self.dark))

    def _name(self, visible: list, said: np.ndarray, ceiling: float, end: float, palette: dict) -> None:
        self.name_ends([EndLabel(ceiling, f"ceiling {ceiling:.3f}", "ink2")], end)
        rows = []
        if visible:
            e, c = visible[-1]
            low = 0.028 if c.accuracy > ceiling - 0.03 else 0.0  # out of the band and off the dashed line
            rows.append((e, c.accuracy - low, "measured", palette["chain"], "bold"))
        known = np.flatnonzero(np.isfinite(said))
        if known.size:
            k = known[int(np.abs(said[known] - (ceiling - 0.07)).argmin())]
            rows.append((self._picture.foresight.etas[k], said[k], "predicted", palette["ink"], "normal"))
        if len(rows) == 2 and abs(rows[0][1] - rows[1][1]) < 0.03 and abs(np.log(rows[0][0] / rows[1][0])) < 1:
            e, at, *rest = rows[1]
            rows[1] = (e, rows[0][1] - 0.035, *rest)
        names = ("x", "y", "text", "color", "style")
        self.names.data = {name: [row[k] for row in rows] for k, name in enumerate(names)}

    def restyle(self, dark: bool) -> None:
        """Repaint for the dark or the light theme."""
        super().restyle(dark)
        if self._picture is not None:
            self.show(self._picture)
