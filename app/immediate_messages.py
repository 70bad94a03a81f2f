"""Small messages of a session that wait for nothing (`send_at_once`), and many that leave together (`in_one_write`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def send_at_once(session: Any) -> None:
    """Set TCP_NODELAY on the sockets of a Bokeh session: small frames must not wait for an acknowledgement.

    Neither Bokeh nor Panel sets it, and the socket is private to them: out of reach, nothing changes.
    """
    for socket in _sockets(session):
        set_nodelay = getattr(socket, "set_nodelay", None)
        if set_nodelay is not None:
            set_nodelay(True)


@contextmanager
def in_one_write(session: Any) -> Iterator[None]:
    """Have what the block writes to a session's sockets leave in one call of the system at its end.

    A frame is a dozen messages. Each call lets go of the interpreter, and waits for it while other visits compute.
    Tornado holds back what is written to a stream that is still connecting; nothing else runs within the block. Where
    the stream is out of reach, messages leave as they are written.
    """
    streams = [stream for socket in _sockets(session)
               if (stream := getattr(getattr(socket, "ws_connection", None), "stream", None)) is not None
               and getattr(stream, "_connecting", None) is False and hasattr(stream, "_handle_write")]
    for stream in streams:
        stream._connecting = True
    try:
        yield
    finally:
        for stream in streams:
            stream._connecting = False
            if not stream.closed():
                stream._handle_write()
                if stream._write_buffer:
                    stream._add_io_state(stream.io_loop.WRITE)
                stream._maybe_add_error_listener()


def _sockets(session: Any) -> list[Any]:
    """Return the sockets of a session, which are private to it."""
    connections = tuple(getattr(session, "_subscribed_connections", ()))
    return [socket for connection in connections if (socket := getattr(connection, "_socket", None)) is not None]
