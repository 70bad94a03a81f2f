"""What `Lines` and `Cells` share: one element draws several glyphs, coloured by role, changed through its sources."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import holoviews as hv
import numpy as np
from bokeh.core.properties import field
from bokeh.document import Document
from bokeh.models import (
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    FixedTicker,
    HoverTool,
    LogScale,
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

    def add_hover(self, plot, element, across: str = "") -> None:
        """Let the pointed glyphs tell what they are; those of the glyph `across` wherever the pointer is at their x."""
        found = [glyph for glyph in self.pointed if glyph != across]
        for glyphs, mode in (([across], "vline") if across else ([], ""), (found, "mouse")):
            if glyphs:
                plot.add_tools(HoverTool(
                    renderers=[self.handles[f"{glyph}_glyph_renderer"] for glyph in glyphs], mode=mode, tags=["plots told"],
                    tooltips=style.tooltip(style.born_dark()), limit=1 if mode == "vline" else 3,
                    formatters={"@told": CustomJSHover(code=HOVER, args={"across": mode == "vline"})},
                    filters={"@silent": CustomJS(code=LOUD)}))
        plot.add_tools(TapTool(renderers=[self.handles[f"{glyph}_glyph_renderer"] for glyph in self.pointed]))


def register(element: type, plot: type, **options: object) -> None:
    """Let HoloViews draw an element with a plot class, its ranges following the data of each frame."""
    hv.Store.register({element: plot}, "bokeh")
    known = hv.Store.options("bokeh")
    setattr(known, element.__name__, hv.Options("plot", **(style.FRAME | options)))
    setattr(known, element.__name__, hv.Options("norm", framewise=True))


def to_plot(figure, dark: bool | None = None):
    """Return a figure drawn, not yet shown: a pane takes it in place of the figure, `refresh` and `taps` ask for it.

    Parameters
    ----------
    figure : HoloViews object
    dark : bool, optional
        The theme it is born in; None is the one of the process (`use_theme`).

    Returns
    -------
    HoloViews plot
        Its ``state`` is the Bokeh figure.
    """
    with style.drawn_in(dark):
        return hv.renderer("bokeh").get_plot(figure)


def refresh(plot, figure, hold: Callable[[], AbstractContextManager] | None = None) -> None:
    """Show other results in a figure that is shown: columns, limits, ticks and axis labels that changed travel, in 3 ms.

    Parameters
    ----------
    plot : HoloViews plot
        From `to_plot`.
    figure : Lines, Cells or an overlay of them
        Of the same kinds in the same order as what is shown.
    hold : callable, optional
        Returns a context in which messages are kept together; None holds the document's.

    Raises
    ------
    ValueError
        If the figure has other parts than the one that is shown, or its axes another scale.
    """
    overlaid = isinstance(figure, hv.Overlay)
    shown = list(plot.subplots.values()) if isinstance(plot.subplots, dict) and plot.subplots else [plot]
    elements = list(figure) if overlaid else [figure]
    kinds = [one.hmap.type.__name__ if hasattr(one, "hmap") else "?" for one in shown]
    if kinds != [type(element).__name__ for element in elements]:
        raise ValueError(f"figure must have the parts that are shown, {' * '.join(kinds)}; got "
                         + " * ".join(type(element).__name__ for element in elements) + ": make another plot of it")
    options: dict = {}
    for element in ([*reversed(elements), figure] if overlaid else elements):
        options |= element.opts.get("plot", backend="bokeh").kwargs
    for side in "xy":
        log = isinstance(getattr(plot.state, f"{side}_scale"), LogScale)
        if bool(options.get(f"log{side}", False)) != log:
            raise ValueError(f"log{side} must be {log}, as it is shown; got {not log}: make another plot of it")
    with (hold or _holder(plot.state.document))():
        for part, element in zip(shown, elements, strict=True):
            for glyph, columns in part.columns(element).items():
                part.handles[f"{glyph}_source"].data = columns
        for k, side in enumerate("xy"):
            _fit_axis(plot.state, side, options, [element.dimension_values(k) for element in elements],
                      elements[0].kdims[k].label)


def _holder(document: Document | None) -> Callable[[], AbstractContextManager]:
    @contextmanager
    def held():
        if document is None or document.callbacks.hold_value is not None:
            yield
            return
        document.hold("combine")
        try:
            yield
        finally:
            document.unhold()

    return held


def _fit_axis(figure, side: str, options: dict, values: list[np.ndarray], label: str) -> None:
    """Set limits, ticks and label of one axis, sending only what changed."""
    axis, reach = getattr(figure, f"{side}axis")[0], getattr(figure, f"{side}_range")
    limits = options.get(f"{side}lim")
    if limits is None or None in limits:
        found = np.concatenate([np.empty(0), *values])
        found = found[np.isfinite(found) & ((found > 0) | (not options.get(f"log{side}", False)))]
        ends = (found.min(), found.max()) if found.size and found.min() < found.max() else (reach.start, reach.end)
        limits = [end if limit is None else limit for limit, end in zip(limits or (None, None), ends, strict=True)]
    if (reach.start, reach.end) != tuple(limits):
        reach.update(start=limits[0], end=limits[1])
    label = options.get(f"{side}label") or label
    if axis.axis_label != label:
        axis.axis_label = label
    ticks = options.get(f"{side}ticks")
    if isinstance(ticks, list) and ticks and isinstance(axis.ticker, FixedTicker):
        at = [tick[0] if isinstance(tick, tuple) else tick for tick in ticks]
        words = {tick[0]: tick[1] for tick in ticks if isinstance(tick, tuple)}
        if list(axis.ticker.ticks) != at:
            axis.ticker.ticks = at
        if axis.major_label_overrides != words:
            axis.major_label_overrides = words


def taps(plot, chosen: Callable[[object], None]) -> None:
    """Call `chosen` with the key of what is tapped, a `Line` or a `Cell`; what has no key is not heard.

    Parameters
    ----------
    plot : HoloViews plot
        From `to_plot`.
    chosen : callable
        Called under the document's lock.
    """
    parts = list(plot.subplots.values()) if isinstance(plot.subplots, dict) and plot.subplots else [plot]
    for part in parts:
        for glyph in getattr(part, "pointed", ()):
            source = part.handles[f"{glyph}_source"]
            source.selected.on_change("indices", _taker(source, chosen))


def _taker(source, chosen: Callable[[object], None]) -> Callable:
    def take(attr: str, old: list[int], new: list[int]) -> None:
        if new:
            source.selected.indices = []
            key = source.data["key"][new[-1]]
            if key is not None:
                chosen(key)

    return take
