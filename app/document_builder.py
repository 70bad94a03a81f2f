"""Builds the document of a new visit on a thread of its own, so that those who are here see their chains move meanwhile."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from panel.io.state import state

from app.documents_by_thread import keep_by_thread

if TYPE_CHECKING:
    from bokeh.application.application import Application, SessionContext
    from bokeh.document import Document


class DocumentBuilder:
    """Has an application build its documents aside, one after the other.

    Bokeh makes a document between two events of its loop, 0.2 to 0.6 s during which nobody is served. It waits, though,
    for what is to be done when a session is created: the document is built there.
    """

    def __init__(self, application: Application) -> None:
        self._threads = ThreadPoolExecutor(1, "document-builder")
        self._created, self._build = application.on_session_created, application.initialize_document
        self._built: set[int] = set()  #: identities of documents that the loop has not taken yet
        application.on_session_created, application.initialize_document = self._create, self._take

    async def _create(self, context: SessionContext) -> None:
        await self._created(context)
        document, loop = context._document, asyncio.get_running_loop()
        await loop.run_in_executor(self._threads, self._build, document)
        state._thread_id_[document] = threading.get_ident()  # it belongs to the loop from here on
        self._built.add(id(document))

    def _take(self, document: Document) -> None:
        """Build what has not been built aside: a document without a session."""
        if id(document) in self._built:
            self._built.discard(id(document))
        else:
            self._build(document)


def build_aside(server_context: Any) -> None:
    """Have the application of this server build its documents aside."""
    keep_by_thread()
    DocumentBuilder(server_context.application_context.application)
