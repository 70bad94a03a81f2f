"""A class takes whatever a link or a browser sends: no code opens it but its own, and no message breaks it."""

from argparse import Namespace

from hypothesis import strategies as st

from app.extras.classroom.extra import EXTRA
from app.extras.classroom.followed_pages import FollowBar
from app.extras.classroom.room import ALPHABET, Room
from app.extras.classroom.teacher_and_student import ClassPanel
from app.visit import Visit
from tests.fuzz.components import messages, put
from tests.fuzz.nonsense import amounts, search, texts
from tests.fuzz.queries import composed


@amounts(quick=20, slow=10_000)
def test_no_code_opens_a_class_but_its_own(examples, monkeypatch):
    room = Room(seats=4, clock=lambda: 0.0)
    monkeypatch.setattr(EXTRA, "room", room)
    monkeypatch.setattr(room._tries, "note", lambda: None)  # else the search is held up, as a guesser is
    codes = st.one_of(texts, composed, st.binary(max_size=12), st.text(ALPHABET, min_size=6, max_size=6))
    links = st.fixed_dictionaries({}, optional={"class": codes, "teacher": codes})

    def check(query):
        visitor = EXTRA.join(Visit(), query, Namespace(classroom=4))
        assert type(visitor).__name__ == "Visitor" and isinstance(visitor.tool.words, str)
        EXTRA.join(Visit(), query, Namespace())

    search(examples, links, check)


@amounts(quick=20, slow=15_000)
def test_no_message_breaks_a_class(examples):
    """The panel of a class and a follower's bar; what is typed and sent never raises."""
    room, taken = Room(seats=4, clock=lambda: 0.0), []
    room._tries.note = lambda: None
    panel = ClassPanel(room.refusal, lambda: taken.append("back"), lambda: taken.append("leave"))
    bar = FollowBar(lambda: taken.append("alone"))
    kinds = st.one_of([st.tuples(st.just(one), messages(one)) for one in (panel, panel, bar)])

    def check(drawn):
        component, message = drawn
        put(component, message, lambda: repr((component.param.values(), taken)))
        assert isinstance(panel.words, str)
        taken.clear()

    search(examples, kinds, check)
