"""`drawings_of`: drawings of a result, as arrays and plain Python; translated to JavaScript for the single-file lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.exit_time.bound_curves import CURVES
from app.plots.exit_path_drawings import paths_drawing, process_drawing, pushes_drawing, sums_drawing
from app.plots.exit_probability_drawings import bounds_drawing, promise_drawing, survival_drawing
from app.plots.lines import Drawing, joined

if TYPE_CHECKING:
    from app.exit_time.job import ExitResult


def drawings_of(result: ExitResult, squared: bool) -> dict[str, Drawing]:
    """Return figure name -> drawing of the available parts of a result; ``squared``: paths are squared distances."""
    config, pushes = result.config, result.crowd.pushes
    made = {"paths": drawn_paths(result, squared), "survival": drawn_survival(result),
            "square": pushes_drawing(pushes, config.dim, config.radius, True),
            "plain": pushes_drawing(pushes, config.dim, config.radius, False)}
    if result.sums is not None:
        made["sums"] = sums_drawing(result.sums.parts, config.radius, result.sums.chain, result.sums.left)
    if result.process is not None:
        made["process"] = process_drawing(result.process)
    if result.promise is not None:
        made["promise"] = promise_drawing(result.promise)
    return made


def drawn_paths(result: ExitResult, squared: bool) -> Drawing:
    """Return the drawing of the paths, as squared distances or distances."""
    config = result.config
    lift = 2 * config.step_size * config.dim / config.radius**2
    return paths_drawing(result.crowd, squared, lift, result.sums, config.steps)


def drawn_survival(result: ExitResult) -> Drawing:
    """Return the drawing of the share of chains still inside, the comparison walk's share, and the lower bounds."""
    crowd, curves, config = result.crowd, result.bounds, result.config
    exits = {name: values for name, values in curves.exits.items() if name != "local" or config.curvature > 0}
    figure = bounds_drawing(exits, curves.steps, (), crowd.inside, curves.batch, "local" in exits)
    if crowd.free is not None:
        name = "the free walk itself" if crowd.same else "free walk"
        figure = joined(survival_drawing(crowd.free, name, "reference"), figure)
    return joined(figure, survival_drawing(crowd.inside))


def survival_columns(result: ExitResult) -> dict[str, np.ndarray]:
    """Return name -> values by step: share inside, its band, the comparison walk's share, and the lower bounds."""
    crowd, bounds = result.crowd, result.bounds
    inside = crowd.inside
    columns = {"step": inside.steps, "inside": inside.share, "band_low": inside.low, "band_high": inside.high}
    if crowd.free is not None:
        columns["free_walk"] = crowd.free.share
    for name in CURVES:
        stays = bounds.stays(name)
        if stays is not None:
            columns[name] = np.interp(inside.steps, bounds.steps, stays)
    return columns
