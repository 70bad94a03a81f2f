"""`Teacher`, the visit whose page the room follows; `Student`, one that follows it; `ClassPanel`, a button in the header."""

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import param

from app.chrome.extras import VisitExtra
from app.chrome.frame import Frame
from app.extras.classroom.followed_pages import FollowedEpoch, FollowedLive
from app.extras.classroom.followed_story import FollowedStory
from app.extras.classroom.room import EACH, GONE, HERE, Room, question_key
from app.js.component import LabComponent, in_order
from app.lessons.lesson import Lesson
from app.lessons.lesson_card import answers_of
from app.lessons.story import Story
from app.page import close_with_session, set_parameters
from app.state.live import LiveState
from app.visit import Visit


class ClassPanel(LabComponent):
    """A button in the header that opens a small panel.

    Parameters
    ----------
    join
        Called with what a visitor typed; returns why it is no code of the class, in words, or nothing.
    come_back, go
        Called when a student comes back into the room, or leaves it.
    """

    role = param.Selector(default="visitor", objects=["teacher", "student", "visitor"])
    code = param.String("", doc="Of the class; empty for visitors.")
    secret = param.String("", doc="Of the teacher's link, for the browser to send back and keep; empty for all others.")
    seat = param.String("", doc="Key of the student's seat, for the browser to keep.")
    present = param.Integer(0, doc="Students in the room.")
    inside = param.Boolean(True, doc="Whether the student is in the room.")
    words = param.String("", doc="What is wrong.")

    def __init__(self, join: Callable[[str], str] | None = None, come_back: Callable[[], None] = lambda: None,
                 go: Callable[[], None] = lambda: None, **params: Any) -> None:
        self._join, self._come_back, self._go = join, come_back, go
        super().__init__(margin=0, **params)

    def on_join(self, code: str) -> None:
        """Take a typed code: the browser goes to the room's address where it is right."""
        if self._join is not None:
            self.words = self._join(str(code))
            self.send_msg({"right": not self.words})

    def on_back(self) -> None:
        """Come back into the room."""
        self._come_back()

    def on_leave(self) -> None:
        """Leave the room."""
        self._go()


LOOK_EVERY = 400
"""Milliseconds between two looks at how many are here and what they have answered."""
ELSEWHERE = "Another window of yours leads the class now. Reload this page to lead from here."


