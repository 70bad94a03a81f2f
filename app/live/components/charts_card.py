"""The card of the time charts: titles, All | Last minute, export; on a phone one chart at a time."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn
import param
from panel.viewable import Children

from app.live.charts.stack import ChartStack
from app.theme import OWN_FIGURE_STYLE
from app.widgets.component import LabComponent


class ChartsCard(LabComponent):
    """Shows a `ChartStack`, and tells it how much room the browser gives."""

    _source = "charts_card"
    _scripts = ("figures.js", "export.js")

    charts = Children()
    titles = param.List([], doc="[title, subtitle, short title] of each panel.")
    terms = param.List([], doc="[term of the glossary, what is drawn] of each title.")
    window = param.String("all")
    ghost = param.List([], doc="What differs from the run kept as a ghost: words, then [name, ghost's, this run's] of knobs"
                       " and of measurements; empty: no run is kept.")
    fitted = param.Boolean(False, doc="Whether there is a window fitted to an event to choose.")
    empty = param.Boolean(True, doc="Whether there is nothing to show yet.")

    def __init__(self, stack: ChartStack, keep: Callable[[bool], None], **params: object) -> None:
        self.stack, self._keep = stack, keep
        panes = [pn.pane.Bokeh(figure, theme=OWN_FIGURE_STYLE, sizing_mode="stretch_width")
                 for figure in stack.figures]
        for figure, panel in zip(stack.figures, stack.panels, strict=True):
            figure.html_attributes = {"role": "img", "aria-label": f"Chart of {panel.title}"}
        titles = [[panel.title, panel.subtitle, panel.short_title] for panel in stack.panels]
        super().__init__(charts=panes, titles=titles, terms=[[panel.term, panel.says] for panel in stack.panels],
                         sizing_mode="stretch_both", **params)

    def on_size(self, width: float, height: float, compact: bool) -> None:
        """Fit the figures into the card as the browser laid it out."""
        self.stack.resize(width, height, bool(compact))

    def on_window(self, window: str) -> None:
        """Take All | Last minute | Event."""
        if window in ("all", "recent") or (window == "span" and self.fitted):
            self.stack.set_window(window)
            self.window = window

    def on_ghost(self, keep: bool) -> None:
        """Take Keep as ghost, or let it go."""
        self._keep(bool(keep))

    def fit(self, span: tuple[int, int] | None) -> None:
        """Show the epochs round an event; None: the whole run, and no such window to choose."""
        if span is not None:
            self.stack.span = span
        window = "all" if span is None else "span"
        self.stack.set_window(window)
        self.param.update(fitted=span is not None, window=window)

    def on_csv(self) -> None:
        """Send what is shown as CSV text."""
        self._send_msg({"csv": self.stack.csv()})
