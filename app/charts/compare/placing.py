"""Names of lines inside a frame: each beside its line, where it covers least of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.charts.compare.scene import Scene, Trace

LETTER, HEIGHT, AWAY = 6.6, 16.0, 9.0
"""Pixels of a letter, of a line of text, and between a point and its name."""


class Named(NamedTuple):
    """One name: where, in axis coordinates, and which end of it stands there."""

    x: float
    y: float
    text: str
    token: str
    align: str  #: "left" or "right"
    bold: bool


def place_names(scene: Scene, width: float, height: float) -> list[Named]:
    """Return the names of a scene's traces for a frame of so many pixels; one without room is left out."""
    if width < 60 or height < 60:
        return []
    lines = {trace.key: _path(scene, trace, width, height) for trace in scene.traces}
    taken: list[tuple[float, float, float, float]] = []
    named = []
    for x, words in scene.uprights:
        at = (x - scene.x.low) / (scene.x.high - scene.x.low) * width
        taken.append((at, 0.0, at + LETTER * len(words), 2 * HEIGHT))
    for trace in sorted((t for t in scene.traces if t.where), key=lambda t: (not t.bold, t.x.size)):
        best = None
        long = LETTER * len(trace.where) * (1.06 if trace.bold else 1.0)
        for x, y, align in _candidates(lines[trace.key], trace):
            left = x + AWAY if align == "left" else x - AWAY - long
            box = (left, y - HEIGHT / 2, left + long, y + HEIGHT / 2)
            if box[0] < 4 or box[2] > width - 2 or box[1] < 2 or box[3] > height - 2:
                continue
            cost = sum(60.0 for other in taken if _meet(box, other))
            cost += sum(_crossed(path, box) * (0.5 if key == trace.key else 1.0) for key, path in lines.items())
            cost += 0.002 * abs(y - 0.55 * height)
            if best is None or cost < best[0]:
                best = (cost, box, x, y, align)
        if best is None or best[0] >= 60.0:
            continue
        _, box, x, y, align = best
        taken.append(box)
        shift = AWAY if align == "left" else -AWAY
        named.append(Named(scene.x.low + (x + shift) / width * (scene.x.high - scene.x.low),
                           scene.y.low + y / height * (scene.y.high - scene.y.low), trace.where, trace.text, align,
                           trace.bold))
    return named


def _path(scene: Scene, trace: Trace, width: float, height: float) -> np.ndarray:
    """Points of a trace in pixels, close together along its line, (m, 2)."""
    x = (trace.x - scene.x.low) / (scene.x.high - scene.x.low) * width
    y = (trace.y - scene.y.low) / (scene.y.high - scene.y.low) * height
    if x.size < 2 or not trace.line:
        return np.column_stack([x, y])
    along = np.concatenate([[0.0], np.hypot(np.diff(x), np.diff(y)).cumsum()])
    at = np.linspace(0, along[-1], max(2, int(along[-1] / 6)))
    return np.column_stack([np.interp(at, along, x), np.interp(at, along, y)])


def _candidates(path: np.ndarray, trace: Trace) -> Sequence[tuple[float, float, str]]:
    if path.shape[0] == 1:
        x, y = path[0]
        return [(x, y, "left"), (x, y, "right"), (x - AWAY, y - HEIGHT, "left"), (x - AWAY, y + HEIGHT, "left"),
                (x + AWAY, y - HEIGHT, "right"), (x + AWAY, y + HEIGHT, "right")]
    few = path[:: max(1, len(path) // 60)]
    return [(x, y + shift, align) for x, y in few for align, shift in (("right", 3.0), ("left", -7.0), ("left", 5.0))]


def _meet(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _crossed(path: np.ndarray, box: tuple[float, float, float, float]) -> int:
    inside = ((path[:, 0] > box[0] - 3) & (path[:, 0] < box[2] + 3) & (path[:, 1] > box[1]) & (path[:, 1] < box[3]))
    return int(inside.sum())
