"""The address a server listens on: this machine alone, unless its command line names another."""

from __future__ import annotations

from socket import socket

from bokeh.server import server

from app.server_parts import replace

HERE = "127.0.0.1"
_bind = server.bind_sockets


def bind_here(address: str | None, port: int) -> tuple[list[socket], int]:
    """Bind as Bokeh does, but to this machine where no address is given: Bokeh would take every network's."""
    return _bind(address or HERE, port)


def listen_here_by_default() -> None:
    """Have the servers made from now on listen on 127.0.0.1, unless they are given an address (`--address`)."""
    replace(server, "bind_sockets", bind_here)
