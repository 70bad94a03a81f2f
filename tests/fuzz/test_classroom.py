"""Classroom: only its own code opens a class, and no message from a link or browser raises."""

from argparse import Namespace

from hypothesis import strategies as st

from app.extras.classroom.extra import EXTRA
from app.extras.classroom.followed_pages import FollowBar
from app.extras.classroom.room import ALPHABET, Room
from app.extras.classroom.teacher_and_student import ClassPanel
from app.visit import Visit
from tests.fuzz.components import messages, send
from tests.fuzz.nonsense import amounts, search, texts
from tests.fuzz.queries import composed


@amounts(quick=20, slow=10_000)
def test_no_code_opens_a_class_but_its_own(examples, monkeypatch):
    room = Room(seats=4, clock=lambda: 0.0)
    monkeypatch.setattr(EXTRA, "room", room)
    monkeypatch.setattr(room._tries, "note", lambda: None)  # disables the rate limit for wrong codes
    codes = st.one_of(texts, composed, st.binary(max_size=12), st.text(ALPHABET, min_size=6, max_size=6))
    links = st.fixed_dictionaries({}, optional={"class": codes, "teacher": codes})

    def check(query):
        visitor = EXTRA.join(Visit(), query, Namespace(classroom=4))
        assert type(visitor).__name__ == "Visitor" and isinstance(visitor.tool.words, str)
        EXTRA.join(Visit(), query, Namespace())

    search(examples, links, check)


@amounts(quick=20, slow=15_000)
def test_no_message_breaks_a_class(examples):
    """Class panel and follow bar: no typed or sent message raises."""
    room, calls = Room(seats=4, clock=lambda: 0.0), []
    room._tries.note = lambda: None
    panel = ClassPanel(room.refusal, lambda: calls.append("back"), lambda: calls.append("leave"))
    bar = FollowBar(lambda: calls.append("alone"))
    kinds = st.one_of([st.tuples(st.just(one), messages(one)) for one in (panel, panel, bar)])

    def check(drawn):
        component, message = drawn
        send(component, message, lambda: repr((component.param.values(), calls)))
        assert isinstance(panel.words, str)
        calls.clear()

    search(examples, kinds, check)
