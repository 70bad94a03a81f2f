"""A range to sweep: smallest and largest value in boxes, and a slider with two thumbs."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn
import param

from app.glossary import known
from app.state.parameters.advised_knob import KnobRange
from app.widgets.component import LabComponent


class RangeSlider(LabComponent):
    """Shows one `KnobRange` of a page's state and sets it with `state.put_range`."""

    _source = "range_slider"

    symbol = param.String(doc="HTML of the paper's symbol.")
    words = param.String()
    help = param.String()
    term = param.String(doc="The term of the glossary that it is about; empty: none.")
    whole = param.Boolean()
    low = param.Number()
    high = param.Number()
    value = param.List([], allow_refs=True, doc="Smallest and largest; empty: not known yet.")
    count = param.String("", allow_refs=True, doc="How many values lie in it.")
    error = param.String("", doc="What was wrong with what was typed; empty when nothing is.")

    def __init__(self, knob: KnobRange, **params: object) -> None:
        self._knob = knob
        super().__init__(**params)

    @classmethod
    def from_param(cls, knob: KnobRange, values: Callable[[tuple], tuple], **params: object) -> RangeSlider:
        """Return the slider of a range of a state, such as ``state.param.eta0``; `values` says what lies in a range."""
        low, high = knob.bounds
        return cls(knob, value=pn.bind(lambda pair: list(pair or ()), knob), words=knob.label, help=knob.doc,
                   term=known(knob.label.split(",")[0]), low=low, high=high,
                   count=pn.bind(lambda pair: "" if pair is None else f"{len(values(pair))}", knob),
                   symbol=knob.symbol, whole=knob.whole, css_classes=[f"range-{knob.name}"],
                   sizing_mode="stretch_width", margin=0, **params)

    def on_range(self, low: float | str, high: float | str) -> None:
        """Take both ends, slid or typed; what is wrong leaves the old ones and says why."""
        try:
            self._knob.owner.put_range(self._knob.name, low, high)
            self.error = ""
        except ValueError as wrong:
            self.error = str(wrong)
        self._send_msg({"value": self.value})

    @param.depends("value", watch=True)
    def _forget_error(self) -> None:
        """A range that was set another way is right again."""
        self.error = ""

    def on_escape(self) -> None:
        """Give up what was typed."""
        self.error = ""
