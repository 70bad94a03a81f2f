"""`Lines`: a HoloViews element of any number of lines with bands, dots and labels; drawing time grows with elements.

`Lines * Lines` is again one `Lines`; with other elements ``*`` makes an overlay as usual. Labels are placed in the
browser, because only the browser has the size of a figure.

`Line` and `Drawing` describe the lines of a figure independently of any plotting library, `columns_of` returns the columns
of their glyphs: arrays and plain Python, translated to JavaScript for the single-file lab.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import param
from bokeh.core.properties import field, value
from bokeh.models import CategoricalColorMapper, ColumnDataSource, CustomJS, Text
from holoviews.core import Dimension

from app.plots.drawing import Parts, RolePlot, register
from app.plots.style import ROLES
from app.theme import FONT
from sampler.arguments import shown

MARKS = {  # mark: dash of the line, None for none; marker of its dots, their size in pixels, their fill and its opacity
    "line": ("solid", "circle", 4.5, "role", 1.0),
    "dash": ("6 4", "circle", 4.5, "role", 1.0),
    "dots": ("2 3", "circle", 4.5, "role", 1.0),
    "dashdot": ("7 3 2 3", "circle", 4.5, "role", 1.0),
    "spots": (None, "circle", 6.0, "role", 1.0),
    "bubbles": (None, "circle", 7.0, "role", 0.28),
    "open": (None, "circle", 8.0, "card", 1.0),
    "ring": (None, "circle", 10.0, "card", 0.0),
    "diamond": (None, "diamond", 12.0, "card", 1.0),
    "cross": (None, "x", 6.0, "card", 0.0),
}
"""Styles of lines. Marks without a dash draw dots only."""
WHERE = ("end", "beside", "on")
"""Positions of a label: at the right end of its line, next to any part of it, or on it."""


class Line(NamedTuple):
    """One line."""

    name: str  #: name on hover
    x: np.ndarray | float  #: (n,), or one number for all points; the same for y, low and high
    y: np.ndarray | float  #: (n,); nan is a gap
    role: str = "reference"  #: colour role, a key of `app.plots.style.ROLES`
    mark: str = "line"  #: style, a key of MARKS
    label: str = ""  #: label in the figure; may have several lines
    short: str = ""  #: label in figures narrower than 520 pixels; empty for the same
    bold: bool = False  #: whether to emphasize the line: bold label, wider stroke
    where: str = "end"  #: position of the label, one of WHERE
    width: float = 1.8  #: pixels
    alpha: float = 1.0
    dots: bool = False  #: whether to draw a dot at each point
    size: float | np.ndarray | None = None  #: diameter of the dots in pixels; None for the mark's
    low: np.ndarray | None = None  #: (n,) lower edge of a band, or of bars through the dots
    high: np.ndarray | None = None
    bars: bool = False  #: whether low and high are bars
    tooltip: Sequence[str] | None = None  #: (n,) hover texts; None for x and y
    key: object = None  #: argument of the callback of `taps` for the line and its dots; a number or a string
    silent: bool = False  #: whether the tooltip is disabled


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure of lines, made by `drawing`."""

    drawn: tuple[Line, ...]  #: lines in drawing order, the last on top
    x: str  #: axis labels
    y: str
    compared: bool  #: whether hovering anywhere shows the values of all lines at that x
    options: dict[str, Any]  #: options of the figure: "xlim", "ylim", "yticks", "logy"
    limits: Callable[[Sequence[Line]], dict] | None  #: function of the lines that returns further options


def drawing(drawn: Iterable[Line], x: str, y: str, options: dict[str, Any] | None = None, compared: bool = False,
            limits: Callable[[Sequence[Line]], dict] | None = None) -> Drawing:
    """Return the `Drawing` of some lines; arguments as for `app.plots.lines.lines`."""
    made = [checked(line) for line in drawn]
    return Drawing(made, x, y, compared, (limits(made) if limits is not None else {}) | (options or {}), limits)


