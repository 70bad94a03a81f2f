"""The paper's three assumptions with the constants measured so far, each with a tick or a warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import param

from app.widgets.component import LabComponent

if TYPE_CHECKING:
    from app.live.snapshot import Assumption


class Assumptions(LabComponent):
    """Three rows: number and name, measured constant, verdict as an icon and a word for screen readers."""

    _source = "assumptions"

    rows = param.List([], doc="[number, name, text, ok or None, help] of each.")

    def show(self, assumptions: tuple[Assumption, ...]) -> None:
        """Show what changed."""
        rows = [[a.number, a.name, a.text, a.ok, a.help] for a in assumptions]
        if rows != self.rows:
            self.rows = rows
