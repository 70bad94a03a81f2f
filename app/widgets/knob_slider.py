"""`KnobSlider`: number box with a logarithmic slider; `NumberEntry`: base class, shared with the entry of a range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param

from app.glossary import term_name
from app.js.component import LabComponent
from app.state.parameters.advised_knob import KnobRange
from app.state.parameters.knob import Knob


class NumberEntry(LabComponent):
    """Entry of a parameter with a range; displays an error message for invalid input."""

    symbol = param.String(doc="HTML of the paper's symbol.")
    words = param.String(doc="Label of two words.", allow_refs=True)
    help = param.String(doc="Tooltip: one sentence, also shown with the definition.", allow_refs=True)
    term = param.String(doc="Glossary term of the label; empty for none.")
    whole = param.Boolean()
    low = param.Number()
    high = param.Number()
    error = param.String(doc="Error message of the last input; empty if it was valid.")

    __abstract = True

    def __init__(self, knob: Knob | KnobRange, **params: Any) -> None:
        self._knob = knob
        super().__init__(**params)

    def _put(self, put: Callable[..., None], *entered: float | str) -> None:
        """Set the parameter by a method of its state; invalid input keeps the old value and sets `error`."""
        try:
            put(self._knob.name, *entered)
            self.error = ""
        except ValueError as wrong:
            self.error = str(wrong)

    @param.depends("value", watch=True)
    def _forget_error(self) -> None:
        """Clear the error when the value is set another way."""
        self.error = ""

    def on_escape(self) -> None:
        """Discard the input."""
        self.error = ""


class KnobSlider(NumberEntry):
    """Slider of one knob of a page's state, with a tick at its default; param synchronises both."""

    unused = param.String(doc="Reason why the knob is disabled; empty if enabled.", allow_refs=True)
    token = param.String(doc="Colour token of the controlled quantity; empty: primary.")
    scale = param.String(doc="'log', 'log1p', or 'none' for a number box without a slider.")
    grouped = param.Boolean(doc="Write 100,000 and 5 × 10⁻⁶ rather than 100000 and 0.000005.")
    lowest = param.String(doc="Name of the lowest value, such as 'best'; empty: its number.")
    value = param.Number(allow_refs=True)
    default = param.Number(allow_refs=True)

    @classmethod
    def from_param(cls, knob: Knob, **params: Any) -> KnobSlider:
        """Return the slider of a knob of a state, such as ``state.param.eta0``; `params` override its parameters."""
        state, name = knob.owner, knob.name

        def default(base: Any) -> float:
            return knob.position(knob.default if base is None else getattr(base, name))

        defaults = {key: getattr(knob, key) for key in ("symbol", "token", "scale", "whole", "lowest", "low", "high")}
        defaults |= {"value": pn.bind(knob.position, knob), "default": pn.bind(default, state.param.base),
                   "words": knob.label, "help": knob.doc,
                   "term": knob.term or term_name(knob.label), "css_classes": [f"knob-{name}"],
                   "sizing_mode": "stretch_width"}
        return cls(knob, **(defaults | params))

    def on_slide(self, value: float) -> None:
        """Handle a slider position."""
        self._put(self._knob.owner.put, float(value))

    def on_typed(self, text: str) -> None:
        """Handle typed input; an invalid number keeps the old value and sets `error`."""
        self._put(self._knob.owner.put, str(text))
        self.send_msg({"value": self.value})
