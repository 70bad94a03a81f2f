"""A labelled segmented control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from app.widgets.component import LabComponent


class Segments(LabComponent):
    """`changed(value)` is called when the user chooses."""

    _source = "segments"

    label = param.String("")
    spoken = param.String("", doc="Name for a screen reader, where the label says less.")
    options = param.List([], allow_refs=True, doc="[value, words] of each.")
    value = param.String("")
    refused = param.Dict({}, allow_refs=True, doc="Value -> why it cannot be chosen, a sentence.")

    def __init__(self, changed: Callable[[str], None], **params: Any) -> None:
        self._changed = changed
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_choose(self, value: str) -> None:
        """Take a choice."""
        if value in [known for known, _ in self.options] and value not in (self.value, *self.refused):
            self.value = value
            self._changed(value)
