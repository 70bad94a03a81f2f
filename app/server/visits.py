"""How many visits one process serves at once (``--visits``), and the document that a new visit gets.

Where the server is full, or the pages could not be built, it is a page of plain words, without a connection.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from weakref import WeakSet

import panel as pn
from jinja2 import Environment

from app.chrome.extras import registered, staying
from app.chrome.frame import Frame
from app.jobs.compute_slots import ComputeSlots
from app.server.arguments import Arguments, read
from app.state.parameters.knob_values import url_text
from app.theme import css_variables
from app.visit import SERVER, Visit, served_document

_TEMPLATE = Environment(autoescape=True).from_string(
    Path(__file__).with_name("plain_page.html").read_text(encoding="utf-8"))


def show_full(document: Any, query: dict[str, Any], size: int) -> Any:
    """Say that the server has as many visits as it serves at once.

    Parameters
    ----------
    document
        Bokeh document of the new session.
    query
        URL parameters.
    size
        Visits at once.

    Returns
    -------
    What the document consists of: nothing.
    """
    visits = "the one visit" if size == 1 else f"all {size} visits"
    return _show(document, query, heading="This server is full", button="Reload",
                 words=f"It serves {visits} that it can serve at once. A place is free when somebody closes a tab.",
                 advice="Your settings are in this page's address: reload it in a few minutes, and it shows them.")


def show_failure(document: Any, query: dict[str, Any]) -> Any:
    """Log the exception that is handled, and say on the page that there was one.

    Parameters and return value as in `show_full`; the link without settings keeps only the URL parameters of a class.
    """
    logging.getLogger(__name__).exception("A page could not be built")
    return _show(document, query, heading="This page could not be built", button="Try again", other="Begin without settings",
                 words=f"An error in the program stopped it. The server's log says which, at {time.strftime('%H:%M:%S')}.",
                 advice="Your settings are in this page's address. Try again with them, or begin without them.")


def _show(document: Any, query: dict[str, Any], **words: str) -> Any:
    rest = urlencode({name: url_text(query[name]) for name in staying() if query.get(name)})
    document.template = _TEMPLATE
    document.template_variables.update(theme=url_text(query.get("theme")), colours=css_variables(), rest=rest, **words)
    return pn.Spacer(width=0, height=0)


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
    document, arguments = served_document(), read(tuple(argv))
    if document is None:
        return Frame(query, arguments).page  # without a server
    visit, size = Visit(document), most_visits(arguments)
    if not SERVER.part(VisitCount).enter(visit, size):
        return show_full(document, query, size)
    try:
        with SERVER.part(ComputeSlots).held_back():
            return Frame(query, arguments, visit).page
    except Exception:  # an error of this program: the pages of others go on, and this browser is told
        return show_failure(document, query)
