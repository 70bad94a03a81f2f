"""`FigureView`: one HoloViews figure on a page; new results are shown in the figure that is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
from panel.viewable import Viewer

from app.ordered_messages import in_order
from app.plots import refresh, repaint, taps, to_plot
from app.plots.style import ON_CARD
from app.plots.style import spoken as in_words

CHOSEN_BY_KEYS = {"role": "application", "aria-roledescription": "chart", "tabindex": "0",
                  "aria-description": "Arrow keys choose what lies next in their direction."}
"""Attributes of a figure of which something can be chosen (figures.js): a screen reader leaves it the arrow keys."""


class FigureView(Viewer):
    """Shows a figure of `app.plots`; it fills its width, and the height that a `FigureCard` leaves it.

    Parameters
    ----------
    figure : HoloViews object
        What is shown first.
    height : int
        Pixels where nothing else gives it a height: on a narrow screen, or alone in a notebook.
    dark : bool
        Theme it is born in.
    share : float
        Share of the card's height, beside the other figures of the card.
    spoken : str
        What the figure shows, for a screen reader; empty names its axes and lines.
    chosen : callable, optional
        Called with the key of what is tapped in the figure.
    """

    def __init__(self, figure: Any, height: int = 300, dark: bool = False, share: float = 1.0, spoken: str = "",
                 chosen: Callable[[object], None] | None = None, **params: Any) -> None:
        super().__init__(**params)
        self.height, self.share, self.dark, self._chosen = height, share, dark, chosen
        self.column = pn.Column(sizing_mode="stretch_both", margin=0, min_height=0)
        self._draw(figure, spoken)

    def _draw(self, figure: Any, spoken: str) -> None:
        self.figure, self.plot = figure, to_plot(figure, self.dark)
        self.plot.state.tags = [*self.plot.state.tags, ON_CARD]
        repaint(self.plot, self.dark)
        if self._chosen is not None:
            taps(self.plot, self._chosen, in_order)
        self._speak(spoken)
        self.column[:] = [pn.pane.HoloViews(self.plot, linked_axes=False, sizing_mode="stretch_both", min_height=0,
                                            margin=0)]

    def _speak(self, spoken: str) -> None:
        shown, words = self.plot.state, spoken or in_words(self.figure)
        if shown.html_attributes.get("aria-label") != words:
            kind = {"role": "img"} if self._chosen is None else CHOSEN_BY_KEYS
            shown.html_attributes = {**shown.html_attributes, **kind, "aria-label": words}

    @property
    def spoken(self) -> str:
        """What a screen reader says of the figure."""
        return self.plot.state.html_attributes["aria-label"]

    def show(self, figure: Any, spoken: str = "") -> None:
        """Show another figure: its numbers in the one that is there, or a new one where its parts or scales differ."""
        try:
            refresh(self.plot, figure, in_order)
        except ValueError:  # parts, or scales, of another kind
            self._draw(figure, spoken)
        else:
            self.figure = figure
            self._speak(spoken)

    def restyle(self, dark: bool) -> None:
        """Change theme."""
        if dark != self.dark:
            self.dark = dark
            repaint(self.plot, dark)

    def __panel__(self) -> pn.Column:
        """Return the layout."""
        return self.column


def align(*views: FigureView) -> None:
    """Give figures that stand over each other the same margin on the right, so that their axes end at one place."""
    tag = f"aligned {views[0].plot.state.id}"
    for view in views:
        view.plot.state.tags = [*view.plot.state.tags, tag]