class Teacher(VisitExtra):
    """Leads the room: what its page shows, the room shows.

    A teacher who comes back finds the room as it was left: the run is replayed to its epoch.
    """

    def __init__(self, room: Room, visit: Visit, by_link: bool = False) -> None:
        self._room, self._connection = room, visit.connection
        self._story: Story | None = None
        self.tool = ClassPanel(role="teacher", code=room.code, secret=room.secret if by_link else "")
        self._looking = pn.io.PeriodicCallback(callback=self._look, period=LOOK_EVERY, background=True, log=False)

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return where the room stands; before its first picture, what was own for with chains for every seat."""
        self._room.lead(self._connection)
        own = {key: value for key, value in query.items() if key not in ("teacher", "class")}
        resumed = self._room.resumed()
        if resumed:
            return {key: own[key] for key in ("theme",) if key in own} | resumed
        most = LiveState.param.chains.bounds[1]
        return {"chains": str(min(EACH * self._room.size, int(most)))} | own

    def story(self, frame: Frame) -> Story:
        """Return the story, whose question the room answers."""
        self._story = Story(frame)
        self._story.card.reveal = self._reveal
        return self._story

    def begin(self, dark: bool) -> bool:
        """Begin to look at the room."""
        pn.state.onload(self._looking.start)
        return False

    def front(self, page: Any, label: str) -> None:
        """Let the room follow this page, where it can be followed."""
        epoch = page if getattr(page, "shows_epoch", False) else None
        self._room.show(self._connection, getattr(page, "engine", None), label, epoch)

    def lesson(self, link: str | None) -> None:
        """Open the lesson for the room."""
        self._room.tell(self._connection, link, self._story.case)

    def _reveal(self) -> None:
        lesson = self._story.lesson
        if lesson is not None:
            self._room.revealed.add(question_key(lesson, self._story.case))
            self._look()

    def _look(self) -> None:
        room, story = self._room, self._story
        with in_order():
            set_parameters(teacher=None)  # a class may see the address bar; a cookie keeps the secret
            self.tool.param.update(present=room.seats.present, words="" if room.leads(self._connection) else ELSEWHERE)
            lesson = story.lesson if story is not None else None
            if lesson is None:
                return
            key = question_key(lesson, story.case)
            counts = room.seats.counts(key, len(lesson.question.options))
            story.card.poll = {"leads": True, "counts": counts, "of": max(room.seats.present, sum(counts)),
                               "revealed": key in room.revealed}


class Student(VisitExtra):
    """Follows one room from a seat in it: on Live, and on Exit time once the teacher has gone there.

    A page of figures takes a second of the server's time, so a class is brought there and back one after the other.

    Parameters
    ----------
    room
        Whom the visit follows.
    key
        Of the seat that this browser had before; empty: it had none.
    """

    def __init__(self, room: Room, key: str = "") -> None:
        self._room, self._seat = room, room.seats.take(key)
        self._live: FollowedLive | None = None
        self._epoch: FollowedEpoch | None = None  #: once the teacher has been at Exit time
        self._at_exit_time = False
        self._story: FollowedStory | None = None
        self._frame: Frame | None = None
        self.tool = ClassPanel(role="student", code=room.code, seat=self._seat.key, come_back=self._come,
                               go=self._leave_by_button)
        close_with_session(self._end)

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return what the student's own pages open with."""
        return {key: value for key, value in query.items() if key in ("theme", "class")}

    def story(self, frame: Frame) -> Story:
        """Return the story that the teacher tells."""
        self._frame = frame
        self._story = FollowedStory(frame, self._answer, self._left)
        return self._story

    def begin(self, dark: bool) -> bool:
        """Show the room."""
        self._dark = dark
        self._live = FollowedLive(self._room, self._seat, lambda: self._frame.open_page("live", self._room.own_run()),
                                  self._look, dark)
        close_with_session(self._live.close)
        self._story.listen_to(self._live)
        self._follow()
        return True

    # In and out -----------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        self._story.following = True
        self.tool.param.update(inside=True)
        set_parameters(**{"class": self._room.code})
        self._show_live()

    def _come(self) -> None:
        """Come back into the room."""
        if not self._story.following:
            if self._story.open:
                self._story.close()
            self._seat.here += 1
            self._follow()

    def _leave_by_button(self) -> None:
        if self._story.following:
            self._story.close()

    def _left(self) -> None:
        """The room is no longer on show."""
        self._story.following = False
        self._room.seats.leave(self._seat)
        self.tool.param.update(inside=False)
        set_parameters(**{"class": None})
        self._frame.end_story()

    def _end(self) -> None:
        if self._story is None or self._story.following:
            self._room.seats.leave(self._seat)

    # The pages ------------------------------------------------------------------------------------------------

    def _show_live(self) -> None:
        self._at_exit_time = False
        self._frame.show_story("live", self._live)

    def _show_epoch(self) -> None:
        self._at_exit_time = True
        if self._epoch is None:
            self._epoch = FollowedEpoch(self._room, partial(self._frame.open_page, "exit"), self._look, self._dark)
            close_with_session(self._epoch.close)
        self._frame.show_story("exit", self._epoch)

    @property
    def _late(self) -> bool:
        """Whether the page in front is not the teacher's."""
        return (self._room.epoch is not None) != self._at_exit_time

    def _change(self) -> None:
        """Bring the teacher's page, if that is still wanted and it is this student's turn."""
        if self._late and self._story.following and not self._room.changes.wait:
            with in_order():
                (self._show_live if self._at_exit_time else self._show_epoch)()
                self._say()
            self._room.changes.note()

    def _say(self) -> None:
        """Say on both pages where the teacher is."""
        teacher, place = self._room.teacher, self._room.place
        for page in (self._live, self._epoch):
            if page is not None:
                page.bar.say(teacher, place if teacher == HERE else "", coming=self._late and not self._at_exit_time)

    # What the room says ---------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Take over the teacher's lesson, and say where the teacher is."""
        room, story = self._room, self._story
        if not story.following:
            return
        if self._late and not room.changes.wait:
            pn.state.curdoc.add_next_tick_callback(self._change)  # not here: this look is part of the page that goes
        self._say()
        if room.teacher != GONE:
            story.follow(room.lesson, room.case)
        lesson = story.teachers_lesson
        if lesson is not None:
            self._poll(lesson)

    def _poll(self, lesson: Lesson) -> None:
        card, key = self._story.card, question_key(lesson, self._story.case)
        mine, revealed = self._seat.answers.get(key, -1), key in self._room.revealed
        counts = self._room.seats.counts(key, len(lesson.question.options)) if revealed else []
        poll = {"leads": False, "mine": mine, "revealed": revealed, "counts": counts}
        if revealed:
            poll["options"] = answers_of(lesson)
        card.param.update(poll=poll, chosen=mine if revealed else -1)

    def _answer(self, lesson: Lesson, option: int) -> None:
        key = question_key(lesson, self._story.case)
        if key not in self._room.revealed and 0 <= option < len(lesson.question.options):
            self._seat.answers[key] = option
        self._poll(lesson)
