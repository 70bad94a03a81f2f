"""The relay: requests and sockets of a page's frame, carried by the kernel's own connection to the browser.

The browser of a remote kernel cannot reach the kernel's server. `frame.js` asks for files and opens sockets here, and the
relay passes them on to the server, unchanged: text stays text, bytes stay bytes, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

if TYPE_CHECKING:
    from app.notebook.server import KernelServer

GATHER = 0.002
"""Seconds in which fragments of the server's messages are gathered: five or so make one message."""
LARGEST = 64 * 2**20
"""Bytes of the largest file or message."""


class Socket:
    """One of the browser's sockets, and the one to the server that stands for it."""

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
            self._relay.say({"kind": "closed", "socket": self._number, "reason": f"{type(error).__name__}: {error}"})
            return
        self._relay.say({"kind": "opened", "socket": self._number, "protocol": self._connection.selected_subprotocol})
        for fragment in self._waiting:
            self.send(fragment)

    def _take(self, fragment: str | bytes | None) -> None:
        if fragment is None:
            self._flush()
            self._relay.say({"kind": "closed", "socket": self._number, "reason": ""})
            return
        self._fragments.append(fragment)
        if not self._due:
            self._due = True
            self._relay.loop.call_later(GATHER, self._flush)

    def _flush(self) -> None:
        fragments, self._fragments, self._due = self._fragments, [], False
        if fragments:
            self._relay.say({"kind": "fragments", "socket": self._number, "text": [isinstance(f, str) for f in fragments]},
                            [f.encode() if isinstance(f, str) else f for f in fragments])

    def send(self, fragment: str | bytes) -> None:
        """Pass on what the browser sends."""
        if self._connection is None:
            self._waiting.append(fragment)
        else:
            self._connection.write_message(fragment, binary=isinstance(fragment, bytes))

    def close(self) -> None:
        """Disconnect."""
        if self._connection is not None:
            self._connection.close()


class Relay:
    """One frame's connection; ``send(data, buffers=)`` sends its browser a message."""

    def __init__(self, server: KernelServer, send: Callable[..., None]) -> None:
        self.port, self.loop, self._send = server.port, server.loop, send
        self._sockets: dict[int, Socket] = {}

    def say(self, data: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        """Send a message to the browser."""
        self._send(data, buffers=buffers or [])

    def take(self, data: dict[str, Any], buffers: Sequence[bytes]) -> None:
        """Take a message from the browser; on the server's thread."""
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
        self.say({"kind": "got", "number": number, "status": answer.code, "type": answer.headers.get("Content-Type", "")},
                 [answer.body])

    def close(self) -> None:
        """Close what the frame leaves open."""
        for socket in self._sockets.values():
            socket.close()
        self._sockets.clear()


def open_relay(server: KernelServer, comm: Any) -> None:
    """Serve one frame over the kernel's connection."""
    relay = Relay(server, comm.send)
    comm.on_msg(lambda message: server.loop.add_callback(relay.take, message["content"]["data"], message.get("buffers", ())))
    comm.on_close(lambda message: server.loop.add_callback(relay.close))
