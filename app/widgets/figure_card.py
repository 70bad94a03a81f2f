"""A card of figures: titles, segmented controls, a stepper, progress, warnings, a caption, and export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import param
from panel.viewable import Children

from app.widgets.component import LabComponent
from app.widgets.figure_view import FigureView


class FigureCard(LabComponent):
    """Shows figures under titles; on a wide screen they share the height of the card.

    Parameters
    ----------
    figures
        The views, from the top or from the left.
    acts
        What is done: "choose" (name of a control, value), "step" (-1 or 1), "press", "csv" (returns the text).
    """

    _source = "figure_card"
    _scripts = ("figures.js", "export.js")

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
    exports = param.List([], doc="Of 'csv', 'png' and 'svg'.")
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
        text = self._act("csv")
        if text:
            self._send_msg({"csv": text})

    def _act(self, name: str, *given: Any) -> Any:
        act = self._acts.get(name)
        return act(*given) if act is not None else None
