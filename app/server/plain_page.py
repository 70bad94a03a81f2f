"""Pages of plain words, without a connection: the server is full, or the pages could not be built."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import panel as pn
from jinja2 import Environment

from app.chrome.extras import staying
from app.state.parameters.url_reader import url_text
from app.theme import css_variables

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
