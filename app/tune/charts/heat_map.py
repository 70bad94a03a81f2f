"""Accuracy of every setting: measured in the cells, predicted as lines, brackets over it, costs beside it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, TapTool

from app.live.charts.panel import Panel
from app.theme import FONT, tokens
from app.tune.bands import bands
from app.tune.charts import contours
from app.tune.charts.cells import cell_columns
from app.tune.charts.labels import step_words
from app.tune.picture import Key, TunePicture

CELLS = ("x", "y", "fill", "edge", "dash", "text", "ink", "size", "hatch", "i", "j", "state", "eta0", "i_max", "b",
         "measured", "predicted", "ceiling", "width", "memory", "resets", "cost", "said")
_TOKENS = {"cold": "cold", "safe": "ok", "hot": "hot"}


class HeatMap(Panel):
    """`chosen(eta0, i_max, b)` is called when a cell is clicked."""

    name = "tune-map"
    left, right, above, below = 62, 84, 66, 44
    compact_left, compact_right = 34, 46

    def __init__(self, chosen: Callable[[Key], None]) -> None:
        self._chosen, self._picture, self._batch = chosen, None, 0
        self.room = 560.0  #: width of the frame, pixels
        super().__init__()
        self.cells.selected.on_change("indices", self._take)

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        plot.xaxis.visible = plot.yaxis.visible = False
        plot.ygrid.visible = False
        self.cells = ColumnDataSource({key: [] for key in CELLS})
        cells = plot.rect("x", "y", 0.96, 0.96, source=self.cells, fill_color="fill", line_color="edge", line_dash="dash",
                          line_width=1, border_radius=3, hatch_pattern="hatch", hatch_alpha=0.2, hatch_scale=8,
                          hatch_weight=1)
        paint(cells.glyph, hatch_color="ink2")
        cells.selection_glyph = cells.nonselection_glyph = None
        self.notches = ColumnDataSource({"xs": [], "ys": []})
        paint(plot.patches("xs", "ys", source=self.notches, line_color=None, fill_alpha=0.95).glyph, fill_color="card")
        self.lines = ColumnDataSource({"xs": [], "ys": []})
        paint(plot.multi_line("xs", "ys", source=self.lines, line_width=1.5).glyph, line_color="mode")
        self.digits = plot.text("x", "y", "text", source=self.cells, text_align="center", text_baseline="middle",
                                text_font=value(FONT), text_font_size="size", text_color="ink",
                                background_fill_color="fill", background_fill_alpha=0.85)
        self.levels = self._texts("middle", size="11.5px", style="bold", align="center", color="ink")
        paint(self.levels[1].glyph, background_fill_color="card", text_color="ink")
        self.levels[1].glyph.update(padding=2, border_radius=3)
        self.ring = ColumnDataSource({"x": [], "y": []})
        paint(plot.rect("x", "y", 1.02, 1.02, source=self.ring, fill_alpha=0, line_width=3, border_radius=5,
                        level="overlay").glyph, line_color="esc")
        self.best = ColumnDataSource({"x": [], "y": []})
        paint(plot.scatter("x", "y", source=self.best, size=7, marker="star", level="overlay", line_width=0).glyph,
              fill_color="esc")
        self.brackets = ColumnDataSource({"xs": [], "ys": [], "color": []})
        plot.multi_line("xs", "ys", source=self.brackets, line_color="color", line_width=1.3, level="overlay")
        self.sides = self._texts("middle")
        self.heads = self._texts("bottom")
        self.hover(cells, (
            ("η₀, i_max, b", "@eta0, @i_max, @b"), ("measured", "@measured"), ("the formula says", "@predicted"),
            ("ceiling", "@ceiling"), ("width ÷ target", "@width"), ("memory", "@memory"), ("resets", "@resets"),
            ("gradients an epoch", "@cost"), ("", "@said")), "mouse")
        plot.add_tools(TapTool(renderers=[cells]))

    def _texts(self, baseline: str, size: str = "11px", style: str = "style", align: str = "align",
               color: str = "color") -> tuple:
        source = ColumnDataSource({key: [] for key in ("x", "y", "text", "dx", "dy", "align", "color", "style", "size")})
        styles = {"text_font_style": value(style) if style != "style" else "style",
                  "text_align": value(align) if align != "align" else "align",
                  "text_font_size": value(size) if baseline == "middle" and size != "11px" else "size"}
        drawn = self.figure.text("x", "y", "text", source=source, x_offset="dx", y_offset="dy", text_font=value(FONT),
                                 text_baseline=baseline, level="overlay",
                                 **({"text_color": "color"} if color == "color" else {}), **styles)
        return source, drawn

    def _take(self, attr: str, old: list[int], new: list[int]) -> None:
        if new and self._picture is not None:
            data = self.cells.data
            at = int(data["i"][new[0]]), int(data["j"][new[0]])
            self.cells.selected.indices = []
            config = self._picture.config
            self._chosen((config.etas[at[0]], config.lengths[at[1]], self._batch))

    def show(self, picture: TunePicture, batch: int) -> None:
        """Draw the cells of one b."""
        self._picture, self._batch = picture, batch
        etas, lengths = picture.config.etas, picture.config.lengths
        n, m = len(etas), len(lengths)
        if (self.x_range.end, self.y_range.end) != (n, m):
            self.x_range.update(start=0.0, end=float(n))
            self.y_range.update(start=0.0, end=float(m))
        columns = cell_columns(picture, batch, self.dark, self.compact)
        self.cells.data = columns
        notched = [(i, j) for i, j, state, memory in zip(columns["i"], columns["j"], columns["state"],
                                                         columns["remembered"], strict=True)
                   if state not in ("waiting", "diverged") and memory > 0.5]
        cut = 0.24
        self.notches.data = {"xs": [[i + 0.02, i + 0.02, i + cut] for i, _ in notched],
                             "ys": [[j + cut, j + 0.02, j + 0.02] for _, j in notched]}
        self._show_contours(picture, batch, n, m)
        self._show_choice(picture, batch)

    def _show_contours(self, picture: TunePicture, batch: int, n: int, m: int) -> None:
        seen, etas = picture.foresight, picture.config.etas
        x = columns_of(seen.etas, etas)
        y = np.interp(np.log(seen.lengths), np.log(picture.config.lengths), np.arange(m) + 0.5)
        xs, ys, at, words, taken = [], [], [], [], []
        for level in contours.levels(seen.ceiling):
            for line in contours.lines(seen.surface[batch], x, y, level):
                xs.append(line[:, 0])
                ys.append(line[:, 1])
                place = contours.label_at(line, taken, n, m)
                if place is not None:
                    taken.append(place)
                    at.append(place)
                    words.append(f"{level:.2f}".removeprefix("0"))
        self.lines.data = {"xs": xs, "ys": ys}
        k = len(at)
        self.levels[0].data = {"x": [a for a, _ in at], "y": [b for _, b in at], "text": words, "dx": [0] * k,
                               "dy": [0] * k, "align": ["center"] * k, "color": ["#000"] * k, "style": ["bold"] * k,
                               "size": ["11.5px"] * k}

    def _show_choice(self, picture: TunePicture, batch: int) -> None:
        """Ring, sides, brackets: what depends on the cell looked at."""
        config, key = picture.config, picture.looked_at
        etas, lengths = config.etas, config.lengths
        i, j = etas.index(key[0]), lengths.index(key[1])
        here = key[2] == batch
        self.ring.data = {"x": [i + 0.5] if here else [], "y": [j + 0.5] if here else []}
        best = picture.best_key
        mark = best is not None and best[2] == batch
        self.best.data = {"x": [etas.index(best[0]) + 0.86] if mark else [],
                          "y": [lengths.index(best[1]) + 0.83] if mark else []}
        self._show_sides(picture, batch, i, j)
        self._show_brackets(picture, batch, lengths[j])

    def _show_sides(self, picture: TunePicture, batch: int, i: int, j: int) -> None:
        palette, config = tokens(self.dark), picture.config
        rows: list[tuple] = []
        every = 1 if not self.compact or len(config.etas) < 9 else 2
        size = "10px" if self.compact else "11px"

        def add(x: float, y: float, text: str, dx: int, dy: int, align: str, bold: bool) -> None:
            rows.append((x, y, text, dx, dy, align, palette["ink" if bold else "ink2"], "bold" if bold else "normal", size))

        for k, eta0 in enumerate(config.etas):
            if k % every == 0 or k == i:
                add(k + 0.5, 0, step_words(eta0), 0, 14, "center", k == i)
        for k, length in enumerate(config.lengths):
            add(0, k + 0.5, f"{length:,}", -9, 0, "right", k == j)
            costs = [picture.cells[key].cost for key in picture.cells if key[1] == length and key[2] == batch]
            cost = float(np.median(costs)) if costs else picture.foresight.cells[config.etas[0], length, batch].cost
            add(len(config.etas), k + 0.5, f"{cost:,.0f}", 10, 0, "left", k == j)
        add(len(config.etas) / 2, 0, "step size η₀, log scale", 0, 33, "center", False)
        self.sides[0].data = self._columns(rows)

    def _show_brackets(self, picture: TunePicture, batch: int, length: int) -> None:
        palette, n, m = tokens(self.dark), len(picture.config.etas), len(picture.config.lengths)
        pixel = m / max(self.frame, 1.0)
        lines: dict[str, list] = {"xs": [], "ys": [], "color": []}
        heads: list[tuple] = []
        for band in bands(picture, length, batch):
            a, b = band.first + 0.07, band.last - 0.07
            colour = palette[_TOKENS[band.kind]]
            lines["xs"].append([a, a, b, b])
            lines["ys"].append([m + 8 * pixel, m + 14 * pixel, m + 14 * pixel, m + 8 * pixel])
            lines["color"].append(colour)
            wide = band.last - band.first
            room = wide * self.room / n
            full = not self.compact and room > 5.1 * len(band.words)
            heads.append(((a + b) / 2, m, band.title, 0, -18 if self.compact else -32, "center", colour, "bold",
                          "12.5px" if room > 55 else "10.5px"))
            if full:
                heads.append(((a + b) / 2, m, band.words, 0, -18, "center", palette["ink2"], "normal", "11.5px"))
        ink = palette["ink2"]
        heads.append((0, m, "i_max", -6 if self.compact else -9, -4, "right", ink, "normal",
                      "9px" if self.compact else "11px"))
        words = ("gradients", "an epoch") if not self.compact else ("grad.", "")
        heads.append((n, m, words[0], 10, -18 if words[1] else -4, "left", ink, "normal", "11px"))
        heads.append((n, m, words[1], 10, -4, "left", ink, "normal", "11px"))
        self.brackets.data = lines
        self.heads[0].data = self._columns(heads)

    @staticmethod
    def _columns(rows: list[tuple]) -> dict:
        names = ("x", "y", "text", "dx", "dy", "align", "color", "style", "size")
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    def resize(self, height: float, compact: bool) -> None:
        """Set the height of the whole figure, pixels; a phone needs no second line over the brackets."""
        self.above = 40 if compact else 66
        self.figure.min_border_top = self.above
        super().resize(height, compact)

    def restyle(self, dark: bool) -> None:
        """Repaint for the dark or the light theme."""
        super().restyle(dark)
        if self._picture is not None:
            self.show(self._picture, self._batch)


def columns_of(values: np.ndarray, columns: tuple[float, ...]) -> np.ndarray:
    """Return where values lie among columns on a logarithmic scale; the middle of column i is i + 1/2."""
    if len(columns) == 1:
        return 0.5 + np.log(values / columns[0])
    logs, at = np.log(columns), np.arange(len(columns)) + 0.5
    x = np.interp(np.log(values), logs, at)
    before, after = np.log(values) < logs[0], np.log(values) > logs[-1]
    x[before] = at[0] + (np.log(values[before]) - logs[0]) / (logs[1] - logs[0])
    x[after] = at[-1] + (np.log(values[after]) - logs[-1]) / (logs[-1] - logs[-2])
    return x
