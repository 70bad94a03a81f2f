"""`Visit`: state shared by the pages of one tab; `Server`: objects shared by the visits of one process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import panel as pn

from app.state.user_data import UserData

if TYPE_CHECKING:
    from bokeh.document import Document

    from app.live.run_handover import LiveHandover

T = TypeVar("T")


def served_document() -> Document | None:
    """Return the document of the session that this thread is serving, or None.

    Before 3.10 Bokeh has one current document for all threads: while the server's thread runs a callback of a page, a
    notebook cell, which runs in the kernel's loop, reads that page's document. Since 3.10 each thread has its own, and the
    serving threads have no loop.
    """
    document = pn.state.curdoc
    context = None if document is None else document.session_context
    if context is None:
        return None
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        return document
    server = context.server_context  # None in a kernel where Panel itself runs an app
    return document if server is None or server.application_context.io_loop.asyncio_loop is running else None


class Allowance:
    """Rate limit: a token bucket. Thread-safe.

    Parameters
    ----------
    at_once : int
        Size of the bucket.
    a_second : float
        Tokens restored per second.
    """

    def __init__(self, at_once: int, a_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._left, self._most, self._rate, self._clock = float(at_once), float(at_once), a_second, clock
        self._at, self._lock = clock(), threading.Lock()

    @property
    def wait(self) -> float:
        """Seconds until the next token is available; 0 if one is."""
        with self._lock:
            self._refill()
            return 0.0 if self._left >= 1 else (1 - self._left) / self._rate

    def note(self) -> None:
        """Use one token."""
        with self._lock:
            self._refill()
            self._left = max(0.0, self._left - 1)

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now


UPLOADS = 12, 0.1
"""Rate limit of a visit's uploads, on all its pages together: bucket size, and files restored per second."""


ARRIVAL = 60.0
"""Seconds in which a browser must open the websocket of a page it has loaded."""


class Connection:
    """Connection of a browser to the session of a document; outside a server it counts as connected."""

    def __init__(self, document: Any = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._context = None if document is None else document.session_context
        self._clock, self._until = clock, clock() + ARRIVAL

    @property
    def here(self) -> bool:
        """Whether a browser is connected, or may still connect for the first time."""
        if self._context is None:
            return True
        if self._context.destroyed:
            return False
        session = self._context.session
        if session is not None and session.connection_count:
            self._until = 0.0
            return True
        return self._clock() < self._until


class Server:
    """Objects shared by the visits of this process: one of each class, created on first use."""

    def __init__(self) -> None:
        self.parts: dict[type, Any] = {}
        self._lock = threading.RLock()

    def part(self, kind: type[T]) -> T:
        """Return this server's instance of a class, created without arguments."""
        with self._lock:
            if kind not in self.parts:
                self.parts[kind] = kind()
            return self.parts[kind]

    @property
    def alone(self) -> Visit:
        """Visit shared by all pages outside a server session, such as those of notebook cells."""
        return self.part(Visit)


SERVER = Server()
"""The server object of this process; all state shared by its visits is a part of it."""


class Visit:
    """State shared by the pages of one browser tab.

    Parameters
    ----------
    document
        Bokeh document of the tab; None outside a server.
    server
        Objects shared with other visits.
    """

    def __init__(self, document: Any = None, server: Server = SERVER) -> None:
        self.server = server
        self.connection = Connection(document)
        self.live: LiveHandover | None = None
        self.uploads = Allowance(*UPLOADS)
        self.user_data: UserData | None = None  #: the user's data or gradient
        #: the user's last file: its name, its path on the server, and the parameters of Tune's state that describe it
        self.file: tuple[str, Path, dict[str, Any]] | None = None
        self.scheduler: str | None = None  #: address of a Dask scheduler for sweeps
        self.open_page: Callable[[str, dict], None] | None = None  #: opens a page, by key, with URL parameters
        self.coreset: Any = None  #: coreset posterior of the Coreset page, with `.label`, `.problem`, `.dim`

    def leave_live(self, state: LiveHandover) -> None:
        """Store the last state of the Live page; called from its engine's thread."""
        self.live = state