def joined(first: Drawing, second: Drawing) -> Drawing:
    """Return one drawing of the lines of both, the second's on top."""
    return drawing([*first.drawn, *second.drawn], first.x, first.y, None, first.compared, first.limits)


def checked(line: Line) -> Line:
    """Return a line with x, y, low and high as arrays; raise a ValueError that names the first invalid field."""
    for name, chosen, allowed in (("role", line.role, ROLES), ("mark", line.mark, MARKS), ("where", line.where, WHERE)):
        if chosen not in allowed:
            raise ValueError(f"{name} of the line {shown(line.name)} must be one of {', '.join(allowed)}; got"
                             f" {shown(chosen)}")
    arrays = {key: np.asarray(getattr(line, key), float) for key in ("x", "y", "low", "high")
              if getattr(line, key) is not None}
    points = max((value.size for value in arrays.values() if value.ndim), default=1)
    arrays = {key: value if value.ndim else np.full(points, value) for key, value in arrays.items()}
    if len({value.size for value in arrays.values()}) > 1 or any(value.ndim != 1 for value in arrays.values()):
        shapes = ", ".join(f"{key} {value.shape}" for key, value in arrays.items())
        raise ValueError(f"x, y, low and high of the line {shown(line.name)} must be arrays of one length; got shapes"
                         f" {shapes}")
    if (line.low is None) != (line.high is None):
        raise ValueError(f"the line {shown(line.name)} must have both low and high, or neither")
    if line.tooltip is not None and len(line.tooltip) != arrays["x"].size:
        raise ValueError(f"tooltip of the line {shown(line.name)} must have one text per point, {arrays['x'].size}; "
                         f"got {len(line.tooltip)}")
    return line._replace(**arrays)


def columns_of(drawn: Sequence[Line]) -> dict[str, dict]:
    """Return the columns of each glyph: bands, plain lines, lines with dots, bars, and dots."""
    dotted = [line for line in drawn if line.dots or MARKS[line.mark][0] is None]
    plain = [line for line in drawn if not (line.dots or MARKS[line.mark][0] is None)]
    spread = [line for line in drawn if line.low is not None]
    bars = [line for line in spread if line.bars]
    return {"patches_1": _bands([line for line in spread if not line.bars]), "multi_line_1": _curves(plain),
            "multi_line_2": _curves(dotted), "segment_1": {
                "x": _joined([line.x for line in bars]), "low": _joined([line.low for line in bars]),
                "high": _joined([line.high for line in bars]), "role": [line.role for line in bars for _ in line.x]},
            "scatter_1": _dots(dotted)}


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0), *parts])


def _bands(spread: list[Line]) -> dict[str, list]:
    pairs = [(line, np.isfinite(line.low) & np.isfinite(line.high)) for line in spread]
    return {"xs": [np.concatenate([line.x[k], line.x[k][::-1]]) for line, k in pairs],
            "ys": [np.concatenate([line.low[k], line.high[k][::-1]]) for line, k in pairs],
            "role": [line.role for line in spread]}


def _curves(drawn: list[Line]) -> dict[str, list]:
    dashes = [MARKS[line.mark][0] for line in drawn]
    return {
        "xs": [line.x for line in drawn], "ys": [line.y for line in drawn], "dash": [dash or "solid" for dash in dashes],
        "alpha": [line.alpha if dash else 0.0 for line, dash in zip(drawn, dashes, strict=True)],
        "width": [line.width + 0.9 * line.bold for line in drawn],
        "tooltip": ["" if line.tooltip is None else list(line.tooltip) for line in drawn],
        **{key: [getattr(line, key) for line in drawn] for key in (
            "name", "role", "label", "short", "bold", "where", "key", "silent")}}


