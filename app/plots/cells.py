"""`Cells`: the HoloViews element of a map, boxes on two axes with a text in each and an optional ring around one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import param
from bokeh.core.properties import value

from app.plots.drawing import Parts, RolePlot, register
from app.theme import FONT

RING = "#e8661c"
"""Outline colour of the box that a tap has selected, visible in both themes."""


class Cell(NamedTuple):
    """One box."""

    left: float
    right: float
    low: float
    high: float
    shade: float  #: position on the ramp, in [0, 1]; nan for no colour
    text: str  #: label in the middle
    ink: str  #: role of the text
    tooltip: str  #: hover text, several lines
    hatch: str = " "  #: Bokeh's letter of a hatch pattern
    edge: str = ""  #: role of the outline; empty for none
    dashed: bool = False  #: whether the outline is dashed
    key: object = None  #: argument of the callback of `taps`


class Note(NamedTuple):
    """A text next to or above the boxes."""

    x: float
    y: float
    text: str
    ink: str = "reference"  #: role of the text
    align: str = "center"  #: "left", "center", "right"
    bold: bool = False
    size: str = "11px"


class Cells(Parts):
    """Boxes on two axes; `ringed` is the index of the selected one."""

    group = param.String(default="Cells", constant=True)
    ringed = param.Integer(default=None, allow_None=True, doc="Index of the box with a ring.")
    notes = param.ClassSelector(default=(), class_=tuple, doc="Texts next to or above the boxes.")

    def dimension_values(self, dimension, expanded=True, flat=True) -> np.ndarray:
        """Return all edges along a dimension, for the axis limits."""
        k = 2 * self.get_dimension_index(dimension)
        return np.array([edge for cell in self.data for edge in cell[k:k + 2]], float)


class CellsPlot(RolePlot):
    """Plot of `Cells`: boxes, the ring, and texts above every other layer of the map."""

    interactive = ("quad_1",)

    @staticmethod
    def columns(element: Cells) -> dict[str, dict]:
        """Return the columns of boxes, ring and texts."""
        cells, notes = element.data, element.notes
        edges = ("left", "right", "low", "high")
        ring = [] if element.ringed is None else [cells[element.ringed]]
        middles = [((c.left * c.right) ** 0.5, (c.low * c.high) ** 0.5) if min(c[:4]) > 0 else
                   ((c.left + c.right) / 2, (c.low + c.high) / 2) for c in cells]
        boxes = {key: [getattr(cell, key) for cell in cells] for key in (*edges, "shade", "tooltip", "hatch", "key")}
        boxes |= {"edge": [cell.edge or "card" for cell in cells], "silent": [False] * len(cells),
                  "dash": ["dashed" if cell.dashed else "solid" for cell in cells]}
        return {
            "quad_1": boxes, "quad_2": {key: [getattr(cell, key) for cell in ring] for key in edges},
            "text_1": {"x": [x for x, _ in middles], "y": [y for _, y in middles], "text": [c.text for c in cells],
                       "ink": [cell.ink for cell in cells], "shade": [cell.shade for cell in cells],
                       "cover": [0.9 * bool(np.isfinite(cell.shade)) for cell in cells]},
            "text_2": {key: [getattr(note, key) for note in notes] for key in ("x", "y", "text", "ink", "align", "size")}
            | {"style": ["bold" if note.bold else "normal" for note in notes]}}

    def mapping(self, element: Cells) -> dict[str, dict]:
        """Return the column or value of each glyph property."""
        shade = {"field": "shade", "transform": self.mapper("ramp")}
        edge = {"field": "edge", "transform": self.mapper("lines")}
        ink = {"field": "ink", "transform": self.mapper("words")}
        place = {"left": "left", "right": "right", "bottom": "low", "top": "high"}
        words = {"x": "x", "y": "y", "text": "text", "text_color": ink, "text_baseline": "middle",
                 "text_font": value(FONT)}
        return {
            "quad_1": {**place, "fill_color": shade, "line_color": edge, "line_dash": "dash", "border_radius": 3,
                       "hatch_pattern": {"field": "hatch"}, "hatch_alpha": 0.2, "hatch_weight": 1, "hatch_scale": 8,
                       "hatch_color": "#7f8a96"},
            "quad_2": {**place, "fill_alpha": 0.0, "line_color": RING, "line_width": 3, "border_radius": 5},
            "text_1": {**words, "text_align": "center", "text_font_size": "12px",
                       "background_fill_color": shade, "background_fill_alpha": "cover"},
            "text_2": {**words, "text_align": "align", "text_font_size": "size", "text_font_style": "style"}}

    def draw(self, plot, element) -> None:
        """Draw the boxes, the ring and the texts, and add the hover tool."""
        super().draw(plot, element)
        self.add_hover(plot, element, attachment="below")  # the tooltip leaves this row and the rows above visible
        boxes, ring, digits, notes = (self.handles[f"{name}_glyph_renderer"]
                                      for name in ("quad_1", "quad_2", "text_1", "text_2"))
        boxes.selection_glyph = boxes.glyph.clone(line_color=RING, line_width=3)
        ring.level, digits.level, notes.level = "annotation", "annotation", "overlay"
        digits.name, notes.name = "digits", "notes"


register(Cells, CellsPlot, show_grid=False)
