"""Bokeh models of Live's charts, as few as they can be: what panels can share is made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
    LinearAxis,
    LinearScale,
    LogAxis,
    LogScale,
    NumeralTickFormatter,
    Plot,
    Range1d,
    Selection,
    UnionRenderers,
)

from app.theme import FONT, Paint, tokens

INKS = ("ink", "ink2", "chain", "esctx", "acctx", "sgldtx", "bound", "hot")
"""Tokens of the colours that words may have."""
EDGE = "edge"
"""Name of a figure's second y range: 0 at the foot of the frame, 1 at its top."""


class SharedModels:
    """Epoch range and ticks, scales and tick labels of all panels; maker of their sources, glyphs and axes.

    Parameters
    ----------
    paint
        Colours by token whatever is made.
    start, end
        First epoch range.
    """

    def __init__(self, paint: Paint, start: float, end: float) -> None:
        self.paint = paint
        self.x_range = Range1d(start=start, end=end)
        self.x_ticker = FixedTicker(ticks=[])
        self._edge = Range1d(start=0, end=1)  # of what stands at the foot of a frame, whatever its y axis
        self._log, self._linear = LogScale(), LinearScale()
        self._formatter, self._policy = NumeralTickFormatter(format="0,0"), AllLabels()
        self._selection, self._selection_policy, self._all = Selection(), UnionRenderers(), AllIndices()
        self._views: dict[str, CDSView] = {}
        self._inks = CategoricalColorMapper(factors=INKS, palette=[tokens(False)[token] for token in INKS])
        self.ink = {"field": "color", "transform": self._inks}  #: colour of words whose column `color` names a token

    def restyle(self, dark: bool) -> None:
        """Repaint everything for the dark or the light theme."""
        self.paint.apply(dark)
        self._inks.palette = [tokens(dark)[token] for token in INKS]

    def source(self, columns: Mapping[str, Sequence[Any]]) -> ColumnDataSource:
        """Return a source of these columns; nothing in it is ever selected."""
        return ColumnDataSource(columns, selected=self._selection, selection_policy=self._selection_policy)

    def figure(self, y_range: Range1d, log: bool, **options: Any) -> Plot:
        """Return a figure on the epoch axis without title, tools or axes."""
        return Plot(
            x_range=self.x_range, y_range=y_range, x_scale=self._log, y_scale=self._log if log else self._linear,
            extra_y_ranges={EDGE: self._edge}, extra_y_scales={EDGE: self._linear}, title=None, toolbar_location=None,
            output_backend="canvas", outline_line_color=None, min_border_bottom=0,
            background_fill_color=None, border_fill_color=None,  # the card shows, in the theme that the browser has
            sizing_mode="stretch_width", **options)

    def glyph(self, plot: Plot, source: ColumnDataSource, glyph: Glyph, **options: Any) -> GlyphRenderer:
        """Draw a glyph from a source; `options` of the renderer are its level, say.

        Nothing is selected or muted, so no copies of the glyph are made for those states. Glyphs of one source share its
        view, in which the browser keeps the rows of markers that lie in the frame: the same in panels of one epoch range.
        """
        if source.id not in self._views:
            self._views[source.id] = CDSView(filter=self._all)
        return plot.add_glyph(source, glyph, view=self._views[source.id], selection_glyph=None, nonselection_glyph=None,
                              muted_glyph=None, **options)

    def axes(self, plot: Plot, log: bool) -> tuple[LogAxis, LinearAxis | LogAxis]:
        """Add the epoch axis, hidden, and a y axis with its grid; return both."""
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
