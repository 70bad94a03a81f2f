"""What a class has on the page: `ClassPanel` in the header, `FollowBar` in the place of a follower's transport."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import panel as pn
import param

from app.js.component import LabComponent
from app.number_words import scientific

if TYPE_CHECKING:
    from app.live.snapshot import Snapshot


class ClassPanel(LabComponent):
    """A button in the header that opens a small panel.

    Parameters
    ----------
    join
        Called with what a visitor typed; returns why it is no code of the class, in words, or nothing.
    come_back, go
        Called when a student comes back into the room, or leaves it.
    """

    role = param.Selector(default="visitor", objects=["teacher", "student", "visitor"])
    code = param.String("", doc="Of the class; empty for visitors.")
    secret = param.String("", doc="Of the teacher's link, for the browser to send back and keep; empty for all others.")
    seat = param.String("", doc="Key of the student's seat, for the browser to keep.")
    present = param.Integer(0, doc="Students in the room.")
    inside = param.Boolean(True, doc="Whether the student is in the room.")
    words = param.String("", doc="What is wrong.")

    def __init__(self, join: Callable[[str], str] | None = None, come_back: Callable[[], None] | None = None,
                 go: Callable[[], None] | None = None, **params: Any) -> None:
        self._join, self._come_back, self._go = join, come_back, go
        super().__init__(margin=0, **params)

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


WORDS = {
    "waiting": "The teacher has not come yet. This page begins by itself.",
    "here": "Following your teacher",
    "gone": "Your teacher’s page is closed or has lost its connection. Wait here, or go on alone from this epoch.",
}
COMING = "Your teacher is at Exit time. It comes here in a moment, to one student after another."


class FollowBar(LabComponent):
    """`go_alone()` is called when the student takes a run of her own."""

    words = param.String(WORDS["waiting"])
    warns = param.Boolean(False, doc="Whether the teacher is gone.")
    shown = param.Boolean(False, doc="Whether there is a picture to go on from.")
    readouts = param.Boolean(True, doc="Whether there is a run that plays.")
    size = param.String("…", doc="Step size.")
    plays = param.Boolean(False)

    def __init__(self, go_alone: Callable[[], None], **params: object) -> None:
        self._go_alone = go_alone
        super().__init__(sizing_mode="stretch_width", **params)

    def say(self, teacher: str, place: str, coming: bool = False) -> None:
        """Say where the teacher is: waiting, here (at a page of that label, or empty: one that the room sees), gone.

        ``coming``: Exit time is on its way.
        """
        words = f"Your teacher is at {place}: look at the screen in front." if place else WORDS[teacher]
        words = COMING if coming and teacher == "here" else words
        self.param.update(words=words, warns=teacher == "gone")

    def tell(self, snapshot: Snapshot) -> None:
        """Show the readouts of a picture."""
        self.param.update(size=scientific(snapshot.step_size), plays=snapshot.playing, shown=True)

    def on_alone(self) -> None:
        """Take the button."""
        self._go_alone()


def set_parameter(name: str, value: str | None) -> None:
    """Write a parameter of the class into the address bar, which a reload leads back to; None takes it away."""
    location = pn.state.location
    if location is not None and location.query_params.get(name) != value:
        query = {key: text for key, text in location.query_params.items() if key != name} | ({name: value} if value else {})
        location.search = f"?{urlencode(query)}" if query else ""
