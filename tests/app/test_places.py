"""A server has so many places: further visits wait in line and come in by its order."""

import pytest

from app.server_arguments import read
from app.visits.places import ENOUGH, KEPT, Places
from app.visits.waiting_page import line_words, wait_words


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
