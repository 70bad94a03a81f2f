"""The door: a visit gets the pages while there is room, and waits in line while there is none."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import panel as pn

from app.chrome.frame import Frame
from app.page import close_with_session
from app.server_arguments import Arguments, read
from app.visits.failed_page import show_failure
from app.visits.own_name import named_by_address, open_under_own_name
from app.visits.pings import somebody_there
from app.visits.places import Places
from app.visits.waiting_page import COOKIE, WaitingPage

MOST = 40
"""Visits at once, if not said; a class has its seats beside them."""
ARRIVAL = 20.0
"""Seconds a browser may take to connect to the page it was sent."""
_lock = threading.Lock()
_places: list[Places] = []


def places_of(told: Arguments) -> Places:
    """Return the places of this process, made at the first call."""
    with _lock:
        if not _places:
            _places.append(Places(told.visits or MOST + (told.classroom or 0)))
        return _places[0]


def _presence(document: Any) -> Callable[[], bool]:
    """Return whether somebody looks at a document, or may do so soon: its page is on the way to the browser."""
    made, found, arrived = time.monotonic(), weakref.ref(document), threading.Event()
    document.on_event("document_ready", lambda event: arrived.set())

    def present() -> bool:
        document = found()
        context = document.session_context if document is not None else None
        if context is None:
            return False
        session = context.session
        on_its_way = not arrived.is_set() and time.monotonic() - made < ARRIVAL
        return on_its_way or (session is not None and somebody_there(session))

    return present


def page_of(query: dict[str, Any], argv: Sequence[str]) -> Any:
    """Return the document of a new visit: the pages, or the waiting page.

    Parameters
    ----------
    query
        URL parameters.
    argv
        What stands after ``--args`` on the server's command line.
    """
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        return Frame(query, argv).page  # nobody's visit
    if named_by_address(document):
        return open_under_own_name(document)
    places = places_of(read(tuple(argv)))
    present = _presence(document)
    ticket = places.enter((pn.state.cookies or {}).get(COOKIE, ""), present)
    if ticket is None:
        waiting = WaitingPage(places, present, dark=query.get("theme") == [b"dark"])
        close_with_session(waiting.close)
        return waiting.page
    close_with_session(lambda: places.leave(ticket))
    try:
        return Frame(query, argv).page
    except Exception:  # a fault of ours: the others' pages go on, and this browser is told
        return show_failure(document, query)
