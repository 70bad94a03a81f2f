"""`Line` and `Drawing`: lines of a figure before any library draws them, and the columns of each glyph that shows them.

Arrays and plain Python only: the lab in one file draws the same lines from its translation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from app.plots.style import ROLES
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
