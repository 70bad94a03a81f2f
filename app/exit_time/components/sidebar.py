"""The page's sidebar: target and knobs of one epoch, where the chains start, pictures to try, what it cost."""

from __future__ import annotations

from collections.abc import Callable

import param
from panel.viewable import Child, Children

from app.widgets.component import LabComponent


class ExitSidebar(LabComponent):
    """`choose(field, value)` is called for target and start, `preset(key)` for a picture to try."""

    _source = "sidebar"

    knobs = Children(doc="Knobs of the epoch.")
    distance = Child(doc="Knob of the starting distance, shown when it counts.")
    chains = Child()
    target = param.String("quadratic", allow_refs=True)
    start = param.String("mode", allow_refs=True)
    presets = param.List([], doc="[key, label, what it shows] of each.")
    preset = param.String("", doc="Key of the present one.")
    says = param.String("", doc="What the present preset shows.")
    timing = param.String("")
    note = param.String("", doc="What target and start take from Live.")

    def __init__(self, choose: Callable[[str, str], None], preset: Callable[[str], None],
                 **params: object) -> None:
        self._choose, self._preset = choose, preset
        super().__init__(sizing_mode="stretch_both", **params)

    def on_choose(self, field: str, value: str) -> None:
        """Take a segmented control."""
        if field in ("target", "start"):
            self._choose(field, str(value))

    def on_preset(self, key: str) -> None:
        """Take a picture to try."""
        self._preset(str(key))
