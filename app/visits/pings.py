"""A visit whose browser answers no pings has left its place, though nobody has closed its connection: a cable was pulled."""

from __future__ import annotations

import time
from typing import Any

from app.server_parts import SOCKETS, extend_handlers

PING_EVERY = 10.0
"""Seconds between two pings of a socket. A browser answers by itself, also for a tab in the background."""
SILENT = 35.0
"""Seconds without a word after which nobody is thought to be there. The connection stays: a laptop that wakes goes on."""


class PingedSocket:
    """Part of the handler of sockets: knows when it was heard last."""

    ping_interval, ping_timeout = PING_EVERY, 0  # of Tornado; 0: a silent one is not closed
    heard = 0.0

    async def _async_open(self, token: str) -> None:
        """Take in that it is connected."""
        self.heard = time.monotonic()
        await super()._async_open(token)

    def on_pong(self, data: bytes) -> None:
        """Take in the answer to a ping."""
        self.heard = time.monotonic()
        super().on_pong(data)

    async def on_message(self, fragment: str | bytes) -> None:
        """Take in a message, which says as much."""
        self.heard = time.monotonic()
        if not self._let_go:
            await super().on_message(fragment)

    def on_close(self) -> None:
        """Take in that it is closed."""
        if not self._let_go:
            super().on_close()

    @property
    def _let_go(self) -> bool:
        """Whether Bokeh's own pings have met a closed socket, and let its visit go, before its last messages were read."""
        return self.connection is not None and self.connection._session is None


def somebody_there(session: Any) -> bool:
    """Return whether a browser is connected to a session, and has been heard of late."""
    if not session.connection_count:
        return False
    sockets = [connection._socket for connection in tuple(getattr(session, "_subscribed_connections", ()))]
    since = time.monotonic() - SILENT
    return not sockets or any(getattr(socket, "heard", since) >= since for socket in sockets)


def ping_visits() -> None:
    """Have the sockets of the servers made from now on be pinged."""
    extend_handlers(lambda route, handler: PingedSocket if route == SOCKETS else None)
