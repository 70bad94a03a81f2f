"""`Teacher`: the visit that the room follows; `Student`: a visit that follows it; `ClassPanel`: a button in the header."""

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
    """Button in the header that opens the panel of the class.

    Parameters
    ----------
    join
        Called with a typed code; returns the reason for its refusal, or an empty text.
    come_back, go
        Called when a student returns to the room, or leaves it.
    """

    role = param.Selector(default="visitor", objects=["teacher", "student", "visitor"])
    code = param.String("", doc="Code of the class; empty for visitors.")
    secret = param.String("", doc="Secret of the teacher's link, stored by the browser; empty for all others.")
    seat = param.String("", doc="Key of the student's seat, stored by the browser.")
    present = param.Integer(0, doc="Number of students in the room.")
    inside = param.Boolean(True, doc="Whether the student is in the room.")
    words = param.String("", doc="Error message.")

    def __init__(self, join: Callable[[str], str] | None = None, come_back: Callable[[], None] = lambda: None,
                 go: Callable[[], None] = lambda: None, **params: Any) -> None:
        self._join, self._come_back, self._go = join, come_back, go
        super().__init__(margin=0, **params)

    def on_join(self, code: str) -> None:
        """Handle a typed code; if it is valid, the browser opens the room's address."""
        if self._join is not None:
            self.words = self._join(str(code))
            self.send_msg({"right": not self.words})

    def on_back(self) -> None:
        """Return to the room."""
        self._come_back()

    def on_leave(self) -> None:
        """Leave the room."""
        self._go()


UPDATE_EVERY = 400
"""Time between updates of the number of students and their answers, in milliseconds."""
ELSEWHERE = "Another of your windows leads the class now. Reload this page to lead from here."


class Teacher(VisitExtra):
    """Visit that leads the room, which shows its visible page.

    When a teacher returns, the state of the room is restored: the run is replayed to its epoch.
    """

    def __init__(self, room: Room, visit: Visit, by_link: bool = False) -> None:
        self._room, self._connection = room, visit.connection
        self._story: Story | None = None
        self.tool = ClassPanel(role="teacher", code=room.code, secret=room.secret if by_link else "")
        self._updates = pn.io.PeriodicCallback(callback=self._update, period=UPDATE_EVERY, background=True, log=False)

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return the room's current moment; before its first snapshot, `query` with chains for every seat."""
        self._room.lead(self._connection)
        own = {key: value for key, value in query.items() if key not in ("teacher", "class")}
        resumed = self._room.resume_query()
        if resumed:
            return {key: own[key] for key in ("theme",) if key in own} | resumed
        most = LiveState.param.chains.bounds[1]
        return {"chains": str(min(EACH * self._room.size, int(most)))} | own

    def story(self, frame: Frame) -> Story:
        """Return the story, with a button that reveals the right answer."""
        self._story = Story(frame)
        self._story.card.reveal = self._reveal
        return self._story

    def begin(self, dark: bool) -> bool:
        """Start the updates from the room."""
        pn.state.onload(self._updates.start)
        return False

    def front(self, page: Any, label: str) -> None:
        """Let the room follow this page, if it can be followed."""
        epoch = page if getattr(page, "shows_epoch", False) else None
        self._room.show(self._connection, getattr(page, "engine", None), label, epoch)

    def lesson(self, link: str | None) -> None:
        """Open the lesson for the room."""
        self._room.set_lesson(self._connection, link, self._story.case)

    def _reveal(self) -> None:
        lesson = self._story.lesson
        if lesson is not None:
            self._room.revealed.add(question_key(lesson, self._story.case))
            self._update()

    def _update(self) -> None:
        room, story = self._room, self._story
        with in_order():
            set_parameters(teacher=None)  # the class may see the address bar; the secret is in a cookie
            self.tool.param.update(present=room.seats.present, words="" if room.leads(self._connection) else ELSEWHERE)
            lesson = story.lesson if story is not None else None
            if lesson is None:
                return
            key = question_key(lesson, story.case)
            counts = room.seats.counts(key, len(lesson.question.options))
            story.card.poll = {"leads": True, "counts": counts, "of": max(room.seats.present, sum(counts)),
                               "revealed": key in room.revealed}


class Student(VisitExtra):
    """Visit that follows a room from a seat: on Live, and on Exit time after the teacher has opened it.

    A page with figures costs one second of server time, so the students of a class change pages one after another.

    Parameters
    ----------
    room
        Room to follow.
    key
        Key of the seat that this browser had before; empty for a new seat.
    """

    def __init__(self, room: Room, key: str = "") -> None:
        self._room, self._seat = room, room.seats.take(key)
        self._live: FollowedLive | None = None
        self._epoch: FollowedEpoch | None = None  #: created when the teacher opens Exit time
        self._at_exit_time = False
        self._story: FollowedStory | None = None
        self._frame: Frame | None = None
        self.tool = ClassPanel(role="student", code=room.code, seat=self._seat.key, come_back=self._return,
                               go=self._leave_by_button)
        close_with_session(self._end)

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return the URL parameters for the student's own pages."""
        return {key: value for key, value in query.items() if key in ("theme", "class")}

    def story(self, frame: Frame) -> Story:
        """Return the story that follows the teacher's."""
        self._frame = frame
        self._story = FollowedStory(frame, self._answer, self._end_following)
        return self._story

    def begin(self, dark: bool) -> bool:
        """Show the room's Live page."""
        self._dark = dark
        self._live = FollowedLive(self._room, self._seat, lambda: self._frame.open_page("live", self._room.own_run()),
                                  self._update, dark)
        close_with_session(self._live.close)
        self._story.listen_to(self._live)
        self._follow()
        return True

    # Entry and exit -------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        self._story.following = True
        self.tool.param.update(inside=True)
        set_parameters(**{"class": self._room.code})
        self._show_live()

    def _return(self) -> None:
        """Return to the room."""
        if not self._story.following:
            if self._story.open:
                self._story.close()
            self._seat.here += 1
            self._follow()

    def _leave_by_button(self) -> None:
        if self._story.following:
            self._story.close()

    def _end_following(self) -> None:
        """Leave the room and show the student's own pages."""
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
            self._epoch = FollowedEpoch(self._room, partial(self._frame.open_page, "exit"), self._update, self._dark)
            close_with_session(self._epoch.close)
        self._frame.show_story("exit", self._epoch)

    @property
    def _late(self) -> bool:
        """Whether the page in front differs from the teacher's."""
        return (self._room.epoch is not None) != self._at_exit_time

    def _change(self) -> None:
        """Open the teacher's page, if it still differs and it is this student's turn."""
        if self._late and self._story.following and not self._room.changes.wait:
            with in_order():
                (self._show_live if self._at_exit_time else self._show_epoch)()
                self._update_bars()
            self._room.changes.note()

    def _update_bars(self) -> None:
        """Display the teacher's status on both pages."""
        teacher, coming = self._room.teacher, self._late and not self._at_exit_time
        for page in (self._live, self._epoch):
            if page is not None:
                page.bar.show_teacher(teacher, self._room.place if teacher == HERE else "", coming=coming)

    # Updates from the room ------------------------------------------------------------------------------------

    def _update(self) -> None:
        """Update the teacher's lesson and status, and change the page if needed."""
        room, story = self._room, self._story
        if not story.following:
            return
        if self._late and not room.changes.wait:
            pn.state.curdoc.add_next_tick_callback(self._change)  # not here: this update belongs to the page to be replaced
        self._update_bars()
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
