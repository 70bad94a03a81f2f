"""A list of switches, each with a name and, where a chart shows it, its mark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from app.widgets.component import LabComponent


class SwitchList(LabComponent):
    """`changed(key, on)` is called when the user turns a switch."""

    _source = "switch_list"
    _scripts = ("mark.js",)

    label = param.String("", doc="Name of the list for a screen reader.")
    rows = param.List([], allow_refs=True,
                      doc="[key, label, mark, token, reason] of each: why it is off limits, or empty; then help, and the"
                      " term of the glossary that the label is.")
    active = param.List([], allow_refs=True, doc="Keys that are on.")
    warns = param.Boolean(False, doc="Whether the name of what is off stands out.")

    def __init__(self, changed: Callable[[str, bool], None], **params: Any) -> None:
        self._changed = changed
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_turn(self, key: str, on: bool) -> None:
        """Take a switch."""
        if any(row[0] == key and not row[4] for row in self.rows):
            self._changed(key, bool(on))
