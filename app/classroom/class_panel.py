"""The class in the header: its code and who is here for the teacher, the way in and out for students."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from app.widgets.component import LabComponent


class ClassPanel(LabComponent):
    """A button in the header that opens a small panel.

    Parameters
    ----------
    join
        Called with what a visitor typed; returns why it is no code of the class, in words, or nothing.
    come_back, go
        Called when a student comes back into the room, or leaves it.
    sit
        Called with the key of the seat that a student's browser tab had before.
    """

    _source = "class_panel"

    role = param.Selector(default="visitor", objects=["teacher", "student", "visitor"])
    code = param.String("", doc="Of the class; empty for visitors.")
    secret = param.String("", doc="Of the teacher's link, for the browser to send back and keep; empty for all others.")
    seat = param.String("", doc="Key of the student's seat, for the tab to keep.")
    present = param.Integer(0, doc="Students in the room.")
    inside = param.Boolean(True, doc="Whether the student is in the room.")
    words = param.String("", doc="What is wrong.")

    def __init__(self, join: Callable[[str], str] | None = None, come_back: Callable[[], None] | None = None,
                 go: Callable[[], None] | None = None, sit: Callable[[str], None] | None = None, **params: Any) -> None:
        self._join, self._come_back, self._go, self._take_seat = join, come_back, go, sit
        super().__init__(margin=0, **params)

    def tell(self, **news: Any) -> None:
        """Show what changed."""
        self.param.update(**{name: value for name, value in news.items() if getattr(self, name) != value})

    def on_join(self, code: str) -> None:
        """Take a typed code: the browser goes to the room's address where it is right."""
        if self._join is not None:
            self.words = self._join(str(code))
            self._send_msg({"right": not self.words})

    def on_back(self) -> None:
        """Come back into the room."""
        if self._come_back is not None:
            self._come_back()

    def on_leave(self) -> None:
        """Leave the room."""
        if self._go is not None:
            self._go()

    def on_sit(self, key: str) -> None:
        """Take the seat this tab had."""
        if self._take_seat is not None:
            self._take_seat(str(key)[:40])
            self._send_msg({"seated": True})
