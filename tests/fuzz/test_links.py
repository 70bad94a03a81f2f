"""Links: none raises, each that is wrong is answered in words, and what a page says of itself leads back to it."""

import json
import math
from dataclasses import asdict

import pytest
from hypothesis import strategies as st

from app.classroom.code import ALPHABET
from app.classroom.entrance import member_of
from app.classroom.room import Room
from app.lessons.story import Story
from app.live.moment import moment_in
from app.live.snapshot import HORIZON
from app.pages import PAGES
from app.state.live import LiveState
from tests.fuzz.counting import amounts, search
from tests.fuzz.nonsense import texts
from tests.fuzz.queries import MOMENT, composed, cut, page_class, queries, sentences, state_class, written

PAGE_KEYS = [entry.key for entry in PAGES]


def finite(value):
    """Whether no number in a configuration is NaN or without end."""
    if isinstance(value, dict | list | tuple):
        return all(map(finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


@pytest.mark.parametrize("key", PAGE_KEYS)
@amounts("links", quick=15, slow=40_000)
def test_what_a_link_describes_is_written_as_it_is_read(key, examples, record_property):
    page = page_class(key)
    state = state_class(page)
    set_so = state.of()

    def check(query):
        config, words = page.read_link(query)
        assert sentences(words), words
        assert finite(asdict(config)), config
        set_so.load(config)
        link = state.to_query(config)
        again, nothing = page.read_link(link)
        assert not nothing and state.to_query(again) == link, (link, nothing)
        assert all(isinstance(text, str) for text in link.values())
        json.dumps(link, allow_nan=False).encode()

    search(record_property, "links", examples, queries(written(page, state)), check)


PARTS = ["3", "eta0.1", "b.9", "180", "~", "_", "~-", "~181.2_", "vr.0", "revive", "~end"]
moments = st.fixed_dictionaries({}, optional={
    "t": st.one_of(st.just("181.12"), st.integers(-1, 10**6).map(str), composed, texts),
    "log": st.one_of(st.just(MOMENT), cut(MOMENT), composed, texts,
                     st.lists(st.sampled_from(PARTS), max_size=14).map("".join))})


@amounts("links", quick=60, slow=60_000)
def test_the_history_in_a_link_is_replayed_or_refused_in_words(examples, record_property):
    present = LiveState.from_query({})[0]

    def check(query):
        moment, words = moment_in(query, present, HORIZON)
        assert sentences(words), words
        if moment is not None:
            assert 0 < moment.t <= HORIZON
            link = moment.query(present)
            again, nothing = moment_in(link, present, HORIZON)
            assert not link or (not nothing and again.query(present) == link), (link, nothing)

    search(record_property, "links", examples, moments, check)


@amounts("links", quick=15, slow=40_000)
def test_a_lesson_asked_for_is_there_or_another_is_opened(examples, record_property):
    story = Story(None, PAGE_KEYS)
    keys = st.sampled_from([lesson.key for lesson in story.lessons] + [story.opening.key])
    dotted = st.tuples(keys, st.lists(texts, max_size=3)).map(lambda drawn: ".".join([drawn[0], *drawn[1]]))
    asked = st.one_of(texts, composed, st.tuples(keys, composed).map("".join), dotted, st.integers(-3, 40).map(str))

    def check(given):
        story.case = 0
        found = story.asked(given)
        if found is not None:
            story.at = found[0]
            assert -1 <= found[0] < len(story.lessons) and 0 <= found[1] < len(story.lesson.steps)
            story.card.step = found[1]
            assert story.asked(story._link()) == found

    search(record_property, "links", examples, asked, check)


@amounts("links", quick=20, slow=10_000)
def test_no_code_opens_a_class_but_its_own(examples, record_property, monkeypatch):
    room = Room(seats=4, clock=lambda: 0.0)
    monkeypatch.setattr("app.classroom.entrance.open_room", lambda seats: room)
    monkeypatch.setattr(room._tries, "note", lambda: None)  # else the search is held up, as a guesser is
    given = st.one_of(texts, composed, st.binary(max_size=12), st.text(ALPHABET, min_size=6, max_size=6))
    links = st.fixed_dictionaries({}, optional={"class": given, "teacher": given})

    def check(query):
        member = member_of(4, query)
        assert type(member).__name__ == "Visitor" and isinstance(member.panel.words, str)
        member_of(None, query)

    search(record_property, "links", examples, links, check)

