"""Figure 1 as a scene: a row a sampler, a point a data set, the printed number as a diamond."""

from __future__ import annotations

import numpy as np

from app.compare.charts.scene import Axis, Scene, Trace, linear_axis
from app.compare.picture import PaperPicture
from app.compare.samplers import LOOKS, name_of
from app.live.charts.end_labels import EndLabel

ROWS = ("laplace", "saga", "pg", "mala", "online_laplace", "sgld_same", "sgld")
"""From the bottom up, as the paper's legend has them from the top down."""


def row_name(key: str) -> str:
    """Return a sampler's name in Figure 1."""
    return {"sgld": "SGLD, paper’s step", "sgld_same": "SGLD, SAGA’s step"}.get(key, name_of(key))


def paper_scene(picture: PaperPicture | None, printed: dict[str, float]) -> Scene:
    """Return the rows; without a figure only what is printed."""
    figure = None if picture is None else picture.figure
    lowest = min([*printed.values(), *([] if figure is None else [float(a.min()) for a in figure.accuracy.values()])])
    x = linear_axis(min(0.4, np.floor(lowest * 10) / 10), 1.0, "marginal accuracy", lambda v: f"{v:.1f}", 6)
    y = Axis(-0.6, len(ROWS) - 0.3, {float(i): row_name(key) for i, key in enumerate(ROWS)}, "")
    traces, ends, uprights = [], [], []
    for i, key in enumerate(ROWS):
        look = LOOKS[key]
        if figure is not None:
            values = figure.accuracy[key]
            told = tuple((f"data set {j}", f"accuracy {v:.3f}, ceiling {c:.3f}")
                         for j, (v, c) in enumerate(zip(values, figure.ceiling, strict=True)))
            lift = 0.16 * (np.arange(values.size) % 3 - 1)
            traces.append(Trace(key, row_name(key), look.token, look.text, values, i + lift, told, line=False))
            ends.append(EndLabel(i, f"{values.mean():.3f}" + (f", printed {printed[key]:.3f}" if key in printed else ""),
                                 look.text, key == "saga"))
        elif key in printed:
            ends.append(EndLabel(i, f"printed {printed[key]:.3f}", look.text, key == "saga"))
        if key in printed:
            traces.append(Trace(f"{key}-printed", row_name(key), "esc", "esctx", np.array([printed[key]]),
                                np.array([float(i)]), (("as LMV-n prints it", f"accuracy {printed[key]:.3f}"),),
                                marker="diamond", line=False))
    if figure is not None:
        ceiling = float(figure.ceiling.mean())
        uprights.append((ceiling, f"ceiling {ceiling:.3f}"))
    return Scene(x, y, tuple(traces), None, tuple(uprights), tuple(ends))
