"""`KnobSlider`: a number box with a logarithmic slider; `NumberEntry`: what it shares with the entry of a range."""

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
    """Sets a parameter of a page's state that has a range, and says what was wrong with what was typed."""

    symbol = param.String(doc="HTML of the paper's symbol.")
    words = param.String(doc="What it is, in two words.", allow_refs=True)
    help = param.String(doc="One sentence, shown on hover, and with the definition.", allow_refs=True)
    term = param.String(doc="The term of the glossary that its words are; empty: none.")
    whole = param.Boolean()
    low = param.Number()
    high = param.Number()
    error = param.String(doc="What was wrong with what was typed; empty when nothing is.")

    __abstract = True

    def __init__(self, knob: Knob | KnobRange, **params: Any) -> None:
        self._knob = knob
        super().__init__(**params)

    def _put(self, put: Callable[..., None], *entered: float | str) -> None:
        """Set the parameter by a method of its state; what is wrong leaves the old value and says why."""
        try:
            put(self._knob.name, *entered)
            self.error = ""
        except ValueError as wrong:
            self.error = str(wrong)

    @param.depends("value", watch=True)
    def _forget_error(self) -> None:
        """A value that was set another way is right again."""
        self.error = ""

    def on_escape(self) -> None:
        """Give up what was typed."""
        self.error = ""


class KnobSlider(NumberEntry):
    """Shows one knob of a page's state, with a tick at its default, and sets it; param keeps both in step."""

    unused = param.String(doc="Why it cannot be turned, in a few words; empty: it can.", allow_refs=True)
    token = param.String(doc="Colour token of the thing it governs; empty: primary.")
    scale = param.String(doc="'log', 'log1p', or 'none' for a number box without a slider.")
    grouped = param.Boolean(doc="Write 100,000 and 5 × 10⁻⁶ rather than 100000 and 0.000005.")
    lowest = param.String(doc="What the lowest value is called, such as 'best'; empty: its number.")
    value = param.Number(allow_refs=True)
    default = param.Number(allow_refs=True)

    @classmethod
    def from_param(cls, knob: Knob, **params: Any) -> KnobSlider:
        """Return the slider of a knob of a state, such as ``state.param.eta0``; `params` may say anything else of it."""
        state, name = knob.owner, knob.name

        def default(base: Any) -> float:
            return knob.position(knob.default if base is None else getattr(base, name))

        stated = {key: getattr(knob, key) for key in ("symbol", "token", "scale", "whole", "lowest", "low", "high")}
        stated |= {"value": pn.bind(knob.position, knob), "default": pn.bind(default, state.param.base),
                   "words": knob.label, "help": knob.doc,
                   "term": knob.term or term_name(knob.label), "css_classes": [f"knob-{name}"],
                   "sizing_mode": "stretch_width"}
        return cls(knob, **(stated | params))

    def on_slide(self, value: float) -> None:
        """Take a slider position."""
        self._put(self._knob.owner.put, float(value))

    def on_typed(self, text: str) -> None:
        """Take what was typed; a wrong number leaves the old one and says why."""
        self._put(self._knob.owner.put, str(text))
        self.send_msg({"value": self.value})
