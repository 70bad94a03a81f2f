"""`KernelServer`: a Panel server on a thread of the kernel, for the pages that its notebook shows."""

from __future__ import annotations

import asyncio
import secrets
import threading
from typing import TYPE_CHECKING, Any

import panel as pn
from tornado.web import RequestHandler

from app.documents_by_thread import keep_by_thread
from app.immediate_messages import send_at_once
from app.notebook.frame_height import FrameHeight

if TYPE_CHECKING:
    from bokeh.server.session import ServerSession

LOOK = 500
"""Milliseconds between two looks at who is watching."""
GRACE = 6
"""Looks without a viewer after which a page rests: long enough for a notebook that is loaded again."""
FOR_GOOD = 10 * 365 * 86_400
"""Seconds a session may be joined: as long as the kernel lives."""


class Alive(RequestHandler):
    """Says to a browser that it can reach this server; it reads no answer, so nothing is said."""

    def get(self) -> None:
        """Answer with nothing."""
        self.set_status(204)


class Shown:
    """A page the notebook shows, in one session that all its frames join."""

    def __init__(self, page: Any) -> None:
        self.page, self.key = page, secrets.token_urlsafe(24)
        self.session: ServerSession | None = None
        self.cells: dict[str, int] = {}  #: cell -> number of the execution that showed it there
        self.unseen, self.resting = 0, False

    def look(self) -> None:
        """Let the page rest once nobody has watched it for a while; wake it when somebody does."""
        if self.session is None:
            return
        send_at_once(self.session)  # those of frames that have joined since
        self.unseen = 0 if self.session.connection_count else self.unseen + 1
        if self.unseen >= GRACE and not self.resting:
            self.resting = True
            self.session.document.add_next_tick_callback(self.page.rest)
        elif not self.unseen and self.resting:
            self.resting = False
            self.session.document.add_next_tick_callback(self.page.wake)


class KernelServer:
    """Serves pages on 127.0.0.1, on a free port, below a path nobody can guess.

    It has a thread and an event loop of its own, so that a page plays on while a cell computes.
    """

    def __init__(self) -> None:
        self.path = f"/{secrets.token_urlsafe(24)}"
        self.pages: dict[str, Shown] = {}
        self._ready = threading.Event()
        keep_by_thread()
        threading.Thread(target=self._run, name="notebook-server", daemon=True).start()
        self._ready.wait()

    def _run(self) -> None:
        from panel.io.server import get_server

        asyncio.set_event_loop(asyncio.new_event_loop())
        server = get_server({self.path: self._view}, port=0, address="127.0.0.1", start=False, show=False,
                            use_index=False, redirect_root=False, session_token_expiration=FOR_GOOD,
                            check_unused_sessions_milliseconds=1000,
                            extra_patterns=[(f"{self.path}/alive", Alive)])
        server.start()
        self.port, self.loop, self._server = server.port, server.io_loop, server
        self.loop.add_callback(self._ready.set)
        self.loop.call_later(LOOK / 1e3, self._look)
        self.loop.start()

    def _look(self) -> None:
        for shown in list(self.pages.values()):
            shown.look()
        self.loop.call_later(LOOK / 1e3, self._look)

    def _view(self) -> Any:
        """Return what a new session shows; its number is the key of the page."""
        context = pn.state.curdoc.session_context
        shown = self.pages.get(context.id)
        if shown is None:
            return pn.pane.Str("There is no such page.")
        self.loop.add_callback(self._keep, shown)
        shown.page.linked = False  # the address of the frame is not the user's
        return pn.Column(shown.page, FrameHeight(), sizing_mode="stretch_width", margin=0)

    def _keep(self, shown: Shown) -> None:
        """Keep the session of a page for as long as the page: its figures belong to it."""
        shown.session = self._server.get_session(self.path, shown.key)
        shown.session.block_expiration()
        self._take_changes_from_cells(shown.session)

    @staticmethod
    def _take_changes_from_cells(session: ServerSession) -> None:
        """Send what a cell changes from this thread, in order: Bokeh allows changes under its lock only."""
        send, here, document = session._document_patched, threading.get_ident(), session.document

        def patched(event: Any) -> None:
            if threading.get_ident() == here:
                send(event)
            else:
                document.add_next_tick_callback(lambda: send(event))

        session._document_patched = patched

    def keep(self, page: Any) -> Shown:
        """Serve a page from now on."""
        for shown in self.pages.values():
            if shown.page is page:
                return shown
        shown = Shown(page)
        self.pages[shown.key] = shown
        return shown

    def drop(self, shown: Shown) -> None:
        """Close a page for good."""
        self.pages.pop(shown.key, None)
        if shown.session is None:
            shown.page.close()
        else:
            shown.session.document.add_next_tick_callback(shown.page.close)
            self.loop.add_callback(self._discard, shown.session)

    def _discard(self, session: ServerSession) -> None:
        session.request_expiration()
        session.unblock_expiration()

    def address(self, shown: Shown) -> str:
        """Return the path of a page on this server."""
        return f"{self.path}?bokeh-session-id={shown.key}"
