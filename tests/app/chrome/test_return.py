"""A page restored from its link: its banner, its state, and the notification of the page in front."""

from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest

from app.chrome.extras import Extra, VisitExtra
from app.chrome.frame import LINK_EVERY, LINK_SOON
from app.chrome.header import RETURNED


@pytest.mark.parametrize("back", ["1", "0"])
def test_live_is_replayed_and_continues_if_it_played(frame, back):
    one = frame({"eta0": "2", "t": "12", "log": "0~~end", "back": back})
    assert one._banner.words == RETURNED
    page, posted = one._front, []
    assert [args[1].t for command, args in page.engine._commands if command == "recall"] == [12]
    page.engine.post = lambda *command: posted.append(command)
    page.begin()
    assert posted == ([("play",)] if back == "1" else [])
    one._met(True)
    assert one._banner.words == ""  # already shown


def test_a_return_to_an_extra_that_opens_something_else_is_announced_too(frame, monkeypatch):
    class Forgetful(VisitExtra):
        def query(self, query):
            return {key: value for key, value in query.items() if key == "page"}

    class Stays(Extra):
        def join(self, visit, query, options):
            return Forgetful()

    monkeypatch.setattr("app.chrome.frame.registered", lambda: (Stays(),))
    assert frame({"page": "exit", "back": "0"})._banner.words == RETURNED


@pytest.fixture
def clock(clock, monkeypatch):
    """The frame's clock."""
    monkeypatch.setattr("app.chrome.frame.time", SimpleNamespace(monotonic=clock))
    return clock


def test_the_browser_stores_the_link_of_the_page_in_front(frame, clock):
    one = frame({"page": "exit", "er": "2"})
    assert one._banner.words == ""
    one._front.looked()
    link = parse_qs(one._banner.link)
    assert (link["page"], link["er"], link["back"]) == (["exit"], ["2"], ["0"])
    one._front.state.put("radius", 3.0)
    one._front.looked()
    assert parse_qs(one._banner.link)["er"] == ["2"]  # at most once per 0.4 s
    clock.now += LINK_SOON
    one._front.looked()
    assert parse_qs(one._banner.link)["er"] == ["3"]


def test_the_link_of_a_run_is_renewed_every_two_seconds_and_soon_once_it_is_paused(frame, clock, monkeypatch):
    one, playing, requests = frame({"page": "live"}), [True], []
    monkeypatch.setattr(type(one._front), "going", property(lambda page: playing[0]))
    monkeypatch.setattr(one._front, "shared", lambda: (requests.append(1) or {}, ""))
    for wait, notes in ((0.0, 1), (LINK_SOON, 1), (LINK_EVERY, 2)):
        clock.now += wait
        one._front.looked()
        assert len(requests) == notes
    playing[0] = False
    clock.now += LINK_SOON
    one._front.looked()
    assert len(requests) == 3 and parse_qs(one._banner.link)["back"] == ["0"]


def test_a_paused_run_that_is_stepped_has_another_link(frame, monkeypatch):
    page = frame({"page": "live"})._front
    snapshot = SimpleNamespace(config=page.config, run=1, playing=False, t=3, step=4, notice_kind=None)
    monkeypatch.setattr(page, "_shown", snapshot)
    before = page.settled
    snapshot.step = 5
    assert page.settled != before
    snapshot.playing = True
    before = page.settled
    snapshot.t, snapshot.step = 4, 0
    assert page.settled == before  # a playing run updates it every two seconds


def test_a_connection_lost_again_during_the_replay_leads_to_the_same_moment(frame, clock, monkeypatch):
    one = frame({"eta0": "2", "t": "512", "log": "0~~end", "back": "1"})
    link = one._banner.link
    assert parse_qs(link) == {"eta0": ["2"], "t": ["512"], "log": ["0~~end"], "back": ["1"]}
    page = one._front
    snapshot = SimpleNamespace(config=page.config, run=1, playing=False, t=3, step=4, notice_kind="replaying", moment=None)
    monkeypatch.setattr(page, "_shown", snapshot)
    one._front.looked()
    assert one._banner.link == link
    snapshot.notice_kind, snapshot.playing = None, True
    one._front.looked()
    assert one._banner.link != link and parse_qs(one._banner.link)["back"] == ["1"]


def test_a_file_lost_with_the_connection_is_sent_once_to_the_page_that_comes_back(frame, monkeypatch):
    one, sent = frame({"page": "live"}), []
    monkeypatch.setattr(one._header, "_send_msg", sent.append)
    done = {"action": "save", "words": "Saved", "file": {"name": "a.html", "html": "<!doctype html>"}}
    one._header.note({"action": "save", "words": "Saving", "share": 0.5})
    one._met(True)
    assert len(sent) == 1
    one._header.note(done)
    one._met(False)  # a later ping of the same page
    assert len(sent) == 2
    one._met(True)
    assert sent[1:] == [{"note": done}] * 2
    one._header.on_saved()
    one._met(True)
    assert len(sent) == 3


def test_the_header_is_notified_of_the_page_in_front_and_of_one_that_cannot_be_built(frame, monkeypatch):
    one, sent = frame({"page": "exit"}), []
    monkeypatch.setattr(one._header, "_send_msg", sent.append)
    one.choose("compare")
    one.choose("compare")  # chosen, left and chosen again before it was drawn
    assert sent == [{"turned": {"label": "Compare"}}] * 2
    monkeypatch.setattr(one, "build", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        one.choose("tune")
    assert sent[2:] == [{"turned": {"label": ""}}] and one._key == one._header.page == "compare"
