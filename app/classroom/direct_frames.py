"""`DirectFrames`: frames of one canvas on the shortest way to its browser.

A message that goes through a document costs Bokeh a look at all of the page's models, a lock and two threads of callbacks:
some 3 ms. Followers' frames are many and change nothing in their documents, so what stays the same of their messages is
made once and written straight to the socket, as Panel writes its own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tornado.websocket import WebSocketClosedError, WebSocketHandler

if TYPE_CHECKING:
    from app.canvas.chain_canvas import ChainCanvas

_HEADER = json.dumps({"msgid": "frame", "msgtype": "PATCH-DOC", "num_buffers": 1})
_BUFFER = json.dumps({"id": "frame"})


class DirectFrames:
    """Sends to every browser that shows a canvas, and is not behind with what it was sent."""

    def __init__(self, canvas: ChainCanvas) -> None:
        self._canvas = canvas
        self._content: dict[str, str] = {}
        self._writing: dict[Any, Any] = {}

    @property
    def open(self) -> bool:
        """Whether a browser can take a frame now."""
        return any(self._free(socket) for _, socket in self._sockets())

    def send(self, data: bytes) -> None:
        """Write a frame."""
        sockets = self._sockets()
        present = {socket for _, socket in sockets}
        self._writing = {socket: last for socket, last in self._writing.items() if socket in present}
        for model, socket in sockets:
            if self._free(socket):
                try:
                    for part in (_HEADER, "{}", self._said(model), _BUFFER):
                        WebSocketHandler.write_message(socket, part)
                    self._writing[socket] = WebSocketHandler.write_message(socket, data, binary=True)
                except WebSocketClosedError:
                    pass  # the browser has gone; Panel ends its session itself

    def _sockets(self) -> list[tuple[str, Any]]:
        """Return (model, socket) of every browser that shows the canvas."""
        found = []
        for model, _ in list(self._canvas._models.values()):
            context = getattr(model.document, "session_context", None)
            session = getattr(context, "session", None)
            for connection in list(getattr(session, "_subscribed_connections", ())):
                found.append((model.id, connection._socket))
        return found

    def _free(self, socket: Any) -> bool:
        """Whether nothing is being written to a socket, so that the parts of two messages do not mix."""
        last = self._writing.get(socket)
        open_ = getattr(socket, "ws_connection", None)
        locked = getattr(getattr(getattr(socket, "write_lock", None), "_block", None), "_value", 1) == 0
        return open_ is not None and not open_.is_closing() and not locked and (last is None or last.done())

    def _said(self, model: str) -> str:
        if model not in self._content:
            values = [["model", {"id": model}], ["data", {"type": "bytes", "data": {"id": "frame"}}]]
            event = {"type": "event", "name": "esm_event", "values": {"type": "map", "entries": values}}
            self._content = {model: json.dumps({"events": [{"kind": "MessageSent", "msg_type": "bokeh_event",
                                                            "msg_data": event}]})}
        return self._content[model]
