"""A server has so many places: further visits wait in line and come in by its order."""

import threading

import panel as pn
import pytest

from app.server_arguments import read
from app.visits.places import ENOUGH, KEPT, Places
from app.visits.waiting_page import WaitingPage, line_words, wait_words


class Clock:
    """Stands still until it is told to go on."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_who_comes_beyond_the_last_place_waits_and_is_called_in_order(clock):
    places = Places(2, clock)
    first, second = places.enter(), places.enter()
    assert first and second and places.enter() is None
    one, two = places.join(), places.join()
    assert (places.position(one), places.position(two)) == (1, 2) and not places.called(one)
    places.leave(first)
    assert not places.called(two) and places.called(one)
    assert places.enter() is None  # it is kept for who was called, not for who comes along
    assert places.position(two) == 1
    assert places.enter(one) == one and places.free == 0


def test_a_place_that_was_kept_in_vain_goes_to_the_next(clock):
    places = Places(1, clock)
    here, one = places.enter(), places.join()
    places.leave(here)
    assert places.called(one) and places.enter() is None
    clock.now += KEPT + 1
    assert not places.called(one) and places.enter() is not None
    assert places.enter(one) is None


def test_who_gives_up_holds_nobody_up(clock):
    places = Places(1, clock)
    here, one, two = places.enter(), places.join(), places.join()
    places.give_up(one)
    places.leave(here)
    assert places.position(two) == 1 and places.called(two) and places.enter("a guess") is None


def test_a_tab_that_is_loaded_anew_finds_its_place(clock):
    """Its first session lingers, and nobody looks at it."""
    places, looks = Places(1, clock), [True]
    places.enter(present=lambda: looks[0])
    assert places.enter() is None
    looks[0] = False
    assert places.enter() is not None


def test_who_is_not_there_any_more_is_neither_called_nor_waited_for(clock, monkeypatch):
    monkeypatch.setattr(type(pn.state), "onload", lambda self, call, **given: None)  # no browser loads the page
    places, there, told = Places(1, clock), [True], []
    here, gone = places.enter(), WaitingPage(places, lambda: there[0])
    monkeypatch.setattr(gone.card, "enter", told.append)
    behind = places.join()
    there[0] = False
    places.leave(here)
    gone.look()
    assert told == [] and places.position(gone.ticket) == 0 and places.position(behind) == 1
    assert places.called(behind) and places.enter(behind) == behind
    there[0] = True
    gone.look()
    assert told == [] and "next in line" in gone.card.position
    places.leave(behind)
    gone.look()
    gone.look()
    assert told == [gone.ticket]


def test_a_place_is_not_kept_before_the_browser_can_be_told_of_it(clock, monkeypatch):
    monkeypatch.setattr(type(pn.state), "onload", lambda self, call, **given: None)
    places = Places(1, clock)
    places.leave(places.enter())
    assert places.position(WaitingPage(places).ticket) == 1 and places.free == 1


def test_a_tab_that_is_loaded_anew_counts_as_no_departure(clock):
    places, looks = Places(ENOUGH, clock), [True] * ENOUGH
    first = [places.enter(present=lambda i=i: looks[i]) for i in range(ENOUGH)]
    looks[:] = [False] * ENOUGH
    second = [places.enter() for _ in first]
    waits = places.join()
    for ticket in first:  # their sessions end later
        clock.now += 1.0
        places.leave(ticket)
    assert places.wait(waits) is None
    for ticket in second:
        places.leave(ticket)
    assert places.wait(waits) is not None


def test_nobody_leaves_while_another_thread_counts_who_is_here():
    """One thread builds pages, one serves: a dictionary that changes while it is gone through is an error."""
    places, looks, others = Places(3), [lambda: True], []
    places.enter(present=lambda: looks[0]())
    second = places.enter()

    def leave_meanwhile():
        if not others:
            others.append(threading.Thread(target=places.leave, args=[second], name="leaves"))
            others[0].start()
            others[0].join(0.05)  # it would be through; it waits
        return True

    looks[0] = leave_meanwhile
    assert places.enter() is not None
    others[0].join()
    assert places.free == 1


def test_how_long_it_takes_is_said_once_it_can_be_known(clock):
    """A place became free every 90 s: the second in line waits twice that."""
    places = Places(ENOUGH, clock)
    here = [places.enter() for _ in range(ENOUGH)]
    one, two = places.join(), places.join()
    for ticket in here:
        assert places.wait(one) is None and "not known yet" in wait_words(None)
        places.leave(ticket)
        clock.now += 90.0
    assert places.wait(one) == pytest.approx(90.0) and places.wait(two) == pytest.approx(180.0)


def test_words_of_the_line():
    assert "next" in line_words(1) and "number 3" in line_words(3) and "load it again" in line_words(0)
    assert "less than a minute" in wait_words(20) and "about 1 minute." in wait_words(61) and "5 minutes" in wait_words(301)


@pytest.mark.parametrize("argv, visits, words", [
    (("--visits", "12"), 12, ""), ((), None, ""), (("--visits", "0"), None, "--visits must be"),
    (("--visits", "x"), None, "int")])
def test_the_number_of_visits_is_an_argument_of_the_server(argv, visits, words):
    told = read(argv)
    assert told.visits == visits and (words in told.words[0] if words else not told.words)
