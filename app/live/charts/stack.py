"""`ChartStack`: four time panels as Bokeh figures: accuracy, squared distance to the mode, gradient variance, cost.

The figures have a common epoch axis and are built once; the properties of a `ChartView` set their content.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bokeh.core.properties import value
from bokeh.model import Model
from bokeh.models import (
    AllIndices,
    AllLabels,
    CategoricalColorMapper,
    CDSView,
    ColumnDataSource,
    FixedTicker,
    Glyph,
    GlyphRenderer,
    Grid,
    HoverTool,
    Line,
    LinearAxis,
    LinearScale,
    LogAxis,
    LogScale,
    NumeralTickFormatter,
    Plot,
    Quad,
    Range1d,
    Scatter,
    Segment,
    Selection,
    Span,
    Text,
    UnionRenderers,
    VArea,
    VStrip,
)

from app.csv_text import result_rows
from app.live.charts.view import FIRST_EPOCH, WORDS, ChartView, Panel, empty
from app.live.snapshot import COLUMNS
from app.theme import FONT, Paint, tokens

if TYPE_CHECKING:
    from app.live.snapshot import Series

INKS = ("ink", "ink2", "chain", "esctx", "acctx", "sgldtx", "bound", "hot")
"""Colour tokens of texts."""
EDGE = "edge"
"""Name of a figure's second y range: 0 at the bottom of the frame, 1 at its top."""


class SharedModels:
    """Common models of all panels (epoch range and ticks, scales, tick labels); factory of sources, glyphs and axes.

    Parameters
    ----------
    paint
        Sets colours by token.
    start, end
        Initial epoch range.
    """

    def __init__(self, paint: Paint, start: float, end: float) -> None:
        self.paint = paint
        self.x_range = Range1d(start=start, end=end)
        self.x_ticker = FixedTicker(ticks=[])
        self._edge = Range1d(start=0, end=1)  # for markers at the bottom of a frame, independent of its y axis
        self._log, self._linear = LogScale(), LinearScale()
        self._formatter, self._policy = NumeralTickFormatter(format="0,0"), AllLabels()
        self._selection, self._selection_policy, self._all = Selection(), UnionRenderers(), AllIndices()
        self._views: dict[str, CDSView] = {}
        self._inks = CategoricalColorMapper(factors=INKS, palette=[tokens(False)[token] for token in INKS])
        self.ink = {"field": "color", "transform": self._inks}  #: colour of texts, from tokens in the column `color`

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self.paint.apply(dark)
        self._inks.palette = [tokens(dark)[token] for token in INKS]

    def source(self, columns: Mapping[str, Sequence[Any]]) -> ColumnDataSource:
        """Return a source of these columns with a shared, empty selection."""
        return ColumnDataSource(columns, selected=self._selection, selection_policy=self._selection_policy)

    def figure(self, y_range: Range1d, log: bool, **options: Any) -> Plot:
        """Return a figure on the epoch axis without title, tools or axes."""
        return Plot(
            x_range=self.x_range, y_range=y_range, x_scale=self._log, y_scale=self._log if log else self._linear,
            extra_y_ranges={EDGE: self._edge}, extra_y_scales={EDGE: self._linear}, title=None, toolbar_location=None,
            output_backend="canvas", outline_line_color=None, min_border_bottom=0,
            background_fill_color=None, border_fill_color=None,  # transparent, over the card in the browser's theme
            sizing_mode="stretch_width", **options)

    def glyph(self, plot: Plot, source: ColumnDataSource, glyph: Glyph, **options: Any) -> GlyphRenderer:
        """Draw a glyph from a source with renderer `options`, such as the level.

        Nothing is selected or muted, so the glyph is not copied for those states. Glyphs of one source share its view, in
        which the browser stores the marker rows inside the frame, which are equal in panels of one epoch range.
        """
        if source.id not in self._views:
            self._views[source.id] = CDSView(filter=self._all)
        return plot.add_glyph(source, glyph, view=self._views[source.id], selection_glyph=None, nonselection_glyph=None,
                              muted_glyph=None, **options)

    def axes(self, plot: Plot, log: bool) -> tuple[LogAxis, LinearAxis | LogAxis]:
        """Add a hidden epoch axis, and a y axis with its grid; return both axes."""
        text = {"major_label_text_font": FONT, "major_label_text_font_size": "11px", "formatter": self._formatter,
                "major_label_policy": self._policy, "minor_tick_line_color": None, "major_tick_in": 0}
        x_axis = LogAxis(
            ticker=self.x_ticker, visible=False, major_tick_out=5, major_label_standoff=4, axis_label_text_font=FONT,
            axis_label_text_font_size="12px", axis_label_standoff=5, axis_label_text_font_style="normal", **text)
        y_axis = (LogAxis if log else LinearAxis)(
            ticker=FixedTicker(ticks=[]), major_label_standoff=8, major_tick_out=0, axis_line_color=None,
            major_tick_line_color=None, **text)
        grid = Grid(dimension=1, axis=y_axis)
        plot.add_layout(x_axis, "below")
        plot.add_layout(y_axis, "left")
        plot.add_layout(grid)
        self.paint(x_axis, major_label_text_color="ink2", axis_label_text_color="ink2", axis_line_color="axis",
                   major_tick_line_color="axis")
        self.paint(y_axis, major_label_text_color="ink2")
        self.paint(grid, grid_line_color="grid")
        return x_axis, y_axis


