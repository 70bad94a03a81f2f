"""Which batches are swept, and which of them the map shows."""

from __future__ import annotations

from collections.abc import Callable

import param

from app.widgets.component import LabComponent


class Batches(LabComponent):
    """Chips. `add(b)`, `remove(b)` and `show(b)` are called when they are pressed."""

    _source = "batches"

    swept = param.List([], doc="Batches in the sweep, rising.")
    offered = param.List([], doc="Batches that can be added.")
    shown = param.Integer(0, doc="The one the map shows.")

    def __init__(self, add: Callable[[int], None], remove: Callable[[int], None], show: Callable[[int], None],
                 **params: object) -> None:
        self._deeds = {"add": add, "remove": remove, "show": show}
        super().__init__(sizing_mode="stretch_width", margin=0, **params)

    def on_deed(self, deed: str, batch: int) -> None:
        """Take a chip."""
        if deed in self._deeds:
            self._deeds[deed](int(batch))
