"""The bar over a student's page, in the place of the transport: the epoch, and where the teacher is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import param

from app.number_words import scientific
from app.widgets.component import LabComponent

if TYPE_CHECKING:
    from app.live.snapshot import Snapshot

WORDS = {
    "waiting": "The teacher has not come yet. This page begins by itself.",
    "here": "Following your teacher",
    "gone": "Your teacher’s page is closed or has lost its connection. Wait here, or go on alone from this epoch.",
}
COMING = "Your teacher is at Exit time. It comes here in a moment, to one student after another."


class FollowBar(LabComponent):
    """`go_alone()` is called when the student takes a run of her own."""

    _source = "follow_bar"

    words = param.String(WORDS["waiting"])
    warns = param.Boolean(False, doc="Whether the teacher is gone.")
    shown = param.Boolean(False, doc="Whether there is a picture to go on from.")
    readouts = param.Boolean(True, doc="Whether there is a run that plays.")

    def __init__(self, go_alone: Callable[[], None], **params: object) -> None:
        self._go_alone = go_alone
        self._last: list | None = None
        super().__init__(sizing_mode="stretch_width", **params)

    def say(self, teacher: str, place: str, coming: bool = False) -> None:
        """Say where the teacher is: waiting, here (at a page of that label, or empty: one that the room sees), gone.

        ``coming``: Exit time is on its way.
        """
        words = f"Your teacher is at {place}: look at the screen in front." if place else WORDS[teacher]
        words = COMING if coming and teacher == "here" else words
        self.param.update(words=words, warns=teacher == "gone")

    def tell(self, snapshot: Snapshot) -> None:
        """Send the readouts that changed."""
        message = [scientific(snapshot.step_size), snapshot.playing]
        if message != self._last:
            self._last = message
            self._send_msg(message)
        self.shown = True

    def on_ready(self) -> None:
        """Answer a new view with the present readouts."""
        if self._last is not None:
            self._send_msg(self._last)

    def on_alone(self) -> None:
        """Take the button."""
        self._go_alone()
