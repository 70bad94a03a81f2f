"""Limit on concurrent visits; the page of a visit that is refused, and of one that cannot be built."""

import asyncio
from argparse import Namespace
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app import page as pages
from app.jobs.frame_rate import FrameRate
from app.pages.compare import ComparePage
from app.pages.offline import OfflinePage
from app.server import visits
from app.server.arguments import Arguments
from app.server.visits import MOST, VisitCount
from app.visit import ARRIVAL, SERVER, Connection, Server, Visit, served_document

SESSION = SimpleNamespace(session=None, destroyed=False, request=SimpleNamespace(
    cookies={}, headers={}, arguments={}, query_arguments={}))
"""The context of a Bokeh session."""


class Tab(Visit):
    """Visit with a manual browser connection; Bokeh's `session` exists once the document is built."""

    def __init__(self, clock=lambda: 0.0):
        super().__init__()
        self.context = SimpleNamespace(session=None, destroyed=False)
        self.connection = Connection(SimpleNamespace(session_context=self.context), clock)

    def connect(self, browsers):
        self.context.session = SimpleNamespace(connection_count=browsers)


@pytest.fixture
def count():
    return VisitCount()


def test_an_ended_visit_frees_its_place(count):
    first, second, third = Tab(), Tab(), Tab()
    assert count.enter(first, 2) and count.enter(second, 2) and not count.enter(third, 2)
    first.context.destroyed = True
    assert count.present == 1 and count.enter(third, 2) and count.present == 2
    del second
    assert count.present == 1


def test_a_tab_that_was_closed_or_never_connected_takes_no_place(count, clock):
    """Its session lingers: a reload at a full server must keep its place."""
    closed, coming, other = (Tab(clock) for _ in range(3))
    count.enter(closed, 2)
    closed.connect(1)
    count.enter(coming, 2)
    assert count.present == 2
    closed.connect(0)
    assert count.present == 1 and count.enter(other, 2)
    clock.now += ARRIVAL
    assert count.present == 0
    coming.connect(1)
    assert count.present == 1


@pytest.mark.parametrize("server", [None, SimpleNamespace(application_context=SimpleNamespace(
    io_loop=SimpleNamespace(asyncio_loop="another")))])
def test_a_document_of_another_loop_is_not_served_here_and_one_without_a_server_is(server):
    document = Document()
    document._session_context = lambda: SimpleNamespace(server_context=server)

    async def served():
        with set_curdoc(document):
            return served_document()

    assert asyncio.run(served()) is (document if server is None else None)


@pytest.mark.parametrize(("arguments", "size"), [
    (Arguments(visits=12), 12), (Arguments(), MOST), (Arguments(options=Namespace(needs=25)), MOST + 25),
    (Arguments(visits=12, options=Namespace(needs=25)), 12)])
def test_limit_on_visits(monkeypatch, arguments, size):
    needy = SimpleNamespace(visits=lambda options: getattr(options, "needs", 0))
    monkeypatch.setattr(visits, "registered", lambda: (needy,))
    assert visits.most_visits(arguments) == size


@pytest.fixture
def arrive(monkeypatch, count):
    """Return a function that renders the document of a visit; its pages raise an error."""
    def fail(query, arguments, visit):
        raise IndexError("list index out of range <b>")

    monkeypatch.setattr(visits, "Frame", fail)
    monkeypatch.setitem(SERVER.parts, VisitCount, count)
    monkeypatch.setattr(visits, "most_visits", lambda arguments: 2)

    def make(query):
        document = Document()
        document._session_context = lambda: SESSION
        with set_curdoc(document):
            visits.page_of(query, ())
        return document.template.render(title="Exit-Time Lab", **document.template_variables)

    return make


def test_a_page_that_cannot_be_built_is_reported_with_links_to_go_on(arrive, caplog):
    shown = arrive({"page": [b"tune"], "class": [b"a&b"]})
    assert "This page could not be built" in shown and "Try again" in shown and "location.reload()" in shown
    assert 'href="?class=a%26b"' in shown  # without settings, in the same class
    assert "list index" not in shown
    assert "list index out of range" in caplog.text and "could not be built" in caplog.text


@pytest.mark.parametrize("theme", ["dark", "light", ""])
def test_a_visit_beyond_the_limit_shows_that_the_server_is_full(arrive, count, theme):
    open_visits = [Tab(), Tab()]
    assert all(count.enter(visit, 2) for visit in open_visits)
    shown = arrive({"theme": [theme.encode()]} if theme else {})
    assert "This server is full" in shown and "all 2 visits" in shown and "Reload" in shown and "href" not in shown[400:]
    assert f'data-theme="{theme}"' in shown and count.present == 2


def test_a_page_polls_less_often_while_visits_of_live_are_drawn(monkeypatch, clock):
    server, looks = Server(), []
    server.parts[FrameRate] = FrameRate(clock)
    monkeypatch.setattr(pages, "time", SimpleNamespace(monotonic=clock))

    def look():  # takes 5 ms
        looks.append(1)
        clock.now += 0.005

    with closing(ComparePage(visit=Visit(server=server))) as page:
        page.look = look
        for _ in range(2):
            page._tick()
        assert len(looks) == 2  # no other page needs the server
        server.part(FrameRate).note("a visit of Live", 0.004)
        for _ in range(2):
            page._tick()
        assert len(looks) == 3 and page._rests_until - clock.now == pytest.approx(19 * 0.005)  # its share is 1/20


def test_a_display_error_is_reported_and_logged_once_and_the_page_continues(caplog):
    looks = []

    def look():
        looks.append(1)
        np.zeros(2)[len(looks) + 5]

    with closing(OfflinePage.from_query({})) as page:
        page.linked, page.look = False, look
        for _ in range(3):
            page._tick()
        assert page.notices.words == [pages.NOT_SHOWN] and len(looks) == 3
        assert caplog.text.count("could not display the result of a job") == 1 and "IndexError" in caplog.text
        page.notices.on_dismiss(0)
        page._tick()
        assert page.notices.words == []  # reported once
