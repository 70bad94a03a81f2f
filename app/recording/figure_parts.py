"""Live's charts as plain descriptions, read off their own Bokeh models, so that a recording draws what Live draws.

A glyph's properties come as ``{"field": column}``, ``{"value": v}`` or ``{"token": name of a colour}``; the nine glyphs
that Live's charts are made of are drawn by ``js/glyphs.js``.
"""

from __future__ import annotations

from typing import Any

from bokeh.core.property.vectorization import Field, Value
from bokeh.models import GlyphRenderer, Span

from app.live.charts import stack as stack_of_charts
from app.live.charts import time_panel
from app.live.charts.stack import ChartStack
from app.live.charts.time_panel import TimePanel
from app.theme import Paint

GLYPHS = ("VArea", "Line", "Scatter", "Segment", "VSpan", "Quad", "VStrip", "Text", "Span")
"""What ``js/glyphs.js`` can draw."""


def describe(stack: ChartStack) -> dict[str, Any]:
    """Return the four panels top to bottom with their parts, and the measures of their layout in pixels.

    A ghost is another run and not in a recording.
    """
    sources = {id(stack.source): "series", id(stack.marks.lines): "lines", id(stack.marks.bands): "bands",
               id(stack.marks.texts): "texts", id(stack.distance.exits): "exits", id(stack.distance.one): "one"}
    for panel, axis in zip(stack.panels, stack.axes, strict=True):
        sources |= {id(panel.labels): "labels", id(axis.now): "now", id(axis.checkpoints): "checkpoints"}
    tokens = _tokens(stack.paint)
    margins = {"left": time_panel.LEFT, "right": time_panel.RIGHT, "gap": time_panel.GAP, "axis": time_panel.AXIS,
               "labelGap": time_panel.LABEL_GAP, "compactLeft": time_panel.COMPACT_LEFT,
               "compactRight": time_panel.COMPACT_RIGHT, "compactHeight": time_panel.COMPACT_HEIGHT,
               "natural": stack_of_charts.NATURAL_HEIGHT, "first": stack_of_charts.FIRST_EPOCH}
    return {"panels": [_panel(panel, sources, tokens) for panel in stack.panels], "margins": margins,
            "axis": {"label": stack.axes[-1].axis.axis_label, "short": "epoch t (log), ◇ checkpoint"}}


def _panel(panel: TimePanel, sources: dict[int, str], tokens: dict[int, dict[str, str]]) -> dict[str, Any]:
    drawn = [renderer for renderer in panel.figure.renderers if isinstance(renderer, GlyphRenderer)]
    parts = [_part(renderer, sources, tokens) for renderer in drawn if id(renderer.data_source) in sources]
    parts += [_span(span, tokens) for span in panel.figure.center if isinstance(span, Span)]
    return {"name": panel.name, "title": panel.title, "short": panel.short_title, "subtitle": panel.subtitle,
            "height": panel.height, "log": panel.log, "above": panel.above, "headroom": panel.headroom,
            "hover": [list(row) for row in panel.hover], "parts": parts}


def _part(renderer: GlyphRenderer, sources: dict[int, str], tokens: dict[int, dict[str, str]]) -> dict[str, Any]:
    glyph = renderer.glyph
    kind = type(glyph).__name__
    if kind not in GLYPHS:
        raise ValueError(f"a chart of Live has a glyph {kind}; a recording draws {', '.join(GLYPHS)}. Teach js/glyphs.js.")
    roles = tokens.get(id(glyph), {})
    values = {name: _value(value) for name, value in glyph.properties_with_values(include_defaults=False).items()}
    return {"glyph": kind, "level": renderer.level, "source": sources[id(renderer.data_source)],
            **values, **{name: {"token": token} for name, token in roles.items()}}


def _span(span: Span, tokens: dict[int, dict[str, str]]) -> dict[str, Any]:
    if span.dimension != "width":
        raise ValueError(f"a chart of Live has a span along {span.dimension}; a recording draws those along the width.")
    roles = {name: {"token": token} for name, token in tokens.get(id(span), {}).items()}
    return {"glyph": "Span", "level": "annotation", "source": "", "y": {"value": span.location},
            "line_width": {"value": span.line_width}, **roles}


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, Field):
        return {"field": value.field}
    return {"value": value.value if isinstance(value, Value) else value}


def _tokens(paint: Paint) -> dict[int, dict[str, str]]:
    """Model's id -> property -> colour token, as the charts were painted."""
    found: dict[int, dict[str, str]] = {}
    for model, roles in paint.strokes:
        found.setdefault(id(model), {}).update(roles)
    return found
