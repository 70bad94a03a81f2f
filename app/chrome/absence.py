"""`Absence`: a visit whose connection broke is kept at rest for a while, so that its page finds it again as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bokeh.events import ConnectionLost
from tornado.ioloop import IOLoop

KEPT = 120.0
"""Seconds that a visit waits for its browser: a train's tunnel, a router that starts anew. Then it ends with its jobs."""
ON_PURPOSE = (1000, 1001)
"""Codes with which a browser closes a socket when its tab is closed or goes elsewhere: nobody comes back to that visit."""


class Absence:
    """Watches the connections of a document's session.

    Parameters
    ----------
    document
        Of the visit.
    rest, wake
        What to do when nobody is connected any more, and when somebody is again; called under the document's lock.
    """

    def __init__(self, document: Any, rest: Callable[[], None], wake: Callable[[], None]) -> None:
        self._document, self._rest, self._wake = document, rest, wake
        self._session: Any = None  #: kept from ending
        self._resting = False  #: until somebody is connected, also while a visit that was given up has not ended yet
        self._stop_waiting: Callable[[], None] = lambda: None
        self._known: set[Any] = set()  #: connections of the page that was loaded last
        document.on_event(ConnectionLost, self._lost)

    @property
    def away(self) -> bool:
        """Whether the visit waits for its browser."""
        return self._session is not None

    def _lost(self, event: Any) -> None:
        """Take notice of a connection that has ended, while the session still counts it."""
        session = getattr(self._document.session_context, "session", None)
        sockets = [connection._socket for connection in getattr(session, "_subscribed_connections", ())]
        closed = [socket for socket in sockets if getattr(socket, "ws_connection", None) is None]
        broken = [socket for socket in closed if getattr(socket, "close_code", None) not in ON_PURPOSE]
        if self.away or not broken or len(closed) < len(sockets):
            return
        session.block_expiration()
        self._session = session
        loop = IOLoop.current()
        timer = loop.call_later(KEPT, self._give_up, session)
        self._stop_waiting = lambda: loop.remove_timeout(timer)
        if not self._resting:
            self._resting = True
            self._document.add_next_tick_callback(self._stand_still)

    def _stand_still(self) -> None:
        """Rest, unless somebody has come back before the document's lock was free: nobody would wake the visit again."""
        if self._resting:
            self._rest()

    def _give_up(self, session: Any) -> None:
        if self._session is session:
            self._session = None
            session.unblock_expiration()

    def end(self, anew: bool = False) -> None:
        """Somebody is connected; `anew`: by a page just loaded, so that the connections of an older one lead nowhere.

        Those are closed: what is written to one that nobody reads would fill up, and hold the visit's lock from then on.
        """
        if anew:
            session = getattr(self._document.session_context, "session", None)
            present = set(getattr(session, "_subscribed_connections", ()))
            for connection in self._known & present:
                connection._socket.close()
            self._known = present - self._known
        if self.away:
            self._stop_waiting()
            self._give_up(self._session)
        if self._resting:
            self._resting = False
            self._wake()
