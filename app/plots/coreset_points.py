"""Where the points of a coreset lie among the data, and the panels of the Hot DoG paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.plots.axis_ticks import plain_ticks, steady
from app.plots.line_columns import checked
from app.plots.lines import Line, Lines, lines

UNIT, LARGEST = 7.0, 46.0
"""Diameter of a point with the first weight N/M, and the largest, pixels."""


def coreset_points(points=None, behind=None) -> Lines:
    """Draw the points of a coreset over the data they stand for: the area of a point is its weight, crosses weigh 0.

    Parameters
    ----------
    points : object, optional
        With ``x``, ``y``, ``weight`` in units of the first weight N/M, ``row``, indices in the data, and ``positive``, true
        of label 1, which has a colour of its own: (m,) each.
    behind : object, optional
        The data: ``x`` and ``y``, (n,) each, ``names`` of the axes, and their limits ``xlim`` and ``ylim``.
    """
    drawn = [] if points is None else _weighted(points)
    if behind is None:
        return lines(drawn, "x", "y")
    data = Line("data", behind.x, behind.y, "reference", "spots", size=3.0, alpha=0.5, silent=True)
    return lines([data, *drawn], *behind.names, xlim=behind.xlim, ylim=behind.ylim)


def _weighted(points) -> list[Line]:
    weight, rows, drawn = points.weight, points.row, []
    size = np.minimum(LARGEST, np.maximum(1.5, UNIT * np.sqrt(np.maximum(weight, 0))))
    for name, role, chosen in (("coreset points", "ours", ~points.positive),
                               ("coreset points, label 1", "exit", points.positive)):
        at = np.flatnonzero(chosen & (weight > 0))
        if at.size:
            tooltip = [f"datum {rows[k]:,}\nweight ÷ (N/M) {weight[k]:.3f}" for k in at]
            drawn.append(Line(name, points.x[at], points.y[at], role, "bubbles", size=size[at], tooltip=tooltip, key=name))
    gone = weight <= 0
    if gone.any():
        drawn.append(Line("weight 0", points.x[gone], points.y[gone], "reference", "cross", tooltip=[
            f"datum {row:,}\nweight 0" for row in rows[gone]]))
    return drawn


def coreset_panel(series: Sequence[Line], *, x: str = "iteration", y: str = "value", start: float = 10.0,
                  end: float | None = None, level: float | None = None, ticks: Mapping[float, str] | None = None) -> Lines:
    """Draw one model's part of a figure of the Hot DoG paper; put several side by side with ``+``.

    Parameters
    ----------
    series : sequence of Line
        Values that are not above 0 are left out.
    x, y : str
        What is on the axes.
    start, end : float
        Of the axis x.
    level : float, optional
        A dashed line to compare with.
    ticks : dict of place to name, optional
        Names instead of numbers on the axis.
    """
    drawn = [line._replace(y=np.where(np.isfinite(line.y) & (line.y > 0), line.y, np.nan))
             for line in map(checked, series)]
    if ticks:
        start, end = min(ticks) / 3, max(ticks) * 3
    end = max([1.2 * start, end or 0.0, *(float(line.x[-1]) for line in drawn if line.x.size)])
    if level is not None:
        drawn.insert(0, Line("to compare", np.array([start, end]), np.full(2, float(level)), "truth", "dash", width=1.4,
                             silent=True))
    limits = steady([line.y for line in drawn], 1.0)
    return lines(drawn, x, y, logx=True, logy=True, xlim=(start, end), ylim=limits, yticks=plain_ticks(*limits, 4),
                 xticks=list(ticks.items()) if ticks else plain_ticks(start, end, 4))
