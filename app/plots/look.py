"""`Look`: the name, colour and dash of one thing that is drawn on several pages."""

from __future__ import annotations

from typing import NamedTuple

from app.plots.style import ROLES


class Look(NamedTuple):
    """One sampler or optimizer."""

    name: str
    short: str  #: at the end of a line on a phone
    role: str  #: its colour, see `app.plots.style.ROLES`
    mark: str = "line"
    width: float = 1.8

    @property
    def token(self) -> str:
        """Colour token, see `app.theme`."""
        return ROLES[self.role][0]
