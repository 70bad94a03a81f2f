"""Lines of equal predicted accuracy over the map."""

from __future__ import annotations

import contourpy
import numpy as np

BELOW = (0.015, 0.045, 0.145)
"""Below the ceiling; the levels drawn are these, rounded."""


def levels(ceiling: float) -> list[float]:
    """Return the levels worth drawing under a ceiling: .93, .90 and .80 under 0.946."""
    found = sorted({round(ceiling - gap, 2) for gap in BELOW})
    return [level for level in found if level > 0.05]


def lines(surface: np.ndarray, x: np.ndarray, y: np.ndarray, level: float) -> list[np.ndarray]:
    """Return polylines (n, 2) in the coordinates x (m,) and y (k,) of a surface (k, m)."""
    if min(surface.shape) < 2:
        return []
    made = contourpy.contour_generator(x, y, surface)
    return [np.asarray(line) for line in made.lines(level) if len(line) > 2]


def label_at(line: np.ndarray, taken: list[tuple[float, float]], width: float, height: float) -> tuple[float, float] | None:
    """Return a point of the line inside the map with room for a label about the middle of the line."""
    inside = [(float(a), float(b)) for a, b in line if 0.5 <= a <= width - 0.5 and 0.3 <= b <= height - 0.3]
    for a, b in sorted(inside, key=lambda p: abs(inside.index(p) - len(inside) / 2)):
        if all(abs(a - p) > 0.8 or abs(b - q) > 0.5 for p, q in taken):
            return a, b
    return None
