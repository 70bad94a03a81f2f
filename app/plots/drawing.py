"""What `Lines` and `Cells` share: one element draws several glyphs, coloured by role, changed through its sources."""

from __future__ import annotations

from pathlib import Path

import holoviews as hv
from bokeh.core.properties import field
from bokeh.models import (
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
)
from holoviews.plotting.bokeh.element import ElementPlot

from app.plots import style

HOVER = (Path(__file__).parent / "hover.js").read_text(encoding="utf-8")
LOUD = "export default (args, tool, {value}) => !value"


GLYPHS = {"patches": Patches, "multi_line": MultiLine, "segment": Segment, "scatter": Scatter, "quad": Quad, "text": Text}
"""Name of a glyph, before its number -> its class."""


class RolePlot(ElementPlot):
    """Subclasses say in `columns` what each glyph shows and in `mapping` which column is which property.

    Both are dicts in the order of drawing; keys are names of GLYPHS with a number, "multi_line_1".
    """

    style_opts = []
    pointed: tuple[str, ...] = ()  #: glyphs that hovering and tapping find; selection streams listen to the first

    @staticmethod
    def columns(element) -> dict[str, dict]:
        """Return glyph -> column -> values."""
        raise NotImplementedError

    def mapping(self, element) -> dict[str, dict]:
        """Return glyph -> property -> column or value."""
        raise NotImplementedError

    def mapper(self, kind: str):
        """Return the mapper of this figure for roles ("lines", "words") or numbers in [0, 1] ("ramp")."""
        if kind not in self.handles:
            self.handles[kind] = style.mapper(kind)
        return self.handles[kind]

    def _init_glyphs(self, plot, element, ranges, source) -> None:
        """Draw each glyph from a source of its own, in half the time that HoloViews and Bokeh's ``figure`` take."""
        mapping = self.mapping(element)
        for name, columns in self.columns(element).items():
            made = self.handles[f"{name}_source"] = ColumnDataSource(columns)
            glyph = GLYPHS[name.rpartition("_")[0]](**{
                key: field(value) if isinstance(value, str) and value in columns else value
                for key, value in mapping[name].items()})
            self.handles[f"{name}_glyph_renderer"] = plot.add_glyph(
                made, glyph, selection_glyph=None, nonselection_glyph=None)
        first = self.handles[f"{self.pointed[0]}_source"]
        self.handles |= {"source": first, "cds": first, "selected": first.selected, "previous_id": element._plot_id}

    def _update_glyphs(self, element, ranges, style) -> None:
        for name, columns in self.columns(element).items():
            self.handles[f"{name}_source"].data = columns

    def add_hover(self, plot, element, across: str = "", attachment: str = "horizontal") -> None:
        """Let the pointed glyphs tell what they are; those of the glyph `across` wherever the pointer is at their x.

        The words stand at the side `attachment` of what they tell, as Bokeh's HoverTool has it.
        """
        found = [glyph for glyph in self.pointed if glyph != across]
        for glyphs, mode in (([across], "vline") if across else ([], ""), (found, "mouse")):
            if glyphs:
                plot.add_tools(HoverTool(
                    renderers=[self.handles[f"{glyph}_glyph_renderer"] for glyph in glyphs], mode=mode, tags=["plots told"],
                    attachment=attachment,
                    tooltips=style.tooltip(style.born_dark()), limit=1 if mode == "vline" else 3,
                    formatters={"@told": CustomJSHover(code=HOVER, args={"across": mode == "vline"})},
                    filters={"@silent": CustomJS(code=LOUD)}))
        pointed = [self.handles[f"{glyph}_glyph_renderer"] for glyph in self.pointed]
        tap = next((tool for tool in plot.tools if isinstance(tool, TapTool)), None)  # only one of a figure is active
        if tap is None:
            plot.add_tools(TapTool(renderers=pointed))
        else:
            tap.renderers = [*tap.renderers, *pointed]


def register(element: type, plot: type, **options: object) -> None:
    """Let HoloViews draw an element with a plot class, its ranges following the data of each frame."""
    hv.Store.register({element: plot}, "bokeh")
    known = hv.Store.options("bokeh")
    setattr(known, element.__name__, hv.Options("plot", **(style.FRAME | options)))
    setattr(known, element.__name__, hv.Options("norm", framewise=True))
