"""A visit whose connection breaks waits at rest for its browser; one that was closed on purpose does not."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from bokeh.document import Document
from bokeh.events import ConnectionLost

from app.chrome import absence
from app.chrome.absence import Absence


@dataclass(frozen=True)
class Connection:
    """One of a session."""

    name: str
    _socket: object = field(compare=False)


class Session:
    """What a server's session is asked for."""

    def __init__(self, *codes):
        self.blocked = 0
        self._subscribed_connections = [SimpleNamespace(_socket=SimpleNamespace(ws_connection=open_, close_code=code))
                                        for open_, code in codes]

    def block_expiration(self):
        self.blocked += 1

    def unblock_expiration(self):
        self.blocked -= 1


@pytest.fixture
def visit(monkeypatch):
    """Return a function that gives a document with such a session, its absence, and what happened."""
    later, deeds = [], []

    def call_later(seconds, call, *given):
        later.append((seconds, lambda: call(*given)))
        return later[-1]

    loop = SimpleNamespace(call_later=call_later, remove_timeout=later.remove)
    monkeypatch.setattr(absence, "IOLoop", SimpleNamespace(current=lambda: loop))

    def make(*codes):
        document, session = Document(), Session(*codes)
        document._session_context = lambda: SimpleNamespace(session=session)
        monkeypatch.setattr(document, "add_next_tick_callback", lambda call: call())
        one = Absence(document, lambda: deeds.append("rest"), lambda: deeds.append("wake"))
        return one, session, lambda: document.callbacks.trigger_event(ConnectionLost()), later, deeds

    return make


def test_a_broken_connection_keeps_the_visit_until_its_browser_is_back(visit):
    one, session, lose, later, deeds = visit((None, None))
    lose()
    lose()
    assert one.away and session.blocked == 1 and deeds == ["rest"]
    one.end()
    one.end()
    assert not one.away and session.blocked == 0 and deeds == ["rest", "wake"]
    assert later == []  # else it would end the next absence early


def test_a_browser_that_was_killed_ends_its_visit_when_the_time_is_up(visit):
    one, session, lose, later, deeds = visit((None, None))
    lose()
    assert [seconds for seconds, _ in later] == [absence.KEPT]
    later[0][1]()
    assert session.blocked == 0 and not one.away and deeds == ["rest"]


def test_a_browser_that_is_back_before_a_visit_given_up_has_ended_finds_it_awake(visit):
    one, session, lose, later, deeds = visit((None, None))
    lose()
    later.pop()[1]()
    one.end()
    one.end()
    assert deeds == ["rest", "wake"] and session.blocked == 0
    lose()
    assert one.away and session.blocked == 1 and deeds == ["rest", "wake", "rest"]


def test_a_browser_that_is_back_before_the_visit_could_be_laid_to_rest_finds_it_awake(visit, monkeypatch):
    one, session, lose, later, deeds = visit((None, None))
    held = []  # the lock of the document is not free yet
    monkeypatch.setattr(one._document, "add_next_tick_callback", held.append)
    lose()
    one.end()
    held.pop()()
    assert deeds[-1:] == ["wake"] and session.blocked == 0


@pytest.mark.parametrize("codes", [[(None, 1001)], [(None, 1000)], [(None, None), ("open", None)], []],
                         ids=["tab closed", "closed", "another tab shows it", "none"])
def test_closed_on_purpose_or_seen_elsewhere_it_does_not_wait(visit, codes):
    one, session, lose, later, deeds = visit(*codes)
    lose()
    assert not one.away and session.blocked == 0 and later == [] and deeds == []


def test_a_page_loaded_anew_closes_the_connection_of_the_one_before_which_nobody_reads(visit):
    one, session, *_ = visit()
    closed = []

    def connect(name):
        session._subscribed_connections.append(Connection(name, SimpleNamespace(close=lambda: closed.append(name))))

    connect("first")
    one.end(anew=True)
    one.end()
    assert closed == []
    connect("second")
    one.end(anew=True)
    assert closed == ["first"]
    del session._subscribed_connections[0]
    connect("third")
    one.end(anew=True)
    assert closed == ["first", "second"]
