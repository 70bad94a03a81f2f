"""Names of lines inside a frame: each beside its line, where it covers least of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from app.compare.charts.scene import Scene, Trace

LETTER, HEIGHT, AWAY = 6.6, 16.0, 9.0
"""Pixels of a letter, of a line of text, and between a point and its name."""
OVER = 60.0  # cost of covering another name: rather none at all


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
    if width < 60 or height < 60 or not scene.traces:
        return []
    paths = [_path(scene, trace, width, height) for trace in scene.traces]
    points = np.concatenate(paths)
    owner = np.repeat(np.arange(len(paths)), [len(path) for path in paths])
    taken = [(_pixels(scene, x, width), 0.0, _pixels(scene, x, width) + LETTER * len(words), 2 * HEIGHT)
             for x, words in scene.uprights]
    named = []
    order = sorted((k for k, t in enumerate(scene.traces) if t.where),
                   key=lambda k: (not scene.traces[k].bold, scene.traces[k].x.size))
    for k in order:
        trace = scene.traces[k]
        long = LETTER * len(trace.where) * (1.06 if trace.bold else 1.0)
        at = np.array(_candidates(paths[k]))  # x, y, and 1 where the name begins there, 0 where it ends
        left = np.where(at[:, 2] == 1.0, at[:, 0] + AWAY, at[:, 0] - AWAY - long)
        box = np.column_stack([left, at[:, 1] - HEIGHT / 2, left + long, at[:, 1] + HEIGHT / 2])
        cost = 0.002 * np.abs(at[:, 1] - 0.55 * height) + _crossed(points, np.where(owner == k, 0.5, 1.0), box)
        for other in taken:
            cost += OVER * ((box[:, 0] < other[2]) & (other[0] < box[:, 2]) & (box[:, 1] < other[3])
                            & (other[1] < box[:, 3]))
        cost[(box[:, 0] < 4) | (box[:, 2] > width - 2) | (box[:, 1] < 2) | (box[:, 3] > height - 2)] = np.inf
        best = int(np.argmin(cost))
        if cost[best] >= OVER:
            continue
        taken.append(tuple(box[best]))
        x, y, begins = at[best]
        shift = AWAY if begins else -AWAY
        named.append(Named(scene.x.low + (x + shift) / width * (scene.x.high - scene.x.low),
                           scene.y.low + y / height * (scene.y.high - scene.y.low), trace.where, trace.text,
                           "left" if begins else "right", trace.bold))
    return named


def _pixels(scene: Scene, x: float, width: float) -> float:
    return (x - scene.x.low) / (scene.x.high - scene.x.low) * width


def _path(scene: Scene, trace: Trace, width: float, height: float) -> np.ndarray:
    """Points of a trace in pixels, close together along its line, (m, 2)."""
    x = (trace.x - scene.x.low) / (scene.x.high - scene.x.low) * width
    y = (trace.y - scene.y.low) / (scene.y.high - scene.y.low) * height
    if x.size < 2 or not trace.line:
        return np.column_stack([x, y])
    along = np.concatenate([[0.0], np.hypot(np.diff(x), np.diff(y)).cumsum()])
    at = np.linspace(0, along[-1], max(2, int(along[-1] / 6)))
    return np.column_stack([np.interp(at, along, x), np.interp(at, along, y)])


def _candidates(path: np.ndarray) -> list[tuple[float, float, float]]:
    if path.shape[0] == 1:
        x, y = path[0]
        return [(x, y, 1.0), (x, y, 0.0), (x - AWAY, y - HEIGHT, 1.0), (x - AWAY, y + HEIGHT, 1.0),
                (x + AWAY, y - HEIGHT, 0.0), (x + AWAY, y + HEIGHT, 0.0)]
    few = path[:: max(1, len(path) // 60)]
    return [(x, y + shift, begins) for x, y in few for begins, shift in ((0.0, 3.0), (1.0, -7.0), (1.0, 5.0))]


def _crossed(points: np.ndarray, weights: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Weight of the points that each box covers, (p, 2), (p,), (m, 4) -> (m,)."""
    x, y = points[:, 0], points[:, 1]
    inside = ((x > box[:, :1] - 3) & (x < box[:, 2:3] + 3) & (y > box[:, 1:2]) & (y < box[:, 3:]))
    return inside @ weights
