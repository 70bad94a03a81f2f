"""Pictures to try: a column of buttons, and what the present one shows."""

from __future__ import annotations

from collections.abc import Callable

import param

from app.widgets.component import LabComponent


class PresetButtons(LabComponent):
    """`choose(key)` is called when a picture is chosen."""

    _source = "preset_buttons"

    presets = param.List([], doc="[key, label, what it shows] of each.")
    chosen = param.String("", doc="Key of the present one.")
    says = param.String("", doc="What it shows.")

    def __init__(self, choose: Callable[[str], None], **params: object) -> None:
        self._choose = choose
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_choose(self, key: str) -> None:
        """Take a picture to try."""
        if key in [known for known, *_ in self.presets]:
            self._choose(key)
