"""`Lines`: one element for any number of lines with their bands, dots and labels, because elements are what costs.

`Lines * Lines` is again one `Lines`; over or under other elements it is an overlay as usual. Where the labels stand is
found in the browser, which alone knows how large a figure is.

`Line` and `Drawing` are lines of a figure before any library draws them, and `columns_of` the columns of each glyph that
shows them: arrays and plain Python, as the lab in one file draws the same lines from their translation.
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

MARKS = {  # mark: dash of the line, None for none; marker of its dots, their size in pixels, what fills them and how fully
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
"""How a line is drawn. Those without a dash are dots alone."""
WHERE = ("end", "beside", "on")
"""Where a label may stand: at the right end of its line, beside any part of it, on it."""


class Line(NamedTuple):
    """One line."""

    name: str  #: on hover
    x: np.ndarray | float  #: (n,), or one number, as for the others: it holds at every point
    y: np.ndarray | float  #: (n,); nan is a gap
    role: str = "reference"  #: its colour, a key of `app.plots.style.ROLES`
    mark: str = "line"  #: a key of MARKS
    label: str = ""  #: in the figure; may have several lines
    short: str = ""  #: label where the figure is narrower than 520 pixels; empty for the same
    bold: bool = False  #: for the one that matters: its label, and a wider line
    where: str = "end"  #: of the label, one of WHERE
    width: float = 1.8  #: pixels
    alpha: float = 1.0
    dots: bool = False  #: a dot at each point
    size: float | np.ndarray | None = None  #: of the dots, pixels; None for the mark's
    low: np.ndarray | None = None  #: (n,) of a band, or of bars through the dots
    high: np.ndarray | None = None
    bars: bool = False  #: whether low and high are bars
    tooltip: Sequence[str] | None = None  #: (n,) on hover; None tells x and y
    key: object = None  #: what `taps` hands over when the line or a dot of it is tapped; a number or a word
    silent: bool = False  #: nothing on hover


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure of lines, made by `drawing`."""

    drawn: tuple[Line, ...]  #: in the order in which they are drawn, the last on top
    x: str  #: what is on the axes
    y: str
    compared: bool  #: whether hovering anywhere tells the value of every line there
    options: dict[str, Any]  #: of the figure: "xlim", "ylim", "yticks", "logy"
    limits: Callable[[Sequence[Line]], dict] | None  #: options that follow from the lines


def drawing(drawn: Iterable[Line], x: str, y: str, options: dict[str, Any] | None = None, compared: bool = False,
            limits: Callable[[Sequence[Line]], dict] | None = None) -> Drawing:
    """Return a figure of lines; as `app.plots.lines.lines`, which draws one."""
    made = [checked(line) for line in drawn]
    return Drawing(made, x, y, compared, (limits(made) if limits is not None else {}) | (options or {}), limits)


def joined(first: Drawing, second: Drawing) -> Drawing:
    """Return the lines of both in one figure, the second's on top."""
    return drawing([*first.drawn, *second.drawn], first.x, first.y, None, first.compared, first.limits)


def checked(line: Line) -> Line:
    """Return a line all of whose numbers are arrays; a ValueError names what does not fit."""
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
        raise ValueError(f"tooltip of the line {shown(line.name)} must have one text a point, {arrays['x'].size}; "
                         f"got {len(line.tooltip)}")
    return line._replace(**arrays)


def columns_of(drawn: Sequence[Line]) -> dict[str, dict]:
    """Return the columns of each glyph: plain lines, lines that have dots, the dots, bands and bars."""
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
    """Lines on two axes: a HoloViews element like others, joined by ``*`` and ``+``."""

    group = param.String(default="Lines", constant=True)
    compared = param.Boolean(default=False, doc="Hovering anywhere tells every line's value there, not the nearest line's.")
    limits = param.Callable(default=None, allow_None=True, doc="Options that follow from the lines: `limits(lines)`.")

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
