"""Limit on concurrent visits of one process (``--visits``), and the document of a new visit.

If the server is full, or the pages could not be built, the document is a plain text page without a connection.
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
    """Display that the server is full.

    Parameters
    ----------
    document
        Bokeh document of the new session.
    query
        URL parameters.
    size
        Maximum number of visits.

    Returns
    -------
    An empty root: the document is its template alone.
    """
    visits = "the one visit" if size == 1 else f"all {size} visits"
    return _show(document, query, heading="This server is full", button="Reload",
                 words=f"It serves {visits} that it can serve at once. A place becomes free when a tab is closed.",
                 advice="Your settings are in this page's address: reload it in a few minutes to restore them.")


def show_failure(document: Any, query: dict[str, Any]) -> Any:
    """Log the current exception and display an error page.

    Parameters and return value are those of `show_full`; the link without settings keeps only the parameters of a class.
    """
    logging.getLogger(__name__).exception("A page could not be built")
    return _show(document, query, heading="This page could not be built", button="Try again", other="Start without settings",
                 words=f"A program error stopped it. The server's log has the details, at {time.strftime('%H:%M:%S')}.",
                 advice="Your settings are in this page's address. Try again with them, or start without them.")


def _show(document: Any, query: dict[str, Any], **words: str) -> Any:
    rest = urlencode({name: url_text(query[name]) for name in staying() if query.get(name)})
    document.template = _TEMPLATE
    document.template_variables.update(theme=url_text(query.get("theme")), colours=css_variables(), rest=rest, **words)
    return pn.Spacer(width=0, height=0)


MOST = 40
"""Default maximum number of visits; extras add to it."""


class VisitCount:
    """Counter of the connected sessions of one process; called on the server's thread.

    Bokeh keeps the session of a closed or reloaded tab for `--unused-session-lifetime` (15 s by default). Without a
    connection it is not counted, so that a reload at a full server keeps its place.
    """

    def __init__(self) -> None:
        self._visits: WeakSet[Visit] = WeakSet()  # each is referenced by its document

    def enter(self, visit: Visit, size: int) -> bool:
        """Add a visit; return False without adding it if `size` visits are present."""
        if self.present >= size:
            return False
        self._visits.add(visit)
        return True

    @property
    def present(self) -> int:
        """Number of visits with a connected browser, or created within the last ARRIVAL seconds."""
        return sum(visit.connection.here for visit in list(self._visits))


def most_visits(arguments: Arguments) -> int:
    """Return the maximum number of visits of one process: ``--visits``, else `MOST` plus those of extras."""
    return arguments.visits or MOST + sum(extra.visits(arguments.options) for extra in registered())


def page_of(query: dict[str, Any], argv: Sequence[str]) -> Any:
    """Return the document of a new visit: the pages, or a text page if the server is full or building fails.

    Parameters
    ----------
    query
        URL parameters.
    argv
        Arguments after ``--args`` on the server's command line.
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
    except Exception:  # a program error: it must not affect other visits
        return show_failure(document, query)
