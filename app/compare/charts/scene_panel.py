"""The Bokeh figure that draws any scene of the page."""

from __future__ import annotations

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource

from app.compare.charts.placing import place_names
from app.compare.charts.scene import Scene
from app.live.charts.panel import Panel
from app.theme import FONT, tokens

MARKERS = {"circle": ("circle", 5.0), "ring": ("circle", 10.0), "diamond": ("diamond", 14.0)}
"""Marker of a trace -> Bokeh's, and its size."""
HIDDEN = -1e9  #: where a band stands that is not there


class ScenePanel(Panel):
    """Lines, points, a band, dotted verticals, names beside the lines and labels at the right end."""

    above, below = 10, 50
    compact_right = 82

    def __init__(self, name: str, left: int = 60, right: int = 136) -> None:
        self.name, self.left, self.right = name, left, right
        self.compact_left = min(left, 104)
        self.scene: Scene | None = None
        self.width = 900.0  #: of the whole figure, pixels
        super().__init__()

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        empty = {key: [] for key in ("xs", "ys", "color", "dash", "width", "alpha")}
        self.band = ColumnDataSource({"left": [], "right": [], "low": [], "high": []})
        self.thin = ColumnDataSource({key: [] for key in ("x0", "y0", "x1", "y1")})
        self.uprights = ColumnDataSource({key: [] for key in ("x", "low", "high", "text")})
        self.lines = ColumnDataSource(empty)
        self.points = ColumnDataSource({key: [] for key in (
            "x", "y", "color", "fill", "marker", "size", "line", "name", "first", "second")})
        self.names = ColumnDataSource({key: [] for key in ("x", "y", "text", "color", "align", "style", "back")})
        paint(plot.quad("left", "right", "high", "low", source=self.band, fill_alpha=0.35, line_color=None).glyph,
              fill_color="ref")
        paint(plot.segment("x0", "y0", "x1", "y1", source=self.thin, line_width=1.1, line_dash=[2, 3]).glyph,
              line_color="ref")
        paint(plot.segment("x", "low", "x", "high", source=self.uprights, line_width=1, line_dash=[1, 4]).glyph,
              line_color="ref")
        paint(plot.text("x", "low", "text", source=self.uprights, x_offset=6, y_offset=-10, text_font=value(FONT),
                        text_font_size="11.5px", text_baseline="bottom").glyph, text_color="ink2")
        plot.multi_line("xs", "ys", source=self.lines, line_color="color", line_width="width", line_dash="dash",
                        line_alpha="alpha", line_join="round")
        points = plot.scatter("x", "y", source=self.points, marker="marker", size="size", line_color="color",
                              fill_color="fill", line_width="line")
        self.hover(points, (("", "@name"), ("@heads", "@first"), ("", "@second")), mode="mouse")
        tool = plot.tools[-1]
        tool.tooltips = (f'<div style="font:12px {FONT};color:#1b232d"><b>@name</b><br>@first<br>@second</div>')
        plot.text("x", "y", "text", source=self.names, text_color="color", text_align="align", text_font=value(FONT),
                  text_baseline="middle", text_font_size="12.5px", text_font_style="style",
                  background_fill_color="back", background_fill_alpha=0.78)

    def show(self, scene: Scene) -> None:
        """Draw a scene."""
        self.scene = scene
        self.set_x(scene.x.low, scene.x.high, scene.x.ticks)
        self.set_y(scene.y.low, scene.y.high, scene.y.ticks)
        for axis, words in ((self.figure.xaxis[0], scene.x.label), (self.figure.yaxis[0], scene.y.label)):
            if axis.axis_label != (words or None):
                axis.axis_label = words or None
        low, high = scene.band if scene.band is not None else (HIDDEN, HIDDEN)
        self.band.data = {"left": [scene.x.low], "right": [scene.x.high], "low": [low], "high": [high]}
        self.thin.data = {key: [guide[i] for guide in scene.guides] for i, key in enumerate(("x0", "y0", "x1", "y1"))}
        self.uprights.data = {
            "x": [x for x, _ in scene.uprights], "text": [words for _, words in scene.uprights],
            "low": [scene.y.low] * len(scene.uprights), "high": [scene.y.high] * len(scene.uprights)}
        self._colour()
        self.name_ends(list(scene.ends), scene.x.high)

    def _colour(self) -> None:
        """Send everything whose colour is data."""
        scene, palette = self.scene, tokens(self.dark)
        lines = [t for t in scene.traces if t.line and t.x.size > 1]
        self.lines.data = {
            "xs": [t.x for t in lines], "ys": [t.y for t in lines], "color": [palette[t.token] for t in lines],
            "dash": [list(t.dash) for t in lines], "width": [t.width for t in lines], "alpha": [t.alpha for t in lines]}
        columns: dict[str, list] = {key: [] for key in self.points.data}
        for trace in (t for t in scene.traces if t.points):
            marker, size = MARKERS[trace.marker]
            hollow = trace.marker != "circle"
            for i in range(trace.x.size):
                first, second = trace.told[i] if trace.told else ("", "")
                for key, found in (
                        ("x", trace.x[i]), ("y", trace.y[i]), ("color", palette[trace.token]), ("marker", marker),
                        ("fill", palette["card"] if marker == "diamond" else "rgba(0,0,0,0)" if hollow
                         else palette[trace.token]), ("size", size), ("line", 1.6 if hollow else 0.0),
                        ("name", trace.name), ("first", first), ("second", second)):
                    columns[key].append(found)
        self.points.data = columns
        frame = self.width - self.figure.min_border_left - self.figure.min_border_right
        found = [] if self.compact else place_names(scene, frame, self.frame)
        self.names.data = {
            "x": [n.x for n in found], "y": [n.y for n in found], "text": [n.text for n in found],
            "color": [palette[n.token] for n in found], "align": [n.align for n in found],
            "style": ["bold" if n.bold else "normal" for n in found], "back": [palette["card"]] * len(found)}

    def fit(self, width: float, height: float, compact: bool, tall: float = 340.0) -> None:
        """Take the room the card has; height 0 asks for `tall` pixels."""
        self.width = width
        self.resize(height if height > 0 else tall, compact)
        if self.scene is not None:
            self._colour()

    def restyle(self, dark: bool) -> None:
        """Repaint for the dark or the light theme."""
        super().restyle(dark)
        if self.scene is not None:
            self._colour()