class TimePanel:
    """One panel, with the layout `place`. Subclasses add further glyphs than `band` and `curves` in `draw`."""

    title = ""
    subtitle = ""
    short_title = ""
    term = ""  #: glossary term of the title
    description = ""  #: description of the chart, in addition to the term's definition
    hover: tuple[tuple[str, str], ...] = ()
    band: tuple[float | str, str, str, float] | None = None  #: (lower edge, upper edge, token, opacity), under the curves
    curves: tuple[tuple[str, str, dict[str, Any]], ...] = ()  #: (column, token, style); hovering follows the last

    def __init__(self, place: Panel, models: SharedModels, sources: dict[str, ColumnDataSource]) -> None:
        self.place, self.models, self.paint, self.sources = place, models, models.paint, sources
        self.name = place.name
        self.y_range = Range1d(start=place.low, end=place.top)
        self.figure = models.figure(self.y_range, place.log, name=self.name,
                                    html_attributes={"role": "img", "aria-label": f"Chart of {self.title}"})
        self.x_axis, self.y_axis = models.axes(self.figure, place.log)
        self.texts = models.source({name: [] for name in WORDS})
        self.line(place.compared, "ink2", "ghost", line_width=1.6, line_dash=[2, 3])
        self.draw()
        models.glyph(self.figure, self.texts, Text(
            x="x", y="y", text="text", x_offset={"field": "dx"}, y_offset={"field": "dy"}, text_align={"field": "align"},
            text_baseline="middle", text_color=models.ink, text_font=value(FONT), text_font_size={"field": "size"},
            text_font_style={"field": "style"}), level="overlay")  # this level is not clipped to the frame
        diamond = Scatter(x="t", y=value(0), marker="square", angle=math.pi / 4, size=5, line_width=1.2)
        # its height is constant: Bokeh draws a glyph that changes together with its data with outdated rows
        self.diamonds = models.glyph(self.figure, sources["checkpoints"], diamond, level="overlay", y_range_name=EDGE)
        self.paint(diamond, fill_color="card", line_color="acc")
        self.mark_events()

    def named(self) -> dict[str, Model]:
        """Return the models that change, by their names in `ChartView.properties`."""
        return {self.name: self.figure} | {f"{self.name} {part}": model for part, model in {
            "y_range": self.y_range, "ticker": self.y_axis.ticker, "y_axis": self.y_axis, "x_axis": self.x_axis,
            "texts": self.texts, "diamonds": self.diamonds}.items()}

    def add(self, glyph: Glyph, source: str = "series", **options: str) -> GlyphRenderer:
        """Draw a glyph of the panel's series, or of another source."""
        return self.models.glyph(self.figure, self.sources[source], glyph, **options)

    def line(self, column: str, token: str, source: str = "series", **style: object) -> GlyphRenderer:
        """Draw a line of a column against the epoch in the colour of a token."""
        return self.add(self.paint(Line(x="t", y=column, **style), line_color=token), source)

    def add_hover(self, renderer: GlyphRenderer) -> None:
        """Add a tooltip with this panel's values at the epoch under the pointer, following `renderer`."""
        rows = "".join(f'<tr><td>{label}</td><td>{text}</td></tr>' for label, text in self.hover)
        html = f'<table class="lab-tip"><tr><td>epoch t</td><td>@t{{0,0}}</td></tr>{rows}</table>'
        self.figure.add_tools(HoverTool(
            renderers=[renderer], mode="vline", tooltips=html, line_policy="nearest",
            point_policy="snap_to_data", attachment="horizontal"))

    def mark_events(self) -> None:
        """Draw the events as dotted lines, and bands for switches, below the texts in the headroom."""
        dotted = {"line_width": 1, "line_dash": [2, 3]}
        if self.place.headroom:
            band = Quad(left="t", right="t_end", bottom=0, top=1, fill_alpha=0.16, line_color=None)
            line = Segment(x0="t", x1="t", y0=0, y1=1, **dotted)
            self.add(self.paint(line, line_color="ink2"), "events", level="underlay")
        else:
            band = VStrip(x0="t", x1="t_end", fill_alpha=0.16, **dotted)
            self.paint(band, line_color="ink2")
        self.add(self.paint(band, fill_color="sgld"), "events", level="underlay")

    def draw(self) -> None:
        """Add the glyphs."""
        if self.band is not None:
            low, high, token, opacity = self.band
            self.add(self.paint(VArea(x="t", y1=low, y2=high, fill_alpha=opacity), fill_color=token))
        for column, token, style in self.curves:
            last = self.line(column, token, **style)
        self.add_hover(last)


