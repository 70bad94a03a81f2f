"""One knob: symbol, words, a number box, a slider with a tick at the default, words for a wrong number."""

from __future__ import annotations

from collections.abc import Callable

import param

from app.knobs import KnobSpec
from app.widgets.component import LabComponent


class Knob(LabComponent):
    """Shows a `KnobSpec`. The browser sends what was slid or typed; `changed` decides what becomes of it."""

    _source = "knob_slider"

    symbol = param.String(doc="HTML of the paper's symbol.")
    words = param.String(doc="What it is, in two words.")
    help = param.String(doc="One sentence, shown on hover.")
    token = param.String(doc="Colour token of the thing it governs; empty: primary.")
    scale = param.String(doc="'log', 'log1p', or 'none' for a number box without a slider.")
    whole = param.Boolean()
    grouped = param.Boolean(doc="Write 100,000 and 5 × 10⁻⁶ rather than 100000 and 0.000005.")
    lowest = param.String(doc="What the lowest value is called, such as 'best'; empty: its number.")
    low = param.Number()
    high = param.Number()
    value = param.Number()
    default = param.Number()
    error = param.String(doc="What was wrong with what was typed; empty when nothing is.")

    def __init__(self, spec: KnobSpec, changed: Callable[[str, float | str], str], **params: object) -> None:
        self.spec, self._changed = spec, changed
        low, high = spec.limits
        super().__init__(symbol=spec.symbol, words=spec.words, help=spec.help, token=spec.token,
                         scale=spec.scale, whole=spec.whole, low=low, high=high,
                         css_classes=[f"knob-{spec.name}"], sizing_mode="stretch_width", **params)

    def on_slide(self, value: float) -> None:
        """Take a slider position."""
        self.error = self._changed(self.spec.name, float(value))

    def on_escape(self) -> None:
        """Give up what was typed."""
        self.error = ""

    def on_typed(self, text: str) -> None:
        """Take what was typed; a wrong number leaves the old one and says why."""
        self.error = self._changed(self.spec.name, str(text))
        self._send_msg({"value": self.value})
