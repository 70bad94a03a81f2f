"""A fault in the program: a page that cannot be built, and one that cannot show what has come, say so in words."""

from types import SimpleNamespace

import numpy as np
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app import page as pages
from app.pages.offline import OfflinePage
from app.visits import door
from app.visits.places import Places


class Context:
    """Of a session that has just been made."""

    request = SimpleNamespace(cookies={}, headers={}, arguments={}, query_arguments={})
    session = None


@pytest.fixture
def arrive(monkeypatch):
    """Return a function that builds a visit's document while its pages cannot be made."""
    def fail(query, argv):
        raise IndexError("list index out of range <b>")

    monkeypatch.setattr(door, "Frame", fail)
    monkeypatch.setattr(door, "places_of", lambda told: Places(3))

    def make(query):
        document, context = Document(), Context()
        document._session_context = lambda: context
        with set_curdoc(document):
            root = door.page_of(query, ())
        return document, root

    return make


def test_a_page_that_cannot_be_built_says_so_and_leads_on(arrive, caplog):
    document, _ = arrive({"page": [b"tune"], "class": [b"a&b"]})
    shown = document.template.render(title="Exit-Time Lab", **document.template_variables)
    assert "This page could not be built" in shown and "Try again" in shown and "loadAnew" in shown
    assert 'href="?class=a%26b"' in shown  # without settings, in the same class
    assert "list index" not in shown and "spinner" not in shown
    assert "list index out of range" in caplog.text and "could not be built" in caplog.text


def test_what_cannot_be_shown_is_said_and_logged_once_and_the_page_goes_on(caplog):
    page = OfflinePage.from_query({})
    page.linked = False
    looks = []

    def look():
        looks.append(1)
        np.zeros(2)[len(looks) + 5]

    page.look = look
    try:
        for _ in range(3):
            page._tick()
        assert page.notices.words == [pages.NOT_SHOWN] and len(looks) == 3
        assert caplog.text.count("could not show what its work has found") == 1 and "IndexError" in caplog.text
        page.notices.on_dismiss(0)
        page._tick()
        assert page.notices.words == []  # said once
    finally:
        page.close()