class AccuracyPanel(TimePanel):
    """Marginal accuracy: measured, predicted by eta_0 (dashed), and the ceiling of exact draws as a band."""

    title, short_title = "Marginal accuracy", "Accuracy"
    term = "accuracy"
    description = ("Here: of all chains over the last 16 epochs together. The band is the ceiling, the score of as many"
                   " exact draws, ± two standard deviations: inside it a sampler is as good as exact, above its middle by"
                   " chance. Dashed: accuracy predicted by η₀.")
    hover = (("accuracy", "@accuracy{0.000}"), ("total variation", "@tv{0.000}"),
             ("ceiling", "@ceiling_low{0.000} to @ceiling_high{0.000}"), ("η₀ predicts", "@predicted{0.000}"),
             ("memory of an epoch", "@memory{0.00}"))
    band = ("ceiling_low", "ceiling_high", "ref", 0.22)
    curves = (("predicted", "mode", {"line_width": 1.2, "line_dash": [4, 3]}), ("accuracy", "chain", {"line_width": 2}))


class DistancePanel(TimePanel):
    """Squared distance to the mode over r^2 = R^2/(t + c): median, 95 % band, maximum over chains, and exits as rings."""

    title, short_title = "Squared distance to the mode", "Distance"
    subtitle = "in units of r² = R²/(t + c)"
    term = "squared distance"
    description = "Here: over r², so the escape ball is the line at 1. An epoch's farthest step counts; rings are exits."
    hover = (("median", "@median{0.000} r²"), ("95 % of chains within", "@q95{0.000} r²"),
             ("farthest", "@farthest{0.00} r²"))
    band = (0, "q95", "chain", 0.17)
    curves = (("farthest", "chain", {"line_width": 0.9, "line_alpha": 0.7}), ("median", "chain", {"line_width": 1.7}))

    def draw(self) -> None:  # noqa: D102
        super().draw()
        self.figure.add_layout(self.paint(Span(location=1, dimension="width", line_width=1.6), line_color="esc"))
        rings = Scatter(x="t", y="value", size=6, line_width=1.2, fill_alpha=0)
        self.add(self.paint(rings, line_color="esc"), "exits")


