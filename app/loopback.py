"""Sockets of a server: 127.0.0.1 unless --address is set, and no delay of small messages (TCP_NODELAY).

The one place of the server that sets a name in another package: neither Bokeh nor Panel lets an application choose the
default address or the socket options. Without this file Bokeh binds to every network interface, so that the documented
command would publish uploaded files; and a frame of Live, about twelve small writes, waits for the browser's delayed
acknowledgement: 22 frames per second instead of 50. Bokeh's issue led to the option --address and postponed settings
outside the command line: https://github.com/bokeh/bokeh/issues/3129
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bokeh.server import server

LOOPBACK = "127.0.0.1"
_bind = server.bind_sockets  # raises if a release of Bokeh lacks this name, which is safer than listening everywhere


class PromptSocket(socket.socket):
    """Socket that keeps TCP_NODELAY on, as do the sockets it accepts.

    Tornado turns it off after each response, including a websocket's handshake.
    """

    def setsockopt(self, level: int, option: int, value: Any, *length: int) -> None:
        """Set an option; TCP_NODELAY stays on."""
        prompt = (level, option) == (socket.IPPROTO_TCP, socket.TCP_NODELAY)
        super().setsockopt(level, option, 1 if prompt else value, *length)

    def accept(self) -> tuple[PromptSocket, Any]:
        """Accept a connection."""
        connection, address = super().accept()
        return PromptSocket(fileno=connection.detach()), address


def bind_loopback(address: str | None, port: int) -> tuple[list[socket.socket], int]:
    """Bind as Bokeh does, but to 127.0.0.1 by default."""
    sockets, port = _bind(address or LOOPBACK, port)
    prompt: list[socket.socket] = []
    for plain in sockets:
        prompt.append(PromptSocket(fileno=plain.detach()))
        prompt[-1].setblocking(False)
    return prompt, port


def listen_on_loopback(bind: Callable[..., Any] = bind_loopback) -> None:
    """Use `bind(address, port)` for the sockets of servers created from now on."""
    server.bind_sockets = bind


@contextmanager
def listening_on_loopback() -> Iterator[None]:
    """Use `bind_loopback` for servers created within the block, but not for others, such as a notebook's own."""
    before = server.bind_sockets
    listen_on_loopback()
    try:
        yield
    finally:
        listen_on_loopback(before)
