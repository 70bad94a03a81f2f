"""`Feed`: eight times a second the room's picture goes to every follower, in one round on the server's own thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from tornado.ioloop import PeriodicCallback

if TYPE_CHECKING:
    from app.classroom.broadcast import Broadcast, Picture

PERIOD = 125
"""Milliseconds between two rounds."""


class Fed(Protocol):
    """A page that takes pictures."""

    def feed(self, picture: Picture) -> None:
        """Show a picture."""


class Feed:
    """Runs while there is somebody to feed."""

    def __init__(self, broadcast: Broadcast) -> None:
        self._broadcast, self._lock = broadcast, threading.Lock()
        self._fed: list[Fed] = []
        self._rounds: PeriodicCallback | None = None
        self._last = -1

    def add(self, page: Fed, loop: Any) -> None:
        """Feed a page from now on; `loop` is the server's."""
        with self._lock:
            if page not in self._fed:
                self._fed.append(page)
        loop.add_callback(self._start)

    def remove(self, page: Fed) -> None:
        """Feed a page no longer."""
        with self._lock:
            if page in self._fed:
                self._fed.remove(page)

    def _start(self) -> None:
        if self._rounds is None:
            self._rounds = PeriodicCallback(self.round, PERIOD)
            self._rounds.start()

    def round(self) -> None:
        """Show everybody the latest picture, if it is new."""
        with self._lock:
            fed = list(self._fed)
        if not fed and self._rounds is not None:
            self._rounds.stop()
            self._rounds = None
        picture = self._broadcast.latest()
        if picture is None or picture.number == self._last:
            return
        self._last = picture.number
        for page in fed:
            page.feed(picture)
