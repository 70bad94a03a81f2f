"""Where the points of a coreset lie among the data, and the panels of the Hot DoG paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.plots.axis_ticks import plain_ticks, steady
from app.plots.line_columns import checked
from app.plots.lines import Line, Lines, lines

UNIT, LARGEST = 7.0, 46.0
"""Diameter of a point with the first weight N/M, and the largest, pixels."""


def coreset_points(x: np.ndarray, y: np.ndarray, weights: np.ndarray, *, rows: np.ndarray | None = None,
                   positive: np.ndarray | None = None, behind: tuple[np.ndarray, np.ndarray] | None = None,
                   names: tuple[str, str] = ("x", "y"), xlim: tuple[float, float] | None = None,
                   ylim: tuple[float, float] | None = None) -> Lines:
    """Draw the points of a coreset over the data they stand for: the area of a point is its weight, crosses weigh 0.

    Parameters
    ----------
    x, y : (m,) arrays
    weights : (m,) array
        In units of the first weight N/M.
    rows : (m,) ints, optional
        Indices in the data, tooltip on hover.
    positive : (m,) bools, optional
        Points with label 1, which have a colour of their own.
    behind : (x, y) of (n,) arrays, optional
        The data.
    names : (str, str)
        Of the axes.
    xlim, ylim : (float, float), optional
    """
    x, y, weights = (np.asarray(one, float) for one in (x, y, weights))
    positive = np.zeros(x.size, bool) if positive is None else np.asarray(positive, bool)
    rows = np.arange(x.size) if rows is None else np.asarray(rows)
    drawn = []
    if behind is not None and len(behind[0]):
        drawn.append(Line("data", *behind, "reference", "spots", size=3.0, alpha=0.5, silent=True))
    size = np.minimum(LARGEST, np.maximum(1.5, UNIT * np.sqrt(np.maximum(weights, 0))))
    for name, role, chosen in (("coreset points", "ours", ~positive), ("coreset points, label 1", "exit", positive)):
        at = np.flatnonzero(chosen & (weights > 0))
        if at.size:
            tooltip = [f"datum {rows[k]:,}\nweight ÷ (N/M) {weights[k]:.3f}" for k in at]
            drawn.append(Line(name, x[at], y[at], role, "bubbles", size=size[at], tooltip=tooltip, key=name))
    gone = weights <= 0
    if gone.any():
        drawn.append(Line("weight 0", x[gone], y[gone], "reference", "cross", tooltip=[
            f"datum {row:,}\nweight 0" for row in rows[gone]]))
    limits = {key: value for key, value in (("xlim", xlim), ("ylim", ylim)) if value is not None}
    return lines(drawn, *names, **limits)


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
