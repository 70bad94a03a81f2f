"""Marks of what the user changed: dotted lines through every panel, bands for switches, named once on top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bokeh.core.properties import value
from bokeh.models import ColumnDataSource

from app.live.charts.time_panel import TimePanel
from app.theme import FONT, Paint, tokens

if TYPE_CHECKING:
    from app.live.snapshot import Event

OFF = " off"
TEXT_TOKEN = {"switch": "sgldtx", "knob": "hot", "chains": "acctx"}
CHARACTER = 6.2
"""Mean width of a character of the event texts (pixels), for deciding which fit."""
BEYOND = 10
"""Pixels right of the axis that a text may reach: there stand the buttons that save the charts."""
NEAR = 24
"""Switches turned off within this many pixels of each other are named in one text."""

Placed = tuple[float, str, str]
"""Centre of a text in pixels from the start of the axis, the text, its kind."""


def choose_texts(events: Sequence[Event], start: float, end: float, width: float) -> list[Placed]:
    """Return the texts of the events that can be named: the newest first, none over another.

    A text is centred on its mark, or moved so that it stays inside [0, width + BEYOND], or moved left of a newer
    text as long as it still touches its mark.
    """
    scale = width / math.log(end / start)
    chosen: list[tuple[float, str, str]] = []
    taken: list[tuple[float, float]] = []
    for event in reversed(_together(events, start, NEAR / scale, int((width + BEYOND) / CHARACTER))):
        last = min(event.t_end or event.t, end)
        if last < start or event.t > end:
            continue
        middle = (math.log(max(event.t, start) / start) + math.log(last / start)) / 2 * scale
        half = len(event.text) * CHARACTER / 2
        x = min(max(middle, half), width + BEYOND - half)
        edge = min((low for low, high in taken if x + half + 8 > low and x - half - 8 < high), default=None)
        if edge is not None:
            x = edge - 8 - half
        if x >= half and middle - x <= half and all(x + half < low or x - half > high for low, high in taken):
            taken.append((x - half, x + half))
            chosen.append((x, event.text, event.kind))
    return chosen


def _together(events: Sequence[Event], start: float, near: float, longest: int) -> list[Event]:
    """Return the events in order, switches that went off close together (`near` in log epochs) as one.

    A text of more than `longest` characters says how many they are.
    """
    joined: list[Event] = []
    names: list[str] = []
    for event in sorted(events, key=lambda e: e.t):
        last = joined[-1] if joined else None
        if (last is not None and event.kind == last.kind == "switch" and event.text.endswith(OFF) and last.text.endswith(OFF)
                and math.log(max(event.t, start) / max(last.t, start)) < near):
            names.append(event.text.removesuffix(OFF))
            text = ", ".join(names) + OFF
            text = text if len(text) <= longest else f"{len(names)} switches{OFF}"
            joined[-1] = replace(last, text=text, t_end=last.t_end and event.t_end)
        else:
            joined.append(event)
            names = [event.text.removesuffix(OFF)]
    return joined


class EventMarks:
    """Draws the events into the panels, from two sources they share."""

    def __init__(self, panels: Sequence[TimePanel], paint: Paint) -> None:
        self.lines = ColumnDataSource({"t": []})
        self.bands = ColumnDataSource({"t": [], "t_end": []})
        self.texts = ColumnDataSource({"x": [], "y": [], "text": [], "color": []})
        self._kinds: list[str] = []
        self._events: tuple[Event, ...] | None = None
        for panel in panels:
            plot = panel.figure
            dotted = {"source": self.lines, "line_width": 1, "line_dash": [2, 3], "level": "underlay"}
            line = (plot.segment(x0="t", x1="t", y0=0, y1=1, **dotted) if panel.headroom  # not through the texts
                    else plot.vspan(x="t", **dotted))
            paint(line.glyph, line_color="ink2")
            if panel.headroom:
                band = plot.quad(left="t", right="t_end", bottom=0, top=1, source=self.bands, line_color=None,
                                 fill_alpha=0.16, level="underlay")
                paint(band.glyph, fill_color="sgld")
                plot.text("x", "y", "text", source=self.texts, text_align="center", text_baseline="middle",
                          y_offset=-9, text_color="color", text_font=value(FONT), text_font_size="11.5px",
                          text_font_style="bold", level="overlay")
                self._carrier = panel
            else:
                strip = plot.vstrip(x0="t", x1="t_end", source=self.bands, line_color=None, fill_alpha=0.16,
                                    level="underlay")
                paint(strip.glyph, fill_color="sgld")

    def update(self, events: tuple[Event, ...], start: float, end: float, now: int, width: float,
               dark: bool) -> None:
        """Draw these events on an epoch axis from `start` to `end`, `width` pixels wide."""
        if events != self._events:
            self._events = events
            marks = [t for event in events for t in (event.t, event.t_end) if t is not None]
            self.lines.data = {"t": marks}
        bands = [(event.t, min(event.t_end, end)) for event in events if event.t_end is not None]
        if len(bands) != len(self.bands.data["t"]) or [b[1] for b in bands] != self.bands.data["t_end"]:
            self.bands.data = {"t": [b[0] for b in bands], "t_end": [b[1] for b in bands]}
        chosen = choose_texts(events, start, end, width)
        self._kinds = [kind for _, _, kind in chosen]
        xs = [start * (end / start) ** (x / width) for x, _, _ in chosen]
        ys = [self._carrier.y_range.end] * len(chosen)
        texts = [text for _, text, _ in chosen]
        if (xs, ys, texts) != (self.texts.data["x"], self.texts.data["y"], self.texts.data["text"]):
            self.texts.data = {"x": xs, "y": ys, "text": texts, "color": self._colours(dark)}

    def _colours(self, dark: bool) -> list[str]:
        palette = tokens(dark)
        return [palette[TEXT_TOKEN.get(kind, "ink")] for kind in self._kinds]

    def recolour(self, dark: bool) -> None:
        """Repaint the texts."""
        self.texts.data = {**self.texts.data, "color": self._colours(dark)}
