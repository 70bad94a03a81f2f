"""Figures of `app.plots`: first drawing against a bare Bokeh figure, refresh, change of theme."""

import itertools
from types import SimpleNamespace

import holoviews as hv
import numpy as np
from bokeh.document import Document
from bokeh.plotting import figure

from app import plots
from app.plots.lines import LinesPlot
from sampler.racing import RaceCurve
from tests.benchmarks.timing import Row, race, row, versus

KEYS = ("saga", "precond", "sgld", "sgld_same", "mala", "ula", "rwm", "pg", "laplace", "svrg", "svrg_plus", "cv_uld")
CEILING = SimpleNamespace(mean=0.922, sd=0.004)
TARGET = "a race of twelve samplers"


def curves(shift: float = 0.0) -> dict[str, RaceCurve]:
    spent = np.geomspace(64, 3e5, 27)
    return {key: RaceCurve(key, spent, spent * 2e-7, spent / 64, (0.9 - shift) * spent / (spent + 500 * (k + 1)), 1e-4, 64)
            for k, key in enumerate(KEYS)}


def by_hand() -> Document:
    """Build the lines, dots, bands and texts of the race in a bare Bokeh figure."""
    columns = LinesPlot.columns(plots.race(curves(), CEILING))
    made = figure(x_axis_type="log", tools="", toolbar_location=None, sizing_mode="stretch_width")
    made.patches("xs", "ys", source=columns["patches_1"], fill_alpha=0.2)
    for name in ("multi_line_1", "multi_line_2"):
        made.multi_line("xs", "ys", source={key: columns[name][key] for key in ("xs", "ys", "width")}, line_width="width")
    dots = columns["scatter_1"]
    made.scatter("x", "y", size="size", source={key: dots[key] for key in ("x", "y", "size")})
    made.text("x", "y", "text", source={"x": dots["x"][:12], "y": dots["y"][:12], "text": dots["name"][:12]})
    return document_of(made)


def document_of(root) -> Document:
    document = Document()
    document.add_root(root)
    document.to_json()
    return document


def measure(quick: bool) -> list[Row]:
    hv.extension("bokeh")
    turns = 7 if quick else 21
    drawn = lambda: document_of(plots.to_plot(plots.race(curves(), CEILING)).state)  # noqa: E731
    plot = plots.to_plot(plots.race(curves(), CEILING))
    document = document_of(plot.state)
    shifts, dark = itertools.cycle([0.0, 0.001, 0.002]), itertools.cycle([True, False])

    def refreshed() -> None:
        plots.refresh(plot, plots.race(curves(next(shifts)), CEILING))

    update = race({"refresh": (refreshed, 1), "repaint": (lambda: plots.repaint(document, next(dark)), 1)}, turns)
    return [
        versus(f"{TARGET}: first figure, over a bare Bokeh figure", (by_hand, 1), (drawn, 1), turns, at_most=1.5),
        row(f"{TARGET}: a refresh", 1e3 * update["refresh"], at_most=10.0, unit="ms"),
        row(f"{TARGET}: change of theme", 1e3 * update["repaint"], at_most=20.0, unit="ms"),
    ]
