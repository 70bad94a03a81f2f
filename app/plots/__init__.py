"""Figures of `sampler`'s results as HoloViews objects: display them, combine them with ``*`` and ``+``, save them.

::

    hv.extension("bokeh")
    survival(chains) * survival(free, "free walk", "reference") * bounds(exit_bounds(2, 5e-5, 10_000, 2.5, smoothness=0.0))
    race(curves, setup.ceiling) + cost_growth(growths)

Every line has a *role*, which sets its colour in both themes (`style.ROLES`). On a page a figure is drawn once,
``plot = to_plot(figure, dark)``, displayed by ``pn.pane.HoloViews(plot)``, updated by ``refresh(plot, figure)`` and
recoloured by ``repaint(document, dark)``; ``taps(plot, chosen)`` registers a callback for taps. Build other figures with
``lines([Line(...), ...], x, y)``.
"""

from app.plots.cells import Cell, Cells, Note
from app.plots.chains import chains
from app.plots.coreset import (
    coreset_norms,
    coreset_panel,
    coreset_points,
    coreset_rates,
    coreset_scores,
    coreset_sums,
    coreset_variance,
    hot_start,
)
from app.plots.exit_path_drawings import exit_process, paths, pushes, sums
from app.plots.exit_probability_drawings import bounds, good_events, promise, survival
from app.plots.lines import Line, Lines, lines
from app.plots.method_map import method_map
from app.plots.offline import convergence, ladder, ladder_cost, likelihood
from app.plots.race import cost_growth, paper_figure_one, race
from app.plots.settings_map import forecast, tuning_map
from app.plots.shown import refresh, save_page, taps, to_plot
from app.plots.style import repaint, use_theme
from app.plots.tuning_curves import accuracy_against_cost, calibration, log_scores, memory_against_cost, tuning_slice

__all__ = [
    "Cell", "Cells", "Line", "Lines", "Note", "accuracy_against_cost", "bounds", "calibration", "chains", "convergence",
    "coreset_norms", "coreset_panel", "coreset_points", "coreset_rates", "coreset_scores", "coreset_sums",
    "coreset_variance", "cost_growth", "exit_process", "forecast", "good_events", "hot_start", "ladder", "ladder_cost",
    "likelihood", "lines", "log_scores", "memory_against_cost", "method_map", "paper_figure_one", "paths", "promise",
    "pushes", "race", "refresh", "repaint", "save_page", "sums", "survival", "taps", "to_plot", "tuning_map", "tuning_slice",
    "use_theme",
]
