"""`FigureView`: one HoloViews figure on a page; `FigureCard`: figures under titles, with progress, words and export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import param
from panel.viewable import Children

from app.js.component import LabComponent, in_order
from app.plots import refresh, repaint, taps, to_plot
from app.plots.style import ON_CARD
from app.plots.style import spoken as in_words

CHOSEN_BY_KEYS = {"role": "application", "aria-roledescription": "chart", "tabindex": "0",
                  "aria-description": "Arrow keys choose what lies next in their direction."}
"""Attributes of a figure of which something can be chosen (figures.js): a screen reader leaves it the arrow keys."""


class FigureView:
    """Shows a figure of `app.plots`, once it is drawn; it fills its width, and the height that a `FigureCard` leaves it.

    Drawing takes some 80 ms: a page that others share has it done `later`, one a turn of the loop.

    Parameters
    ----------
    figure : HoloViews object, optional
        What is shown first; without one there is nothing to draw before `show`.
    height : int
        Pixels where nothing else gives it a height: on a narrow screen.
    share : float
        Share of the card's height, beside the other figures of the card.
    chosen : callable, optional
        Called with the key of what is tapped in the figure.
    x_axis : bool
        Whether it has an x axis of its own: not where one right below has the same.
    """

    def __init__(self, figure: Any = None, height: int = 300, share: float = 1.0,
                 chosen: Callable[[object], None] | None = None, x_axis: bool = True) -> None:
        self.height, self.share, self.dark, self.tags = height, share, False, [ON_CARD]
        self.figure, self.plot, self._spoken = figure, None, ""
        self._due = True  # whether its turn to be drawn is to come
        self.later: Callable[[Callable[[], None]], None] = lambda draw: draw()
        self._chosen, self._x_axis = chosen, x_axis
        self.column = pn.Column(sizing_mode="stretch_both", margin=0, min_height=0)

    def draw(self) -> None:
        """Draw the figure, anew where there was one."""
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
        self._speak()
        self.column[:] = [pn.pane.HoloViews(self.plot, linked_axes=False, sizing_mode="stretch_both", min_height=0,
                                            margin=0)]

    def _tapped(self, key: object) -> None:
        with in_order():
            self._chosen(key)

    def _speak(self) -> None:
        shown, words = self.plot.state, self._spoken or in_words(self.figure)
        if shown.html_attributes.get("aria-label") != words:
            kind = {"role": "img"} if self._chosen is None else CHOSEN_BY_KEYS
            shown.html_attributes = {**shown.html_attributes, **kind, "aria-label": words}

    def show(self, figure: Any, spoken: str = "") -> None:
        """Show another figure: its numbers in the one that is there, or a new one where its parts or scales differ."""
        self.figure, self._spoken = figure, spoken
        if self._due:
            return
        if self.plot is not None and self._refreshed():
            self._speak()
        else:
            self._due = True
            self.later(self.draw)

    def _refreshed(self) -> bool:
        """Show the figure's numbers in the one that is there; False where its parts, or scales, are of another kind."""
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
    """Give figures that stand over each other the same margin on the right, so that their axes end at one place."""
    for view in views:
        view.tags.append(f"aligned {id(views[0])}")


class FigureCard(LabComponent):
    """Shows figures under titles; on a wide screen they share the height of the card.

    Parameters
    ----------
    figures
        The views, from the top or from the left.
    acts
        What is done: "choose" (name of a control, value), "step" (-1 or 1), "press", "csv" and "json" (return the text).
    """

    figures = Children()
    label = param.String(doc="Name of the card for a screen reader.")
    heads = param.List([], doc="[title, subtitle] above each figure; in a row, of the card first.")
    row = param.Boolean(False, doc="Figures side by side, under one title.")
    segments = param.List([], doc="[name, [[value, words], ...]] of each segmented control.")
    chosen = param.Dict({}, doc="Name of a control -> its value.")
    stepper = param.String("", doc="Words between the arrows; empty: no arrows.")
    stepped = param.String("chain", doc="What the arrows step through, for a screen reader.")
    progress = param.Number(None, allow_None=True, doc="In [0, 1]; negative: no end in sight.")
    working = param.String("", doc="What goes on, beside the title.")
    warnings = param.List([], doc="Sentences shown above the caption.")
    caption = param.String("", doc="HTML.")
    spoken = param.String("", doc="What the figures show, for a screen reader.")
    empty = param.String("", doc="Words in place of the figures.")
    button = param.String("", doc="Button under the empty words.")
    exports = param.List([], doc="Ways to save: of 'csv', 'json', 'png' and 'svg'.")
    heights = param.List([], doc="[pixels on a narrow screen, share of the height on a wide one] of each `FigureView`.")
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
        """Take a segmented control."""
        options = [option for option, _ in dict(self.segments).get(name, ())]
        if value in options:
            self.chosen = {**self.chosen, name: value}
            self._act("choose", name, value)

    def on_step(self, by: int) -> None:
        """Take an arrow of the stepper."""
        self._act("step", 1 if int(by) > 0 else -1)

    def on_press(self) -> None:
        """Take the button."""
        self._act("press")

    def on_csv(self) -> None:
        """Send the data as CSV text."""
        self._give("csv")

    def on_json(self) -> None:
        """Send everything as JSON text."""
        self._give("json")

    def _give(self, kind: str) -> None:
        text = self._act(kind)
        if text:
            self.send_msg({kind: text})

    def _act(self, name: str, *arguments: Any) -> Any:
        act = self._acts.get(name)
        return act(*arguments) if act is not None else None
