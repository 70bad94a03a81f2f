"""`Visit`: what the pages of one tab share and leave for each other; `Server`: what the visits of a process share."""

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
    """Return the document of the session that this thread is serving; None where it serves none.

    Before 3.10 Bokeh has one current document for all threads: a cell of a notebook, which runs in the loop of the kernel,
    finds there that of a page that plays, where the server's thread is in a callback of it just then. Since 3.10 each thread
    has its own, and those that serve have no loop.
    """
    document = pn.state.curdoc
    context = None if document is None else document.session_context
    if context is None:
        return None
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        return document
    server = context.server_context  # None in a kernel that Panel itself runs an app in
    return document if server is None or server.application_context.io_loop.asyncio_loop is running else None


class Allowance:
    """So many times at once, and then so many a second. May be asked from any thread.

    Parameters
    ----------
    at_once : int
        Times that are free.
    a_second : float
        Times that come back each second.
    """

    def __init__(self, at_once: int, a_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._left, self._most, self._rate, self._clock = float(at_once), float(at_once), a_second, clock
        self._at, self._lock = clock(), threading.Lock()

    @property
    def wait(self) -> float:
        """Seconds until the next time is free; 0: now."""
        with self._lock:
            self._refill()
            return 0.0 if self._left >= 1 else (1 - self._left) / self._rate

    def note(self) -> None:
        """Count one time."""
        with self._lock:
            self._refill()
            self._left = max(0.0, self._left - 1)

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now


UPLOADS = 12, 0.1
"""Files that a visit may send one after the other, on all its pages together, and that come back each second."""


ARRIVAL = 60.0
"""Seconds that a browser may take to open the socket of the page it was sent."""


class Connection:
    """Knows whether a browser is connected to the session of a document; outside a server there is always one."""

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
    """What the visits of this process share: one object of each class, made when it is first asked for."""

    def __init__(self) -> None:
        self.parts: dict[type, Any] = {}
        self._lock = threading.RLock()

    def part(self, kind: type[T]) -> T:
        """Return this server's object of a class, which is made without arguments."""
        with self._lock:
            if kind not in self.parts:
                self.parts[kind] = kind()
            return self.parts[kind]

    @property
    def alone(self) -> Visit:
        """The visit of all pages that no browser asked for: those of a notebook's cells share it."""
        return self.part(Visit)


SERVER = Server()
"""This process's. Whatever else its visits share is a part of it."""


class Visit:
    """One visit: what the pages of one browser tab share.

    Parameters
    ----------
    document
        Bokeh document of the tab; None: outside a server.
    server
        What it shares with other visits.
    """

    def __init__(self, document: Any = None, server: Server = SERVER) -> None:
        self.server = server
        self.connection = Connection(document)
        self.live: LiveHandover | None = None
        self.uploads = Allowance(*UPLOADS)
        self.user_data: UserData | None = None  #: the user's data or gradient
        #: the user's file loaded last: its name, where it is kept, and what Tune's state says of it
        self.file: tuple[str, Path, dict[str, Any]] | None = None
        self.scheduler: str | None = None  #: address of a Dask scheduler for sweeps
        self.open_page: Callable[[str, dict], None] | None = None  #: brings a page, by key, showing what a query says
        self.coreset: Any = None  #: a coreset posterior the Coreset page left, with `.label`, `.problem`, `.dim`

    def leave_live(self, state: LiveHandover) -> None:
        """Keep the state the Live page left; called from its engine's thread."""
        self.live = state
