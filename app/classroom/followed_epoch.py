"""`FollowedEpoch`: Exit time as a student sees it: the teacher's knobs and the very chains of the teacher's picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.background_job import JobUpdate
from app.classroom.follow_bar import FollowBar
from app.handover import Session
from app.page import LINK_COPIED
from app.pages.exit_time import ExitTimePage

if TYPE_CHECKING:
    from app.classroom.room import Room
    from app.exit_time.result import ExitResult

REFUSED = "The teacher turns the knobs of this page. Press “Turn its knobs yourself” to have it for yourself."
EVERY = 2.5
"""Seconds between two pictures of a computation that is under way: figures are the dearest part of a follower."""


class FollowedEpoch(ExitTimePage):
    """Shows what the teacher's Exit time page has computed, and computes nothing itself.

    Parameters
    ----------
    room
        Whom it follows.
    go_alone
        Called with the link of this epoch when the student takes a page of their own.
    look_up
        Called twice a second, to look what the room says.
    """

    period = 500

    def __init__(self, room: Room, go_alone: Callable[[dict[str, str]], None], look_up: Callable[[], None],
                 dark: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._room, self._look_up, self._clock = room, look_up, clock
        self._seen: ExitResult | None = None
        self._at = -1e9
        super().__init__(dark=dark, framed=True)
        self.linked = False
        self.session = Session()  # what it leaves for other pages is nobody's
        self._asked = self.config
        self.bar = FollowBar(lambda: go_alone(self.query()), readouts=False)
        self.shell.param.update(top=self.bar, foot="")  # the bar opens the knobs on a phone

    def begin(self) -> None:
        """Come to the front: show the whole picture again."""
        self._seen, self._at = None, -1e9

    def look(self) -> None:
        """Look what the room says, then show its picture."""
        self._look_up()
        epoch = self._room.epoch
        result = None if epoch is None else epoch.result
        if result is None or result is self._seen or result.crowd is None:
            return
        if result.complete or self._clock() - self._at >= EVERY:
            self._seen, self._at, self.bar.shown = result, self._clock(), True
            self.show(JobUpdate(self._request, result, done=result.complete))

    def _compute(self) -> None:
        """Put back what the student turned: the room computes."""
        if REFUSED not in self.notices.words:
            self.notices.words = [*self.notices.words, REFUSED]
        if self.result is not None:
            self._asked = self.result.config
        self.state.load(self._asked)

    def show_preset(self, key: str) -> None:
        """Pictures to try are the teacher's."""
        self._compute()

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the link of this epoch: it opens without the room."""
        return self.query(), f"{LINK_COPIED}: this epoch, without the class"
