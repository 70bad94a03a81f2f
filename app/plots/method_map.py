"""Map of each method's error against the exact posterior, by regime and number of data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bokeh.models import AllLabels
from holoviews import Dimension

from app.plots.cells import Cell, Cells
from app.plots.looks import sampler_look
from app.plots.style import tidy

SHORT = {"gaussian": "near\nnormal", "separable": "sepa-\nrable", "rare": "one in\n200", "collinear": "colli-\nnear",
         "drift": "mode\ndrifts", "leverage": "heavy\nrows"}
"""Key of a regime -> its name under the map, in two lines to fit a phone."""
TIMES = (100, 1_000, 10_000)
GAP = 0.5
"""Space between two regimes, in widths of a box."""
SPAN = math.log(30.0)
"""Logarithm of the ratio of error to limit at the weak end of the ramp."""
STAR = "★"


def method_map(table: Any, dim: int) -> Cells:
    """Draw each method's largest error of a posterior mean in all regimes of one dimension, best method at the top.

    A box has the ramp's strongest colour if the error is within its limit, which includes the noise of the draws and of
    the truth, and a hatch if the widths exceed theirs; "★" marks the method that is good enough in the fewest seconds.

    Parameters
    ----------
    table : MethodMap
        Result of `app.compare.method_map.shipped_map`.
    dim : int
        Dimension of the drawn columns; boxes without a run are empty.
    """
    at = {(c.regime, c.t): i for i, c in enumerate(table.columns) if c.dim == dim}
    order, first = table.order, table.cheapest
    boxes, rows = [], []
    for y, i in zip(range(0, -len(order), -1), order, strict=True):  # y <= 0: for y > 0 centres would be geometric means
        look = sampler_look(table.methods[i])
        rows.append((y, look.short))
        for k, regime in enumerate(SHORT):
            for m, t in enumerate(TIMES):
                left = k * (len(TIMES) + GAP) + m
                sides = (left + 0.04, left + 0.96, y - 0.45, y + 0.45)
                boxes.append(_box(table, i, at.get((regime, t)), sides, [look.name, _place(regime, dim, t)], first))
    middles = [(k * (len(TIMES) + GAP) + len(TIMES) / 2, words) for k, words in enumerate(SHORT.values())]
    wide = len(SHORT) * (len(TIMES) + GAP) - GAP
    axes = [Dimension(("x", "in each: 100, 1,000 and 10,000 data")), Dimension(("y", "method"))]
    return Cells(boxes, axes).opts(xlim=(-0.1, wide + 0.1), ylim=(0.4 - len(order), 0.6), xticks=middles, yticks=rows[::-1],
                                   hooks=[tidy, _name_every_row])


def _name_every_row(plot: Any, element: Cells) -> None:
    """Keep the names of all rows on a phone, where rows are 14 pixels apart."""
    plot.state.yaxis[0].major_label_policy = AllLabels()


def _place(regime: str, dim: int, t: int) -> str:
    return f"{SHORT[regime].replace('-' + chr(10), '').replace(chr(10), ' ')}, d = {dim}, {t:,} data"


def _box(table: Any, i: int, j: int | None, sides: tuple, tooltip: list[str], first: np.ndarray) -> Cell:
    """Return the box of method i at column j; j is None if the map has no such column."""
    if j is None or table.runs[i, j] == 0:
        return Cell(*sides, math.nan, "", "faint", "\n".join([*tooltip, "not run"]), edge="faint", dashed=True)
    if table.runs[i, j] < 0:
        return Cell(*sides, math.nan, "–", "reference", "\n".join([*tooltip, "cannot run here"]), edge="faint")
    error, limit, enough = table.error[i, j], table.limit[j], bool(table.enough[i, j])
    shade = float(np.clip(1 - math.log(max(error / limit, 1.0)) / SPAN, 0, 1)) if math.isfinite(error) else 0.0
    best = first[j] == i
    tooltip += [f"largest error of a mean {short(error)} sd, limit {limit:.2f}",
             f"widths {table.narrowest[i, j]:.2f} to {table.widest[i, j]:.2f}, limit 1 ± {table.width_limit[j]:.2f}",
             f"{table.gradients[i, j]:,.0f} gradients, {table.seconds[i, j]:.2g} s per datum",
             f"good enough in {table.good[i, j]:.0f} of {table.runs[i, j]:.0f} seeds" + (": the cheapest" if best else "")]
    shade = 0.55 * shade**2 + 0.45 * shade
    ink = "over" if shade > 0.87 else "middle" if shade > 0.66 else "truth"
    hatch = " " if enough or error > limit else "/"
    return Cell(*sides, shade, STAR if best else short(error), ink, "\n".join(tooltip), hatch)


def short(error: float) -> str:
    """Return an error in at most three characters: .07, 1.2, 35, ∞."""
    if not math.isfinite(error):
        return "∞"
    return f"{error:.2f}".removeprefix("0") if error < 0.995 else f"{error:.1f}" if error < 9.95 else f"{min(error, 99):.0f}"
