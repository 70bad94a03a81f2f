"""Links: none raises, wrong ones are answered with a message, and a page's own link reproduces it."""

import json
from dataclasses import asdict

import pytest
from hypothesis import strategies as st

from app.chrome.frame import PAGES
from app.lessons.story import Story
from app.live.moment_link import moment_in
from app.live.timeline import HORIZON
from app.state.live import LiveState
from app.state.page_state import PageState
from app.visit import Visit
from tests.fuzz.nonsense import amounts, search, texts
from tests.fuzz.queries import MOMENT, composed, damaged, queries, sentences, written_values


@pytest.mark.parametrize("key", PAGES)
@amounts(quick=15, slow=40_000)
def test_a_link_is_written_as_it_is_read(key, examples):
    page = PAGES[key].load()
    record = type(page.read_link({}, Visit())[0])
    state = next(state for state in PageState.__subclasses__() if state.Record is record)
    loaded = state()

    def check(query):
        config, words = page.read_link(query, Visit())
        assert sentences(words), words
        json.dumps(asdict(config), allow_nan=False, default=repr)  # its numbers are finite
        loaded.load(config)
        link = state.to_query(config)
        again, nothing = page.read_link(link, Visit())
        assert not nothing and state.to_query(again) == link, (link, nothing)
        assert all(isinstance(text, str) for text in link.values())
        json.dumps(link, allow_nan=False).encode()

    search(examples, queries(written_values(page, state)), check)


PARTS = ["3", "eta0.1", "b.9", "180", "~", "_", "~-", "~181.2_", "vr.0", "revive", "~end"]
moments = st.fixed_dictionaries({}, optional={
    "t": st.one_of(st.just("181.12"), st.integers(-1, 10**6).map(str), composed, texts),
    "log": st.one_of(st.just(MOMENT), damaged(MOMENT), composed, texts,
                     st.lists(st.sampled_from(PARTS), max_size=14).map("".join))})


@amounts(quick=60, slow=60_000)
def test_the_history_in_a_link_is_replayed_or_rejected(examples):
    present = LiveState.from_query({})[0]

    def check(query):
        moment, words = moment_in(query, present)
        assert sentences(words), words
        if moment is not None:
            assert 0 < moment.t <= HORIZON
            link = moment.query(present)
            again, nothing = moment_in(link, present)
            assert not link or (not nothing and again.query(present) == link), (link, nothing)

    search(examples, moments, check)


@amounts(quick=15, slow=40_000)
def test_a_link_opens_an_existing_lesson(examples):
    story = Story(None)
    keys = st.sampled_from([lesson.key for lesson in story.lessons] + [story.opening.key])
    dotted = st.tuples(keys, st.lists(texts, max_size=3)).map(lambda drawn: ".".join([drawn[0], *drawn[1]]))
    requests = st.one_of(texts, composed, st.tuples(keys, composed).map("".join), dotted, st.integers(-3, 40).map(str))

    def check(text):
        story.case = 0
        place = story.parse_link(text)
        if place is not None:
            story.at = place[0]
            assert -1 <= place[0] < len(story.lessons) and 0 <= place[1] < len(story.lesson.steps)
            story.card.step = place[1]
            assert story.parse_link(story._link()) == place

    search(examples, requests, check)
