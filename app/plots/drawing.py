"""`Parts`, `RolePlot`: base classes of `Lines` and `Cells`; several glyphs per element, coloured by role."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import holoviews as hv
import param
from bokeh.core.properties import field
from bokeh.models import (
    AllIndices,
    CDSView,
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    HoverTool,
    MultiLine,
    Patches,
    Quad,
    Scatter,
    Segment,
    TapTool,
    Text,
    UnionRenderers,
)
from holoviews.core import Dimension, Element2D
from holoviews.plotting.bokeh import ElementPlot, LineAnnotationPlot

from app.plots import style

HOVER = (Path(__file__).parent / "hover.js").read_text(encoding="utf-8")
NOT_SILENT = "export default (args, tool, {value}) => !value"


GLYPHS = {"patches": Patches, "multi_line": MultiLine, "segment": Segment, "scatter": Scatter, "quad": Quad, "text": Text}
"""Name of a glyph without its number -> its class."""


class Parts(Element2D):
    """An element on two axes; its data are a tuple of lines or boxes."""

    kdims = param.List(default=[Dimension("x"), Dimension("y")], bounds=(2, 2))

    __abstract = True

    def __init__(self, data: Iterable[object], kdims: list | None = None, **params: object) -> None:
        super().__init__(tuple(data), **({} if kdims is None else {"kdims": kdims}), **params)

    def __len__(self) -> int:
        return len(self.data)


class RolePlot(LineAnnotationPlot):
    """Plot of an element with several glyphs; subclasses define the glyphs' `columns` and `mapping`.

    Both are dicts in drawing order; keys are names of GLYPHS with a number, "multi_line_1". HoloViews creates the figure,
    its axes, the source of the first of `interactive` and one placeholder line, which is replaced by these glyphs.
    """

    apply_ranges = param.Boolean(default=True, doc="Include the values in axis limits; the base class's default is False.")

    style_opts = []
    interactive: tuple[str, ...] = ()  #: glyphs with hover and tap; selection streams listen to the first

    @staticmethod
    def columns(element) -> dict[str, dict]:
        """Return glyph -> column -> values."""
        raise NotImplementedError

    def mapping(self, element) -> dict[str, dict]:
        """Return glyph -> property -> column or value."""
        raise NotImplementedError

    def mapper(self, kind: str):
        """Return this figure's colour mapper for roles ("lines", "words") or numbers in [0, 1] ("ramp")."""
        if kind not in self.handles:
            self.handles[kind] = style.mapper(kind)
        return self.handles[kind]

    def get_data(self, element, ranges, style) -> tuple[dict, dict, dict]:
        """Return HoloViews' data, mapping and style: the columns that selection streams listen to."""
        return dict(self.columns(element)[self.interactive[0]]), {"location": 0, "dimension": "width"}, {}

    def get_extents(self, element, ranges=None, range_type="combined", **kwargs) -> tuple:
        """Return the extents of the values, as `ElementPlot` computes them."""
        return ElementPlot.get_extents(self, element, ranges, range_type, **kwargs)

    def initialize_plot(self, ranges=None, plot=None, plots=None, source=None):
        """Return the figure with the glyphs of the element."""
        figure = super().initialize_plot(ranges, plot, plots, source)
        figure.renderers.remove(self.handles["glyph"])
        self.draw(figure, self.current_frame)
        return figure

    def update_frame(self, key, ranges=None, plot=None, element=None) -> None:
        """Display another frame of a HoloMap."""
        super().update_frame(key, ranges, plot, element)
        if self.current_frame is not None:
            self.replace_columns(self.current_frame)

    def replace_columns(self, element) -> None:
        """Replace the columns of the existing glyphs by those of another element."""
        for name, columns in self.columns(element).items():
            self.handles[f"{name}_source"].data = columns

    def draw(self, plot, element) -> None:
        """Add each glyph with its own source, in half the time of HoloViews and Bokeh's ``figure``."""
        mapping, policy, every = self.mapping(element), UnionRenderers(), AllIndices()
        self.handles[f"{self.interactive[0]}_source"] = self.handles["source"]
        for name, columns in self.columns(element).items():
            source = self.handles.setdefault(f"{name}_source", ColumnDataSource(columns, selection_policy=policy))
            glyph = GLYPHS[name.rpartition("_")[0]](**{
                key: field(value) if isinstance(value, str) and value in columns else value
                for key, value in mapping[name].items()})
            self.handles[f"{name}_glyph_renderer"] = plot.add_glyph(
                source, glyph, view=CDSView(filter=every), selection_glyph=None, nonselection_glyph=None, muted_glyph=None)

    def add_hover(self, plot, element, across: str = "", attachment: str = "horizontal") -> None:
        """Add hover and tap tools for the interactive glyphs; the glyph `across` responds at any y with its x.

        `attachment` is the side of the tooltip, as for Bokeh's HoverTool.
        """
        others = [glyph for glyph in self.interactive if glyph != across]
        for glyphs, mode in (([across], "vline") if across else ([], ""), (others, "mouse")):
            if glyphs:
                plot.add_tools(HoverTool(
                    renderers=[self.handles[f"{glyph}_glyph_renderer"] for glyph in glyphs], mode=mode,
                    tags=["plots tooltip"],
                    attachment=attachment, tooltips=style.tooltip(), limit=1 if mode == "vline" else 3,
                    formatters={"@tooltip": CustomJSHover(code=HOVER, args={"across": mode == "vline"})},
                    filters={"@silent": CustomJS(code=NOT_SILENT)}))
        renderers = [self.handles[f"{glyph}_glyph_renderer"] for glyph in self.interactive]
        tap = next((tool for tool in plot.tools if isinstance(tool, TapTool)), None)  # a figure has one active tap tool
        if tap is None:
            plot.add_tools(TapTool(renderers=renderers))
        else:
            tap.renderers = [*tap.renderers, *renderers]


def register(element: type, plot: type, **options: object) -> None:
    """Register the plot class of an element with HoloViews; ranges follow the data of each frame."""
    hv.Store.register({element: plot}, "bokeh")
    registered = hv.Store.options("bokeh")
    setattr(registered, element.__name__, hv.Options("plot", **(style.FRAME | options)))
    setattr(registered, element.__name__, hv.Options("norm", framewise=True))
