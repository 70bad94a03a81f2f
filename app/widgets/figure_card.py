"""`FigureView`: one HoloViews figure on a page; `FigureCard`: card of figures with titles, progress, text and export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import param
from panel.viewable import Children

from app.js.component import LabComponent, in_order
from app.plots import refresh, repaint, taps, to_plot
from app.plots.style import ON_CARD
from app.plots.style import spoken as described

CHOSEN_BY_KEYS = {"role": "application", "aria-roledescription": "chart", "tabindex": "0",
                  "aria-description": "Arrow keys choose the next item in their direction."}
"""Attributes of a figure with selectable items (figures.js): screen readers pass the arrow keys on to it."""


class FigureView:
    """View of a figure of `app.plots`; it fills the width and the height that its `FigureCard` allots.

    Drawing takes about 80 ms: a served page postpones it by `later`, one figure per turn of the event loop.

    Parameters
    ----------
    figure : HoloViews object, optional
        Initial figure; without one nothing is drawn before `show`.
    height : int
        Height in pixels on a narrow screen.
    share : float
        Share of the card's height.
    chosen : callable, optional
        Called with the key of a tapped item.
    x_axis : bool
        Whether to draw the x axis; False if the figure below has the same one.
    """

    def __init__(self, figure: Any = None, height: int = 300, share: float = 1.0,
                 chosen: Callable[[object], None] | None = None, x_axis: bool = True) -> None:
        self.height, self.share, self.dark, self.tags = height, share, False, [ON_CARD]
        self.figure, self.plot, self._description = figure, None, ""
        self._due = True  # whether drawing is pending
        self.later: Callable[[Callable[[], None]], None] = lambda draw: draw()
        self._chosen, self._x_axis = chosen, x_axis
        self.column = pn.Column(sizing_mode="stretch_both", margin=0, min_height=0)

    def draw(self) -> None:
        """Draw the figure; replace the previous drawing."""
        self._due = False
        if self.figure is None:
            return
        self.plot = to_plot(self.figure)
        state = self.plot.state
        state.tags = [*state.tags, *self.tags]
        if not self._x_axis:
            state.xaxis[0].visible = False
        repaint(self.plot, self.dark)
        if self._chosen is not None:
            taps(self.plot, self._tapped)
        self._describe()
        self.column[:] = [pn.pane.HoloViews(self.plot, linked_axes=False, sizing_mode="stretch_both", min_height=0,
                                            margin=0)]

    def _tapped(self, key: object) -> None:
        with in_order():
            self._chosen(key)

    def _describe(self) -> None:
        shown, words = self.plot.state, self._description or described(self.figure)
        if shown.html_attributes.get("aria-label") != words:
            kind = {"role": "img"} if self._chosen is None else CHOSEN_BY_KEYS
            shown.html_attributes = {**shown.html_attributes, **kind, "aria-label": words}

    def show(self, figure: Any, spoken: str = "") -> None:
        """Display another figure: update the existing drawing, or redraw if its parts or scales differ."""
        self.figure, self._description = figure, spoken
        if self._due:
            return
        if self.plot is not None and self._refreshed():
            self._describe()
        else:
            self._due = True
            self.later(self.draw)

    def _refreshed(self) -> bool:
        """Update the existing drawing with the figure's data; return False if its parts or scales differ."""
        try:
            with in_order():
                refresh(self.plot, self.figure)
        except ValueError:
            return False
        return True

    def restyle(self, dark: bool) -> None:
        """Change theme."""
        if dark != self.dark:
            self.dark = dark
            if self.plot is not None:
                repaint(self.plot, dark)


def align(*views: FigureView) -> None:
    """Give stacked figures the same right margin, so that their axes are aligned."""
    for view in views:
        view.tags.append(f"aligned {id(views[0])}")


class FigureCard(LabComponent):
    """Card of figures with titles; on a wide screen they share its height.

    Parameters
    ----------
    figures
        Views, from the top or from the left.
    acts
        Callbacks: "choose" (name of a control, value), "step" (-1 or 1), "press", "csv" and "json" (return the text).
    """

    figures = Children()
    label = param.String(doc="Name of the card for screen readers.")
    heads = param.List([], doc="[title, subtitle] of each figure; in a row, that of the card first.")
    row = param.Boolean(False, doc="Figures side by side, under one title.")
    segments = param.List([], doc="[name, [[value, label], ...]] of each segmented control.")
    chosen = param.Dict({}, doc="Name of a segmented control -> value.")
    stepper = param.String("", doc="Text between the arrows; empty for no arrows.")
    stepped = param.String("chain", doc="Name of the stepped item, for screen readers.")
    progress = param.Number(None, allow_None=True, doc="Completed fraction in [0, 1]; negative if unknown.")
    working = param.String("", doc="Current activity, next to the title.")
    warnings = param.List([], doc="Warnings above the caption.")
    caption = param.String("", doc="HTML.")
    spoken = param.String("", doc="Description of the figures for screen readers.")
    empty = param.String("", doc="Message in place of the figures.")
    button = param.String("", doc="Label of the button below the empty message.")
    exports = param.List([], doc="Export formats: of 'csv', 'json', 'png' and 'svg'.")
    heights = param.List([], doc="[height in pixels on a narrow screen, share of the height on a wide one] of each view.")
    filename = param.String("figure")

    def __init__(self, figures: Sequence[FigureView], acts: dict[str, Callable] | None = None, **params: object) -> None:
        self._acts, self.views = acts or {}, list(figures)
        super().__init__(figures=[view.column for view in self.views], sizing_mode="stretch_both",
                         heights=[[view.height, view.share] for view in self.views], **params)

    def restyle(self, dark: bool) -> None:
        """Change the theme of every figure."""
        for view in self.views:
            view.restyle(dark)

    def on_choose(self, name: str, value: str) -> None:
        """Handle a segmented control."""
        options = [option for option, _ in dict(self.segments).get(name, ())]
        if value in options:
            self.chosen = {**self.chosen, name: value}
            self._act("choose", name, value)

    def on_step(self, by: int) -> None:
        """Handle an arrow of the stepper."""
        self._act("step", 1 if int(by) > 0 else -1)

    def on_press(self) -> None:
        """Handle the button."""
        self._act("press")

    def on_csv(self) -> None:
        """Send the data as CSV text."""
        self._send_export("csv")

    def on_json(self) -> None:
        """Send the data as JSON text."""
        self._send_export("json")

    def _send_export(self, kind: str) -> None:
        text = self._act(kind)
        if text:
            self.send_msg({kind: text})

    def _act(self, name: str, *arguments: Any) -> Any:
        act = self._acts.get(name)
        return act(*arguments) if act is not None else None
