"""`Lines`: one element for any number of lines with their bands, dots and labels, because elements are what costs.

`Lines * Lines` is again one `Lines`; over or under other elements it is an overlay as usual. Where the labels stand is
found in the browser, which alone knows how large a figure is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import param
from bokeh.core.properties import field, value
from bokeh.models import CategoricalColorMapper, ColumnDataSource, CustomJS, Text
from holoviews.core import Dimension, Element2D

from app.plots.drawing import RolePlot, register
from app.plots.line_columns import Drawing, Line, columns_of, drawing
from app.theme import FONT


class Lines(Element2D):
    """Lines on two axes: a HoloViews element like others, joined by ``*`` and ``+``."""

    group = param.String(default="Lines", constant=True)
    kdims = param.List(default=[Dimension("x"), Dimension("y")], bounds=(2, 2))
    compared = param.Boolean(default=False, doc="Hovering anywhere tells every line's value there, not the nearest line's.")
    limits = param.Callable(default=None, allow_None=True, doc="Options that follow from the lines: `limits(lines)`.")

    def __init__(self, data: Iterable[Line], kdims: list | None = None, **params: object) -> None:
        super().__init__(tuple(data), **({} if kdims is None else {"kdims": kdims}), **params)

    def __len__(self) -> int:
        return len(self.data)

    def __mul__(self, other, reverse: bool = False):
        """Lines over lines are lines: one element is drawn in half the time of two."""
        if type(other) is not Lines:
            return super().__mul__(other, reverse)
        joined = self.clone(other.data + self.data if reverse else self.data + other.data)
        limits = self.limits or other.limits
        return joined.opts(**limits(joined.data)) if limits else joined

    def dimension_values(self, dimension, expanded=True, flat=True) -> np.ndarray:
        """Return all x or all y with their bands, for the axes to hold."""
        k = self.get_dimension_index(dimension)
        values = [np.asarray(line[1 + k], float) for line in self.data]
        if k == 1:
            values += [np.asarray(side, float) for line in self.data for side in (line.low, line.high) if side is not None]
        return np.concatenate([np.empty(0), *values])


def lines(drawn: Iterable[Line], x: str, y: str, compared: bool = False,
          limits: Callable[[Sequence[Line]], dict] | None = None, **options: object) -> Lines:
    """Return a figure of lines.

    Parameters
    ----------
    drawn : iterable of Line
        In the order in which they are drawn, the last on top.
    x, y : str
        What is on the axes.
    compared : bool
        Whether hovering anywhere tells the value of every line there.
    limits : callable, optional
        Returns options (``{"ylim": (low, high)}``) for a sequence of lines; asked again when figures are joined by ``*``.
    **options
        Of the figure, as ``hv.opts.Lines`` has them: ``logx``, ``xlim``, ``xticks``, ...

    Raises
    ------
    ValueError
        If a line has arrays of several lengths, or a role, mark or place that there is none of.
    """
    return as_lines(drawing(drawn, x, y, options, compared, limits))


def as_lines(made: Drawing) -> Lines:
    """Return a drawing as an element."""
    axes = [Dimension((name, label or " ")) for name, label in (("x", made.x), ("y", made.y))]
    return Lines(made.drawn, axes, compared=made.compared, limits=made.limits).opts(**made.options)


class LinesPlot(RolePlot):
    """Bands under lines under bars and dots, and labels that the browser places."""

    equal = param.Boolean(default=False, doc="A unit of x is as long as one of y: the browser widens the x axis.")

    pointed = ("multi_line_1", "scatter_1")

    @staticmethod
    def columns(element: Lines) -> dict[str, dict]:
        """Return the columns of each glyph: plain lines, lines that have dots, the dots, bands and bars."""
        return columns_of(element.data)

    def mapping(self, element: Lines) -> dict[str, dict]:
        """Return which column is which property."""
        role = {"field": "role", "transform": self.mapper("lines")}
        line = {"xs": "xs", "ys": "ys", "line_color": role, "line_width": "width", "line_dash": "dash",
                "line_alpha": "alpha", "line_join": "round"}
        return {
            "patches_1": {"xs": "xs", "ys": "ys", "fill_color": role, "fill_alpha": 0.2, "line_color": None},
            "multi_line_1": line, "multi_line_2": line,
            "segment_1": {"x0": "x", "x1": "x", "y0": "low", "y1": "high", "line_color": role, "line_width": 1.2,
                          "line_alpha": 0.65},
            "scatter_1": {"x": "x", "y": "y", "marker": "marker", "size": "size", "line_color": role,
                          "fill_color": {"field": "fill", "transform": self.mapper("lines")}, "fill_alpha": "solid",
                          "line_alpha": "edge", "line_width": 1.5}}

    def draw(self, plot, element) -> None:
        """Draw the lines, what hovering tells, and the labels."""
        super().draw(plot, element)
        plot.tags = [*plot.tags, "equal"] if self.equal and "equal" not in plot.tags else plot.tags
        self.add_hover(plot, element, "multi_line_1" if element.compared else "")
        add_names(plot, [self.handles[f"multi_line_{k}_source"] for k in (1, 2)], self.mapper("words"))


register(Lines, LinesPlot)


LABEL_CODE = (Path(__file__).parent / "line_labels.js").read_text(encoding="utf-8")
LABEL_SIZE = "11.5px"
LABEL_COLUMNS = ("x", "y", "text", "role", "align", "style", "back", "cover")


def add_names(figure, sources: Sequence[ColumnDataSource], ink: CategoricalColorMapper) -> None:
    """Label the lines of these sources, beside those that the figure has already.

    The names stand in a source of the browser's own: no message to the server tells where, and none comes from there.
    """
    drawn = next((one for one in figure.renderers if one.name == "names"), None)
    if drawn is None:
        glyph = Text(
            x="x", y="y", text="text", text_font=value(FONT), text_font_size=LABEL_SIZE, text_align=field("align"),
            text_color={"field": "role", "transform": ink}, text_font_style=field("style"), text_baseline="middle",
            text_line_height=1.2, background_fill_color={"field": "back", "transform": ink},
            background_fill_alpha="cover", padding=1, border_radius=3)
        drawn = figure.add_glyph(ColumnDataSource({key: [] for key in LABEL_COLUMNS}), glyph, name="names", level="overlay")
    place = CustomJS(args={"figure": figure, "names": drawn.data_source, "size": LABEL_SIZE, "font": FONT},
                     code="if (cb_obj !== figure) names.tries = 0\n"
                          f"clearTimeout(names.timer)\nnames.timer = setTimeout(() => {{{LABEL_CODE}}})")
    for model, attributes in ((figure, ("inner_width", "inner_height")), (figure.x_range, ("start", "end")),
                              (figure.y_range, ("start", "end")), *((source, ("data",)) for source in sources)):
        for attribute in attributes:
            model.js_on_change(attribute, place)
