"""`Visitor`: a visit to a server that holds a class, without its code so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.allowance import Allowance
from app.classroom.class_panel import ClassPanel
from app.classroom.member import Member

if TYPE_CHECKING:
    from app.classroom.room import Room

TRIES, TRIES_A_SECOND = 5, 0.2
"""Wrong codes of one visit."""


class Visitor(Member):
    """May type the code; `wrong` says why the one in the link opened nothing."""

    def __init__(self, room: Room, wrong: str = "") -> None:
        super().__init__()
        self._room, self._tries = room, Allowance(TRIES, TRIES_A_SECOND)
        self.panel = ClassPanel(role="visitor", join=self._join, words=wrong)

    def _join(self, typed: str) -> str:
        """Return why what was typed is no code of the room; empty: it is."""
        wait = self._tries.wait
        if wait:
            return f"That were many wrong codes. Wait {max(1, round(wait))} s and try again."
        wrong = self._room.refusal(typed)
        if wrong:
            self._tries.note()
        return wrong