class VariancePanel(TimePanel):
    """Gradient variance E||g - grad F||^2 with the cache (SAGA), without it (SGLD), and Lemma 6.2's bound; log axis."""

    title, short_title = "Gradient variance", "Variance"
    subtitle = "E‖g − ∇F‖², log scale"
    term = "gradient variance"
    description = ("Here: at the followed chain, with the cache (SAGA), without it (SGLD), and by Lemma 6.2. The injected"
                   " noise dominates a variance that grows as t, since steps shrink like 1/t.")
    hover = (("SAGA", "@saga{0.00 a}"), ("bound, Lemma 6.2", "@bound{0.00 a}"), ("SGLD", "@sgld{0.00 a}"))
    curves = (("sgld", "sgld", {"line_width": 1.8}), ("bound", "bound", {"line_width": 1.3, "line_dash": [5, 4]}),
              ("saga", "chain", {"line_width": 2}))


class CostPanel(TimePanel):
    """Gradient evaluations per epoch, of the run and of a full-gradient chain; log axis. Lowest panel, with epoch axis."""

    title, short_title = "Cost", "Cost"
    subtitle = "gradient evaluations per epoch, log scale"
    term = "gradient evaluation"
    description = "Here: of one chain in one epoch, with refreshes, and of as many steps with all t gradients each."
    hover = (("this sampler", "@cost{0,0} gradients"), ("full gradient", "@full{0,0} gradients"))
    curves = (("full", "ref", {"line_width": 1.6}), ("cost", "chain", {"line_width": 2}))


PANELS = (AccuracyPanel, DistancePanel, VariancePanel, CostPanel)
"""Panels, top to bottom."""


class ChartStack:
    """Figures of accuracy, squared distance, gradient variance and cost, built once; `show` applies changes of `view`.

    With ``later``, the figures are built by the steps of `draw`, with the state of `view` at that time.
    """

    def __init__(self, later: bool = False) -> None:
        self.paint, self.view, self._dark = Paint(), ChartView(), False
        self.named: dict[str, Model] = {}
        self._set: dict[tuple[str, str], Any] = {}  # last value of each property
        if not later:
            list(self.draw())

    def draw(self) -> Iterator[None]:
        """Build the figures one at a time, one per step of the iterator."""
        self.models = models = SharedModels(self.paint, FIRST_EPOCH, 2 * FIRST_EPOCH)
        self.sources = {name: models.source(columns) for name, columns in {
            "series": empty(), "ghost": empty(), "checkpoints": {"t": []}, "exits": {"t": [], "value": []},
            "events": {"t": [], "t_end": []}}.items()}
        self.panels: list[TimePanel] = []
        for panel, place in zip(PANELS, self.view.panels, strict=True):
            self.panels.append(panel(place, models, self.sources))
            yield
        self.named = {**self.sources, "x_range": models.x_range, "x_ticker": models.x_ticker,
                      **{name: model for panel in self.panels for name, model in panel.named().items()}}
        models.restyle(self._dark)
        self.show()

    @property
    def figures(self) -> list:
        """The four Bokeh figures, top to bottom."""
        return [panel.figure for panel in self.panels]

    @property
    def titles(self) -> list[list[str]]:
        """Title, subtitle and short title of each panel."""
        return [[panel.title, panel.subtitle, panel.short_title] for panel in PANELS]

    @property
    def terms(self) -> list[list[str]]:
        """Glossary term and description of each panel."""
        return [[panel.term, panel.description] for panel in PANELS]

    def show(self) -> None:
        """Apply the changes of the view if the figures are built."""
        if not self.named:
            return
        for name, properties in self.view.properties().items():
            new = {key: value for key, value in properties.items() if self._set.get((name, key)) != value}
            self._set |= {(name, key): value for key, value in new.items()}
            self.named[name].update(**new)

    def set_ghost(self, series: Series | None) -> None:
        """Draw the curves of a ghost run underneath; None removes them."""
        self.view.ghost = empty() if series is None else series.columns
        self.show()

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self._dark = dark
        if self.named:
            self.models.restyle(dark)

    def csv(self) -> str:
        """Return the displayed data as CSV text."""
        return to_csv(self.view.properties().get("series", {"data": empty()})["data"], self.view.algorithm)


def to_csv(data: Mapping[str, Sequence[float]], algorithm: str) -> str:
    """Return the columns as CSV text, one row per epoch with six significant digits and the algorithm's name."""
    rows = zip(*(data[name] for name in COLUMNS), strict=True)
    return result_rows((*COLUMNS, "algorithm"), ([*(float(f"{value:.6g}") for value in row), algorithm] for row in rows))
