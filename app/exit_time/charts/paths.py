"""Squared distances of some eighty chains through one epoch; exits are ringed at the escape line."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, Range1d, TapTool

from app.exit_time.numbers import round_ticks
from app.exit_time.result import Crowd, ExitResult
from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel
from app.theme import FONT

TOP = 1.22
"""Top of the y axis, in units of r (squared)."""


class PathsChart(Panel):
    """`chosen(chain)` is called when a path or a ring is clicked."""

    name = "exit-paths"
    left, right, above, below = 56, 150, 6, 14
    compact_right = 106

    def __init__(self, x_range: Range1d, chosen: Callable[[int], None]) -> None:
        self.squared = True
        self._picture: ExitResult | None = None
        self._drawn: tuple | None = None
        super().__init__(x_range)
        self.y_range.end = TOP
        for source in (self.stayed, self.gone, self.rings):
            source.selected.on_change("indices", self._taker(source, chosen))

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.stayed, self.gone = (ColumnDataSource({key: [] for key in ("xs", "ys", "chain", "words")})
                                  for _ in range(2))
        stayed = plot.multi_line("xs", "ys", source=self.stayed, line_width=0.8, line_alpha=0.3)
        gone = plot.multi_line("xs", "ys", source=self.gone, line_width=1.0, line_alpha=0.7)
        self.escape = ColumnDataSource({"x": [0, 1], "y": [1, 1]})
        paint(plot.line("x", "y", source=self.escape, line_width=2).glyph, line_color="esc")
        self.mean = ColumnDataSource({"x": [], "y": []})
        paint(plot.line("x", "y", source=self.mean, line_width=1.4, line_dash=[4, 3]).glyph, line_color="mode")
        self.picked = ColumnDataSource({"x": [], "y": []})
        paint(plot.line("x", "y", source=self.picked, line_width=2).glyph, line_color="ink")
        self.rings = ColumnDataSource({"x": [], "y": [], "chain": [], "words": []})
        rings = plot.scatter("x", "y", source=self.rings, size=9, line_width=2, level="overlay")
        paint(stayed.glyph, line_color="chain")
        paint(gone.glyph, line_color="esc")
        paint(rings.glyph, line_color="esc", fill_color="card")
        for renderer in (stayed, gone, rings):
            renderer.selection_glyph = renderer.nonselection_glyph = None
        self.one = ColumnDataSource({"x": [0]})
        one = plot.text("x", 1, value("1"), source=self.one, x_offset=-8, text_align="right",
                        text_baseline="middle", text_font=value(FONT), text_font_size="11px",
                        text_font_style="bold", level="overlay")
        paint(one.glyph, text_color="esctx")
        self.hover([stayed, gone, rings], (("chain @chain", "@words"), ("", "click to split it")), "mouse")
        plot.add_tools(TapTool(renderers=[stayed, gone, rings]))

    @staticmethod
    def _taker(source: ColumnDataSource, chosen: Callable[[int], None]) -> Callable:
        def take(attr: str, old: list[int], new: list[int]) -> None:
            if new:
                source.selected.indices = []
                chosen(int(source.data["chain"][new[0]]))

        return take

    def set_squared(self, squared: bool) -> None:
        """Draw squared distances, or distances."""
        self.squared = squared
        if self._picture is not None:
            self.show(self._picture)

    def show(self, picture: ExitResult) -> None:
        """Draw what the picture has; an earlier one stays until there is something."""
        crowd = picture.crowd
        if crowd is None:
            return
        self._picture = picture
        gone = np.flatnonzero(crowd.path_exits)
        key = self.squared, crowd.path_steps.tobytes(), crowd.paths.tobytes()
        if key != self._drawn:  # the crowd begins with the chains of the sketch: their paths are there already
            self._drawn = key
            self.stayed.data = self._paths(crowd, np.flatnonzero(crowd.path_exits == 0))
            self.gone.data = self._paths(crowd, gone)
        self.escape.data = {"x": [0, picture.config.steps], "y": [1, 1]}
        sums = picture.sums
        path = np.empty(0) if sums is None else np.maximum(sums.start + sums.total, 0.0)
        exits, chains, words = crowd.path_exits[gone], gone, self._words(crowd, gone)
        if sums is not None and sums.left:
            path[-1] = 1.0
            if sums.chain not in gone:
                exits, chains = np.append(exits, sums.left), np.append(gone, sums.chain)
                words = [*words, f"left at step {sums.left:,}"]
        self.picked.data = {"x": [] if sums is None else sums.steps, "y": self._scaled(path)}
        self.rings.data = {"x": exits, "y": np.ones(exits.size), "chain": chains, "words": words}
        self._name(picture, crowd)

    def _paths(self, crowd: Crowd, chains: np.ndarray) -> dict:
        xs, ys = [], []
        for k in chains:
            row, left = crowd.paths[k], int(crowd.path_exits[k])
            known = np.isfinite(row)
            x, y = crowd.path_steps[known], row[known]
            if left:
                x, y = np.append(x, left), np.append(y, 1.0)
            xs.append(x.astype(np.float32))
            ys.append(self._scaled(y).astype(np.float32))
        return {"xs": xs, "ys": ys, "chain": chains, "words": self._words(crowd, chains)}

    @staticmethod
    def _words(crowd: Crowd, chains: np.ndarray) -> list[str]:
        return [f"left at step {crowd.path_exits[k]:,}" if crowd.path_exits[k] else "stays" for k in chains]

    def _scaled(self, squares: np.ndarray) -> np.ndarray:
        return squares if self.squared else np.sqrt(squares)

    def _name(self, picture: ExitResult, crowd: Crowd) -> None:
        config, n = picture.config, picture.config.steps
        self.set_y(0.0, TOP, {tick: text for tick, text in round_ticks(0.0, 1.0, 4).items() if tick < 0.99})
        x = np.linspace(0.0, n, 60)
        start = float(np.mean(crowd.paths[:, 0])) if len(crowd.paths) else 0.0
        lifted = start + 2 * config.step_size * config.dim * x / config.radius**2
        inside = self._scaled(lifted) <= TOP
        self.mean.data = {"x": x[inside], "y": self._scaled(lifted)[inside]}
        short = self.compact
        what = "2ηd a step" if self.squared else "(root of the mean square)"
        noise = f"noise alone lifts the\nmean by {what}" if self.squared else f"noise alone lifts it\n{what}"
        symbol = "r²" if self.squared else "r"
        gone = int((crowd.path_exits > 0).sum())
        paths = len(crowd.paths)
        labels = [
            EndLabel(1.0, f"escape line {symbol}", "esctx", bold=True),
            EndLabel(1.0, f"○ {'exits' if short else 'first exit of a chain'}", "esctx", shift=16),
            EndLabel(min(float(self._scaled(lifted[-1])), TOP), "2ηd a step" if short else noise, "ink"),
            EndLabel(0.2, f"{paths} of {crowd.chains:,}" if short else f"{paths} of the {crowd.chains:,} chains,\n"
                     f"{gone or 'none'} of these leave", "chain")]
        self.name_ends(labels, n)
