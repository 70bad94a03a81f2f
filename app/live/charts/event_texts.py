"""Which of the events are named over the charts, and where: plain Python, translated for the lab in one file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.live.timeline import Event

OFF = " off"
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
    chosen: list[Placed] = []
    taken: list[tuple[float, float]] = []
    for event in reversed(_together(events, start, NEAR / scale, int((width + BEYOND) / CHARACTER))):
        last = min(event.t_end or event.t, end)
        if last < start or event.t > end:
            continue
        middle = (math.log(max(event.t, start) / start) + math.log(last / start)) / 2 * scale
        half = len(event.text) * CHARACTER / 2
        x = min(max(middle, half), width + BEYOND - half)
        edge = min([low for low, high in taken if x + half + 8 > low and x - half - 8 < high], default=math.inf)
        x = min(x, edge - 8 - half)
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
    for event in sorted(events, key=lambda event: event.t):
        name = event.text[: -len(OFF)] if _off(event) else event.text
        last = joined[-1] if joined and _off(joined[-1]) and _off(event) else None
        if last is not None and math.log(max(event.t, start) / max(last.t, start)) < near:
            names.append(name)
            text = ", ".join(names) + OFF
            text = text if len(text) <= longest else f"{len(names)} switches{OFF}"
            joined[-1] = replace(last, text=text, t_end=last.t_end and event.t_end)
        else:
            joined.append(event)
            names = [name]
    return joined


def _off(event: Event) -> bool:
    return event.kind == "switch" and event.text.endswith(OFF)