def _dots(dotted: list[Line]) -> dict[str, object]:
    marks = [MARKS[line.mark] for line in dotted]

    def repeated(values: Iterable) -> list:
        return [value for value, line in zip(values, dotted, strict=True) for _ in line.x]

    return {
        "x": _joined([line.x for line in dotted]), "y": _joined([line.y for line in dotted]),
        "marker": repeated([mark[1] for mark in marks]),
        "size": _joined([np.broadcast_to(np.asarray(mark[2] if line.size is None else line.size, float), line.x.shape)
                         for line, mark in zip(dotted, marks, strict=True)]),
        "fill": repeated(["card" if mark[3] == "card" else line.role for line, mark in zip(dotted, marks, strict=True)]),
        "solid": repeated([line.alpha * mark[4] for line, mark in zip(dotted, marks, strict=True)]),
        "edge": repeated([line.alpha for line in dotted]),
        "tooltip": [text for line in dotted for text in (line.tooltip if line.tooltip is not None else [""] * line.x.size)],
        **{key: repeated([getattr(line, key) for line in dotted]) for key in ("role", "name", "key", "silent")}}


class Lines(Parts):
    """Lines on two axes: a HoloViews element, combined by ``*`` and ``+``."""

    group = param.String(default="Lines", constant=True)
    compared = param.Boolean(default=False, doc="Hovering anywhere shows the values of all lines at that x.")
    limits = param.Callable(default=None, allow_None=True, doc="Function of the lines that returns further options.")

    def __mul__(self, other, reverse: bool = False):
        """Merge lines with lines into one element, which is drawn in half the time of two; overlay other elements."""
        if type(other) is not Lines:
            return super().__mul__(other, reverse)
        joined = self.clone(other.data + self.data if reverse else self.data + other.data)
        limits = self.limits or other.limits
        return joined.opts(**limits(joined.data)) if limits else joined

    def dimension_values(self, dimension, expanded=True, flat=True) -> np.ndarray:
        """Return all x, or all y with the bands, for the axis limits."""
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
        Lines in drawing order, the last on top.
    x, y : str
        Axis labels.
    compared : bool
        Whether hovering anywhere shows the values of all lines at that x.
    limits : callable, optional
        Returns options (``{"ylim": (low, high)}``) for a sequence of lines; called again when ``*`` merges figures.
    **options
        Options of ``hv.opts.Lines``: ``logx``, ``xlim``, ``xticks``, ...

    Raises
    ------
    ValueError
        If the arrays of a line differ in length, or its role, mark or label position does not exist.
    """
    return as_lines(drawing(drawn, x, y, options, compared, limits))


def as_lines(made: Drawing) -> Lines:
    """Return a drawing as a `Lines` element."""
    axes = [Dimension((name, label or " ")) for name, label in (("x", made.x), ("y", made.y))]
    return Lines(made.drawn, axes, compared=made.compared, limits=made.limits).opts(**made.options)


class LinesPlot(RolePlot):
    """Plot of `Lines`: from the bottom bands, lines, bars and dots; the browser places the labels."""

    equal = param.Boolean(default=False, doc="Equal scales of x and y: the browser widens the x axis.")

    interactive = ("multi_line_1", "scatter_1")

    @staticmethod
    def columns(element: Lines) -> dict[str, dict]:
        """Return the columns of each glyph: bands, plain lines, lines with dots, bars, and dots."""
        return columns_of(element.data)

    def mapping(self, element: Lines) -> dict[str, dict]:
        """Return the column or value of each glyph property."""
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
        """Draw the lines, and add the hover tool and the labels."""
        super().draw(plot, element)
        plot.tags = [*plot.tags, "equal"] if self.equal and "equal" not in plot.tags else plot.tags
        self.add_hover(plot, element, "multi_line_1" if element.compared else "")
        add_names(plot, [self.handles[f"multi_line_{k}_source"] for k in (1, 2)], self.mapper("words"))


register(Lines, LinesPlot)


LABEL_CODE = (Path(__file__).parent / "line_labels.js").read_text(encoding="utf-8")
LABEL_SIZE = "11.5px"
LABEL_COLUMNS = ("x", "y", "text", "role", "align", "style", "back", "cover")


def add_names(figure, sources: Sequence[ColumnDataSource], ink: CategoricalColorMapper) -> None:
    """Label the lines of these sources, in addition to the figure's existing labels.

    The browser computes and stores the positions of labels; they are never synchronized with the server.
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
