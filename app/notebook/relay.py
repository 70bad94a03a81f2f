"""`Relay`: requests and sockets of a page's iframe over the kernel's connection to the browser.

The browser of a remote kernel cannot reach the kernel's server. `frame.js` sends its requests and socket messages here, and
the relay forwards them to the server unchanged and in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

if TYPE_CHECKING:
    from app.notebook.server import KernelServer

GATHER = 0.002
"""Seconds in which fragments of the server's messages are collected: about five make one message."""
LARGEST = 64 * 2**20
"""Maximum size of a file or message, in bytes."""


class Socket:
    """One socket of the browser, and its counterpart to the server."""

    def __init__(self, relay: Relay, number: int) -> None:
        self._relay, self._number = relay, number
        self._connection: Any = None
        self._fragments: list[str | bytes] = []
        self._waiting: list[str | bytes] = []
        self._due = False

    async def open(self, path: str, protocols: list[str]) -> None:
        """Connect to the server."""
        try:
            self._connection = await websocket_connect(
                HTTPRequest(f"ws://127.0.0.1:{self._relay.port}{path}"), subprotocols=protocols,
                on_message_callback=self._take, max_message_size=LARGEST)
        except Exception as error:
            self._relay.post({"kind": "closed", "socket": self._number, "reason": f"{type(error).__name__}: {error}"})
            return
        self._relay.post({"kind": "opened", "socket": self._number, "protocol": self._connection.selected_subprotocol})
        for fragment in self._waiting:
            self.send(fragment)

    def _take(self, fragment: str | bytes | None) -> None:
        if fragment is None:
            self._flush()
            self._relay.post({"kind": "closed", "socket": self._number, "reason": ""})
            return
        self._fragments.append(fragment)
        if not self._due:
            self._due = True
            self._relay.loop.call_later(GATHER, self._flush)

    def _flush(self) -> None:
        fragments, self._fragments, self._due = self._fragments, [], False
        if fragments:
            self._relay.post({"kind": "fragments", "socket": self._number, "text": [isinstance(f, str) for f in fragments]},
                            [f.encode() if isinstance(f, str) else f for f in fragments])

    def send(self, fragment: str | bytes) -> None:
        """Forward a fragment from the browser."""
        if self._connection is None:
            self._waiting.append(fragment)
        else:
            self._connection.write_message(fragment, binary=isinstance(fragment, bytes))

    def close(self) -> None:
        """Disconnect."""
        if self._connection is not None:
            self._connection.close()


class Relay:
    """Connection of one iframe; ``send(data, buffers=)`` sends a message to its browser."""

    def __init__(self, server: KernelServer, send: Callable[..., None]) -> None:
        self.port, self.loop, self._send = server.port, server.loop, send
        self._sockets: dict[int, Socket] = {}

    def post(self, data: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        """Send a message to the browser."""
        self._send(data, buffers=buffers or [])

    def take(self, data: dict[str, Any], buffers: Sequence[bytes]) -> None:
        """Handle a message from the browser; called on the server's thread."""
        kind, number = data["kind"], data["number"]
        if kind == "get":
            self.loop.add_callback(self._get, number, data["path"])
        elif kind == "open":
            self._sockets[number] = socket = Socket(self, number)
            self.loop.add_callback(socket.open, data["path"], data["protocols"])
        elif kind == "send" and number in self._sockets:
            self._sockets[number].send(bytes(buffers[0]) if buffers else data["text"])
        elif kind == "close" and number in self._sockets:
            self._sockets.pop(number).close()

    async def _get(self, number: int, path: str) -> None:
        answer = await AsyncHTTPClient(max_body_size=LARGEST).fetch(f"http://127.0.0.1:{self.port}{path}", raise_error=False)
        self.post({"kind": "got", "number": number, "status": answer.code, "type": answer.headers.get("Content-Type", "")},
                 [answer.body])

    def close(self) -> None:
        """Close the open sockets."""
        for socket in self._sockets.values():
            socket.close()
        self._sockets.clear()


def open_relay(server: KernelServer, comm: Any) -> None:
    """Serve one iframe over the kernel's connection."""
    relay = Relay(server, comm.send)
    comm.on_msg(lambda message: server.loop.add_callback(relay.take, message["content"]["data"], message.get("buffers", ())))
    comm.on_close(lambda message: server.loop.add_callback(relay.close))
