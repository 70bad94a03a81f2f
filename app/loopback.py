"""How a server listens: on 127.0.0.1 unless it has an address, and without delay of small messages (TCP_NODELAY).

The one place of the server that sets a name in another package. Neither Bokeh nor Panel lets an application choose the
default address or the options of its sockets, from the environment or in a hook. Without this file Bokeh binds to every
network of the machine, so that whoever types the documented command would publish the files they upload; and a frame of
Live, a dozen small writes, waits for the browser's delayed acknowledgement: 22 frames a second in place of 50. Bokeh's issue
brought the option --address, and left settings outside of the command line for later:
https://github.com/bokeh/bokeh/issues/3129
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bokeh.server import server

LOOPBACK = "127.0.0.1"
_bind = server.bind_sockets  # raises where a release of Bokeh has no such name: better than to listen everywhere


class PromptSocket(socket.socket):
    """A socket that sends small messages at once, as do those it accepts.

    Tornado turns TCP_NODELAY off after each answer, a websocket's handshake too.
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
    """Bind as Bokeh does, on 127.0.0.1 where no address is set."""
    sockets, port = _bind(address or LOOPBACK, port)
    prompt: list[socket.socket] = []
    for plain in sockets:
        prompt.append(PromptSocket(fileno=plain.detach()))
        prompt[-1].setblocking(False)
    return prompt, port


def listen_on_loopback(bind: Callable[..., Any] = bind_loopback) -> None:
    """Have the servers created from now on listen so; `bind` is what Bokeh calls with an address and a port."""
    server.bind_sockets = bind


@contextmanager
def listening_on_loopback() -> Iterator[None]:
    """Have the servers created within the block listen so; others in the process, such as a notebook's own, do not."""
    before = server.bind_sockets
    listen_on_loopback()
    try:
        yield
    finally:
        listen_on_loopback(before)
