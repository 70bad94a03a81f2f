"""Figures of `sampler`'s results as HoloViews objects: show them, join them with ``*`` and ``+``, save them.

::

    hv.extension("bokeh")
    survival(chains) * survival(free, "free walk", "reference") * bounds(exit_bounds(2, 5e-5, 10_000, 2.5))

Every line has a *role*, which is its colour in both themes (`style.ROLES`). On a page a figure is drawn once,
``plot = to_plot(figure, dark)``, shown by ``pn.pane.HoloViews(plot)``, changed by ``refresh(plot, figure)`` and
recoloured by ``repaint(document, dark)``; ``taps(plot, chosen)`` tells what is tapped.
"""

from app.plots.cells import Cell, Cells, Note
from app.plots.drawing import refresh, taps, to_plot
from app.plots.lines import Line, Lines, lines
from app.plots.saving import save_page
from app.plots.style import repaint, use_theme

__all__ = ["Cell", "Cells", "Line", "Lines", "Note", "lines", "refresh", "repaint", "save_page", "taps", "to_plot",
           "use_theme"]
