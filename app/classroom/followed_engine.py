"""`FollowedEngine`: what a student's page has for an engine: it computes nothing and hands out the room's pictures."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.classroom.chain_slice import slice_of
from app.live.commands import Configure

if TYPE_CHECKING:
    from app.classroom.broadcast import Picture
    from app.classroom.room import Room
    from app.classroom.seats import Seat
    from app.live.commands import Command
    from app.live.snapshot import Series, Snapshot

ALL_EVERY = 2.5
"""Seconds between two updates of all of a follower's page while the run plays: charts and words are its dearest part."""


class FollowedEngine:
    """Takes the place of `Engine` on a page that follows a room.

    `take` hands out whole pictures, when something has changed that more than the chains must show, and now and then;
    `frame` those between, for the chains alone.

    Parameters
    ----------
    room
        Whose pictures.
    seat
        Which chains of them.
    """

    playing = alive = False

    def __init__(self, room: Room, seat: Seat, clock: Callable[[], float] = time.monotonic) -> None:
        self._room, self.seat, self._clock = room, seat, clock
        self._follow: int | None = 0
        self._seen, self._measured, self._at = -1, -1, -1e9
        self._key: tuple | None = None

    def start(self) -> None:
        """Show the whole picture again: the page has come to the front, or has another seat."""
        self._key, self._measured = None, -1

    def rest(self) -> None:
        """Nothing runs here."""

    def close(self) -> None:
        """Nothing runs here."""

    def post(self, command: Command) -> None:
        """Obey the choice of a followed chain; the rest is the teacher's."""
        if isinstance(command, Configure) and command.config.follow != self._follow:
            self._follow, self._key = command.config.follow, None

    def take(self) -> Snapshot | None:
        """Return a whole picture if it is time for one, or None."""
        picture = self._room.broadcast.latest()
        if picture is None:
            return None
        snapshot, now = picture.snapshot, self._clock()
        key = (snapshot.run, snapshot.config, snapshot.playing, snapshot.cloud.axis_names, snapshot.notice_kind)
        late = now - self._at >= ALL_EVERY or not snapshot.playing
        measured = picture.measured != self._measured and picture.series is not None
        if key == self._key and not (late and (measured or picture.number != self._seen)):
            return None
        self._key, self._seen, self._at = key, picture.number, now
        if measured:
            self._measured = picture.measured
        return self._slice(snapshot, picture.series if measured else None)

    def frame(self, picture: Picture) -> Snapshot | None:
        """Return the chains of a picture; None where the whole picture must be shown first."""
        snapshot = picture.snapshot
        if self._key is None or (snapshot.run, snapshot.cloud.axis_names) != (self._key[0], self._key[3]):
            return None
        return self._slice(snapshot, None)

    def _slice(self, snapshot: Snapshot, series: Series | None) -> Snapshot:
        chains = self._room.chains(self.seat, snapshot.config.chains)
        if self._follow is not None and self._follow >= len(chains):
            self._follow = 0
        return slice_of(snapshot, chains, self._follow, series)
