"""`KernelServer`: a Panel server on a thread of the kernel, for the pages of its notebook."""

from __future__ import annotations

import asyncio
import secrets
import threading
from typing import TYPE_CHECKING, Any

import panel as pn
from panel.custom import JSComponent
from tornado.web import RequestHandler

from app.loopback import listening_on_loopback

if TYPE_CHECKING:
    from bokeh.server.session import ServerSession


class FrameHeight(JSComponent):
    """Invisible component that posts the height of the page to the parent window of its iframe."""

    _esm = """
export function render({el}) {
  const page = el.getRootNode().host.getRootNode().host  // the column with the page and this component
  const post = () => window.parent.postMessage({exitTimeLab: "height", height: page.getBoundingClientRect().height}, "*")
  new ResizeObserver(post).observe(page)
  post()
}
"""


LOOK = 500
"""Polling interval for viewers, in milliseconds."""
GRACE = 6
"""Polls without a viewer after which a page pauses: long enough for a reload of the notebook."""
SOON = 0.01
"""Polling interval for a session whose document is being built, in seconds."""
FOR_GOOD = 10 * 365 * 86_400
"""Lifetime of a session token in seconds: longer than that of the kernel."""


class Alive(RequestHandler):
    """Endpoint by which a browser tests whether it can reach this server."""

    def get(self) -> None:
        """Respond with 204 No Content."""
        self.set_status(204)


class Shown:
    """A page of the notebook, in one session shared by all its iframes."""

    def __init__(self, page: Any) -> None:
        self.page, self.key = page, secrets.token_urlsafe(24)
        self.session: ServerSession | None = None
        self.cells: dict[str, int] = {}  #: cell -> execution count of its last display there
        self.unseen, self.resting = 0, False

    def look(self) -> None:
        """Pause the page after GRACE polls without a viewer; resume it when one connects."""
        if self.session is None:
            return
        self.unseen = 0 if self.session.connection_count else self.unseen + 1
        if self.unseen >= GRACE and not self.resting:
            self.resting = True
            self.session.document.add_next_tick_callback(self.page.rest)
        elif not self.unseen and self.resting:
            self.resting = False
            self.session.document.add_next_tick_callback(self.page.activate)


class KernelServer:
    """Server of pages on 127.0.0.1, on a free port, below a secret path.

    It has its own thread and event loop, so that a page keeps playing while a cell computes.
    """

    def __init__(self) -> None:
        self.path = f"/{secrets.token_urlsafe(24)}"
        self.pages: dict[str, Shown] = {}
        self._ready = threading.Event()
        threading.Thread(target=self._run, name="notebook-server", daemon=True).start()
        self._ready.wait()

    def _run(self) -> None:
        from panel.io.server import get_server

        asyncio.set_event_loop(asyncio.new_event_loop())
        with listening_on_loopback():
            server = get_server({self.path: self._view}, port=0, address="127.0.0.1", start=False, show=False,
                                use_index=False, redirect_root=False, session_token_expiration=FOR_GOOD,
                                check_unused_sessions_milliseconds=1000,
                                extra_patterns=[(f"{self.path}/alive", Alive)])
        server.start()
        self.port, self.loop = server.port, server.io_loop
        self.loop.add_callback(self._ready.set)
        self.loop.call_later(LOOK / 1e3, self._look)
        self.loop.start()

    def _look(self) -> None:
        for shown in list(self.pages.values()):
            shown.look()
        self.loop.call_later(LOOK / 1e3, self._look)

    def _view(self) -> Any:
        """Return the document of a new session, whose id is the key of the page."""
        context = pn.state.curdoc.session_context
        shown = self.pages.get(context.id)
        if shown is None:
            return pn.pane.Str("This page does not exist.")
        self.loop.add_callback(self._keep, shown, context)
        shown.page.linked = False  # the address of the frame is not the user's
        return pn.Column(shown.page, FrameHeight(), sizing_mode="stretch_width", margin=0)

    def _keep(self, shown: Shown, context: Any) -> None:
        """Keep a page's session, which its figures belong to, alive as long as the page; wait for Bokeh to create it."""
        if context.session is not None:
            shown.session = context.session
            shown.session.block_expiration()
        elif shown.key in self.pages:
            self.loop.call_later(SOON, self._keep, shown, context)

    def keep(self, page: Any) -> Shown:
        """Serve a page until it is dropped."""
        for shown in self.pages.values():
            if shown.page is page:
                return shown
        shown = Shown(page)
        self.pages[shown.key] = shown
        return shown

    def drop(self, shown: Shown) -> None:
        """Close a page permanently."""
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
