"""`FollowedPages`: the two pages on which a student sees the room, Live and Exit time; the teacher's is in front."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import panel as pn

from app.classroom.followed_page import FollowedPage
from app.classroom.room import HERE
from app.ordered_messages import in_order
from app.page import close_with_session

if TYPE_CHECKING:
    from app.classroom.member import ClassChrome
    from app.classroom.room import Room
    from app.classroom.seats import Seat

EXIT_TIME = "exit"
"""Key of the page."""


class FollowedPages:
    """Live is made at once, Exit time when the teacher first goes there.

    A page of figures takes a second of the server's time, so a class is brought there and back one after the other.

    Parameters
    ----------
    room, seat
        Whom they follow, and whose chains they show.
    chrome
        The frame they stand in.
    look_up
        Called twice a second, to look what the room says.
    dark
        Theme they are born in.
    """

    def __init__(self, room: Room, seat: Seat, chrome: ClassChrome, look_up: Callable[[], None], dark: bool) -> None:
        self._room, self._chrome, self._look_up, self._dark = room, chrome, look_up, dark
        self.live = FollowedPage(room, seat, self._take_run, look_up, dark)
        self._epoch: Any = None  #: a FollowedEpoch, once the teacher has been at Exit time
        self._at_exit_time = False
        close_with_session(self.live.close)

    def begin(self) -> None:
        """Bring Live to the front; Exit time comes when it is this student's turn."""
        self._at_exit_time = False
        self._chrome.show_story("live", self.live)

    def look(self, following: Callable[[], bool]) -> None:
        """Bring the other page if the teacher is there; `following()` says whether that is still wanted by then."""
        if self._late and not self._room.changes.wait:
            # not here: this look is part of the page that goes
            pn.state.curdoc.add_next_tick_callback(lambda: self._change() if following() else None)

    def say(self) -> None:
        """Say on both pages where the teacher is."""
        teacher, place = self._room.teacher, self._room.place
        for page in (self.live, self._epoch):
            if page is not None:
                page.bar.say(teacher, place if teacher == HERE else "", coming=self._late and not self._at_exit_time)

    @property
    def _late(self) -> bool:
        """Whether the page in front is not the teacher's."""
        return (self._room.epoch is not None) != self._at_exit_time

    def _change(self) -> None:
        if not self._late or self._room.changes.wait:
            return
        with in_order():
            if self._at_exit_time:
                self.begin()
            else:
                self._at_exit_time = True
                if self._epoch is None:
                    from app.classroom.followed_epoch import FollowedEpoch  # it brings the library of figures

                    self._epoch = FollowedEpoch(self._room, self._take_epoch, self._look_up, self._dark)
                    close_with_session(self._epoch.close)
                self._chrome.show_story(EXIT_TIME, self._epoch)
            self.say()
        self._room.changes.note()

    def _take_run(self) -> None:
        """Leave the room for a run of one's own from its epoch, with its knobs and stream."""
        self._chrome.visit("live", self._room.own_run())

    def _take_epoch(self, query: dict[str, str]) -> None:
        """Leave the room for the epoch it shows, with knobs of one's own."""
        self._chrome.visit(EXIT_TIME, query)
