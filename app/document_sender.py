"""Writes a new visit's document for its browser on a thread of its own, so that those who are here are served meanwhile."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from bokeh.server import contexts
from bokeh.server.session import ServerSession

from app.server_parts import replace

_threads = ThreadPoolExecutor(1, "document-sender")


class SessionWrittenAside(ServerSession):
    """A session whose document is first written beside the loop: nearly a megabyte of JSON, some 0.1 s.

    Nobody works at a document that no browser has yet. If something changed it all the same, or its browser asks again
    later, it is written between two events of the loop, as Bokeh does.
    """

    _asked = False

    async def _handle_pull(self, message: Any, connection: Any) -> Any:
        """Return the answer to a browser that asks for the document."""
        if self._asked:
            return await super()._handle_pull(message, connection)
        self._asked = True
        return await self.with_document_locked(self._written, message, connection)

    async def _written(self, message: Any, connection: Any) -> Any:
        write = partial(connection.protocol.create, "PULL-DOC-REPLY", message.header["msgid"], self.document)
        changes: list[Any] = []
        note = changes.append
        self.document.on_change(note)
        try:
            with suppress(RuntimeError):  # what is gone through has changed its size
                reply = await asyncio.get_running_loop().run_in_executor(_threads, write)
                if not changes:
                    return reply
        finally:
            self.document.remove_on_change(note)
        return write()


def write_aside() -> None:
    """Have the sessions that are made from now on write their documents aside."""
    replace(contexts, "ServerSession", SessionWrittenAside)
