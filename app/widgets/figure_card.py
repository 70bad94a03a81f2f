"""A card of figures: titles, segmented controls, a stepper, progress, warnings, a caption, and export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import param
from panel.viewable import Children

from app.theme import OWN_FIGURE_STYLE
from app.widgets.component import LabComponent


class FigureCard(LabComponent):
    """Shows Bokeh figures under titles and tells `fit` how much room the browser gives them."""

    _source = "figure_card"

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
    exports = param.List([], doc="Of 'csv' and 'png'.")
    filename = param.String("figure")

    def __init__(self, figures: Sequence[Any], fit: Callable[[float, float, bool], None],
                 acts: dict[str, Callable] | None = None, **params: object) -> None:
        self._fit, self._acts = fit, acts or {}
        panes = [pn.pane.Bokeh(figure, theme=OWN_FIGURE_STYLE, sizing_mode="stretch_width") for figure in figures]
        super().__init__(figures=panes, sizing_mode="stretch_both", **params)

    def on_size(self, width: float, height: float, compact: bool) -> None:
        """Fit the figures into the room there is; height 0: whatever suits."""
        with pn.io.hold():
            self._fit(float(width), float(height), bool(compact))

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
