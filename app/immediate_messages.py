"""`send_at_once`: small messages of a session that wait for nothing."""

from __future__ import annotations

from typing import Any


def send_at_once(session: Any) -> None:
    """Set TCP_NODELAY on the sockets of a Bokeh session: small frames must not wait for an acknowledgement.

    Neither Bokeh nor Panel sets it, and the socket is private to them: out of reach, nothing changes.
    """
    for connection in getattr(session, "_subscribed_connections", ()):
        set_nodelay = getattr(getattr(connection, "_socket", None), "set_nodelay", None)
        if set_nodelay is not None:
            set_nodelay(True)
