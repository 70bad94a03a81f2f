"""A range to sweep: smallest and largest value in boxes, and a slider with two thumbs."""

from __future__ import annotations

from collections.abc import Callable

import param

from app.knobs import KnobSpec
from app.widgets.component import LabComponent


class RangeKnob(LabComponent):
    """`changed(name, smallest, largest)` decides what becomes of what was slid or typed, and says what was wrong."""

    _source = "range_knob"

    symbol = param.String(doc="HTML of the paper's symbol.")
    words = param.String()
    help = param.String()
    whole = param.Boolean()
    low = param.Number()
    high = param.Number()
    value = param.List([0.1, 1.0], doc="Smallest and largest.")
    count = param.String("", doc="How many values lie in it, in words.")
    error = param.String("")

    def __init__(self, spec: KnobSpec, changed: Callable[[str, object, object], str], **params: object) -> None:
        self.spec, self._changed = spec, changed
        super().__init__(symbol=spec.symbol, words=spec.words, help=spec.help, whole=spec.whole, low=spec.low,
                         high=spec.high, css_classes=[f"range-{spec.name}"], sizing_mode="stretch_width", margin=0, **params)

    def on_range(self, low: float | str, high: float | str) -> None:
        """Take both ends, slid or typed."""
        self.error = self._changed(self.spec.name, low, high)
        self._send_msg({"value": self.value})
