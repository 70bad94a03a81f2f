"""A whole visit: header, lessons and class take whatever the browser sends, and stand afterwards where a page can be."""

import pytest
from hypothesis import strategies as st
from panel.models.esm import DataEvent

from app.background_job import BackgroundJob
from app.browser_messages import handler_of
from app.chrome.frame import Frame
from app.classroom.class_panel import ClassPanel
from app.classroom.follow_bar import FollowBar
from app.classroom.room import Room
from app.handover import Session
from app.live.engine import Engine
from app.page import Page
from app.pages import PAGES
from tests.fuzz.components import messages
from tests.fuzz.counting import amounts, search

KEYS = [entry.key for entry in PAGES]


@pytest.fixture
def frame(tmp_path, monkeypatch):
    """A visit whose pages come to the front without working."""
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path))
    monkeypatch.setattr(BackgroundJob, "start", lambda self, job: 0)
    monkeypatch.setattr(Engine, "start", lambda self: None)
    monkeypatch.setattr(Page, "activate", lambda self: self.begin())
    monkeypatch.setattr("app.handover._ALONE", Session())  # a frame leaves its mark in it
    frame = Frame({})
    yield frame
    frame._story.close()
    for page in frame._pages.values():
        page.close()


def standing(frame):
    return repr((frame._key, frame._dark, frame._help.open, frame._story.at, frame._story.card.param.values(),
                 frame._story.case, sorted(frame._pages), frame._header.param.values()))


@amounts("messages", quick=10, slow=25_000)
def test_no_message_breaks_a_visit(frame, examples, record_property):
    """Header and lesson card; a lesson that is told stays one that there is."""
    story = frame._story
    shown = [frame._header, *[story.card] * 3]
    kinds = st.one_of([st.tuples(st.just(one), st.lists(messages(one), min_size=1, max_size=4)) for one in shown])

    def check(batch):
        component, sent = batch
        for message in sent:
            before = None if handler_of(component, message) else standing(frame)
            component._process_event(DataEvent(None, message))
            assert before is None or standing(frame) == before, message
            assert frame._key in KEYS and frame._header.page in KEYS
            if story.at is not None:
                lesson = story.lesson
                assert -1 <= story.card.chosen < len(lesson.question.options)
                assert 0 <= story.card.step < len(lesson.steps)
        return len(sent)

    search(record_property, "messages", examples, kinds, check)


@amounts("messages", quick=20, slow=15_000)
def test_no_message_breaks_a_class(examples, record_property):
    """The panel of a class and a follower's bar; what is typed and sent never raises."""
    room, taken = Room(seats=4, clock=lambda: 0.0), []
    room._tries.note = lambda: None
    panel = ClassPanel(room.refusal, lambda: taken.append("back"), lambda: taken.append("leave"),
                       lambda key: room.seats.leave(room.seats.take(key)))
    bar = FollowBar(lambda: taken.append("alone"))
    kinds = st.one_of([st.tuples(st.just(one), messages(one)) for one in (panel, panel, bar)])

    def check(drawn):
        component, message = drawn
        before = repr((component.param.values(), taken, len(room.seats._seats)))
        fits = handler_of(component, message) is not None
        component._process_event(DataEvent(None, message))
        assert fits or repr((component.param.values(), taken, len(room.seats._seats))) == before
        assert isinstance(panel.words, str) and len(room.seats._seats) <= 1_000
        taken.clear()

    search(record_property, "messages", examples, kinds, check)

