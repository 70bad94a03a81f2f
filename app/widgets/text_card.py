"""A card of words: what the numbers on the page say, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from app.widgets.component import LabComponent


class TextCard(LabComponent):
    """`press(key)` is called when one of its buttons is pressed."""

    _source = "text_card"

    title = param.String("What this says")
    heading = param.String("", doc="The finding, in one line.")
    announces = param.Boolean(False, doc="Whether a screen reader is told of each new heading.")
    look = param.List([], doc="[icon, colour token, colour token behind it] beside the heading, or empty.")
    body = param.String("", doc="HTML.")
    buttons = param.List([], doc="[key, words, icon, filled] of each; icon may be empty.")
    links = param.Dict({}, doc="Key of a button -> address it opens instead.")

    def __init__(self, press: Callable[[str], None] | None = None, **params: Any) -> None:
        self._press = press
        super().__init__(sizing_mode="stretch_both", **params)

    def on_press(self, key: str) -> None:
        """Take a button."""
        if self._press is not None and key in [known for known, *_ in self.buttons]:
            self._press(key)

    def save(self, filename: str, text: str) -> None:
        """Have the browser save a text file."""
        self._send_msg({"save": text, "name": filename})

    def copy(self, text: str) -> None:
        """Have the browser copy a text."""
        self._send_msg({"copy": text})
