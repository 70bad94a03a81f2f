"""How many visits one process serves at once (``--visits``), and the document that a new visit gets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

import panel as pn

from app.chrome.extras import registered
from app.chrome.frame import Frame
from app.jobs.compute_slots import ComputeSlots
from app.server.arguments import Arguments, read
from app.server.plain_page import show_failure, show_full
from app.visit import SERVER, Visit

MOST = 40
"""Visits at once without ``--visits``; those that extras need are added."""


class VisitCount:
    """Counts the sessions of one process that somebody looks at; called on the server's thread.

    Bokeh keeps the session of a tab that was closed or reloaded for `--unused-session-lifetime` (15 s by default): without
    a connection it counts no more, so that a reload at a full server keeps its place.
    """

    def __init__(self) -> None:
        self._visits: WeakSet[Visit] = WeakSet()  # each is held by its document

    def enter(self, visit: Visit, size: int) -> bool:
        """Count a new session; return False, and count nothing, where all places, so many, are taken."""
        if self.present >= size:
            return False
        self._visits.add(visit)
        return True

    @property
    def present(self) -> int:
        """Visits with a connected browser, or created so lately that theirs has not come yet."""
        return sum(visit.connection.here for visit in list(self._visits))


def most_visits(arguments: Arguments) -> int:
    """Return how many visits one process serves at once: ``--visits``, else `MOST` and what the extras need."""
    return arguments.visits or MOST + sum(extra.visits(arguments.options) for extra in registered())


def page_of(query: dict[str, Any], argv: Sequence[str]) -> Any:
    """Return the document of a new visit: the pages, or words where the server is full or the pages could not be built.

    Parameters
    ----------
    query
        URL parameters.
    argv
        What stands after ``--args`` on the server's command line.
    """
    document, arguments = pn.state.curdoc, read(tuple(argv))
    if document is None or document.session_context is None:
        return Frame(query, arguments).page  # without a server
    visit, size = Visit(document), most_visits(arguments)
    if not SERVER.part(VisitCount).enter(visit, size):
        return show_full(document, query, size)
    try:
        with SERVER.part(ComputeSlots).held_back():
            return Frame(query, arguments, visit).page
    except Exception:  # an error of this program: the pages of others go on, and this browser is told
        return show_failure(document, query)
