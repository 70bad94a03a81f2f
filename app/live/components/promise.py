"""What the theorem promises of the running epochs, and what is so: three quiet rows and a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

import param

from app.widgets.component import LabComponent

if TYPE_CHECKING:
    from app.live.snapshot import Promise


class PromiseRows(LabComponent):
    """A row each: name and value, with what they stand on as its title."""

    _source = "promise"

    rows = param.List([], doc="[name, value, help] of each.")
    note = param.String("", doc="One sentence under the rows.")

    def show(self, promise: Promise | None) -> None:
        """Show what changed."""
        rows = [] if promise is None else [list(row) for row in promise.rows]
        note = "Nothing is certified yet." if promise is None else promise.note
        if (rows, note) != (self.rows, self.note):
            self.param.update(rows=rows, note=note)
