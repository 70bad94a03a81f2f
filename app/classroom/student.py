"""`Student`: a visit that follows the room, and may leave it with a run of her own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import panel as pn

from app.classroom.answers import question_key
from app.classroom.class_panel import ClassPanel
from app.classroom.followed_pages import FollowedPages
from app.classroom.followed_story import FollowedStory
from app.classroom.member import Member
from app.classroom.room import GONE
from app.lessons.lesson_card import answers_of
from app.page import close_with_session

if TYPE_CHECKING:
    from app.classroom.member import ClassChrome
    from app.classroom.room import Room
    from app.lessons.lesson import Lesson
    from app.lessons.story import Story


class Student(Member):
    """Follows one room from a seat in it."""

    def __init__(self, room: Room) -> None:
        super().__init__()
        self._room, self._seat = room, room.seats.take()
        self._pages: FollowedPages | None = None
        self._story: FollowedStory | None = None
        self._chrome: ClassChrome | None = None
        self._ended = False
        self.panel = ClassPanel(role="student", code=room.code, seat=self._seat.key, come_back=self._come,
                                go=self._leave_by_button, sit=self._sit)
        close_with_session(self._end)

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return what the student's own pages open with."""
        return {key: value for key, value in query.items() if key in ("theme", "class")}

    def story(self, chrome: ClassChrome, keys: list[str]) -> Story:
        """Return the story that the teacher tells."""
        self._chrome = chrome
        self._story = FollowedStory(chrome, keys, self._answer, self._left)
        return self._story

    def begin(self, dark: bool) -> bool:
        """Show the room."""
        self._pages = FollowedPages(self._room, self._seat, self._chrome, self._look, dark)
        self._story.listen_to(self._pages.live)
        self._follow()
        return True

    # In and out -----------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        self._story.following = True
        self.panel.tell(inside=True)
        _name_class(self._room.code)
        self._pages.begin()

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
        self.panel.tell(inside=False)
        _name_class(None)
        self._chrome.end_story()

    def _sit(self, key: str) -> None:
        """Take the seat that this browser tab had before it was reloaded, instead of the new one; without it keep that."""
        seat = self._room.seats.instead(self._seat, key)
        if seat is not self._seat:
            self._seat = seat
            self._pages.live.engine.seat = self._seat
            self._pages.live.engine.start()
            self.panel.seat = self._seat.key

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            if self._story is None or self._story.following:
                self._room.seats.leave(self._seat)

    # What the room says ---------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Take over the teacher's lesson, and say where the teacher is."""
        room, story = self._room, self._story
        if not story.following:
            return
        self._pages.look(lambda: story.following)
        self._pages.say()
        if room.teacher != GONE:
            story.follow(room.lesson, room.case)
        lesson = story.told
        if lesson is not None:
            self._poll(lesson)

    def _poll(self, lesson: Lesson) -> None:
        answers, card = self._room.answers, self._story.card
        key = question_key(lesson, self._story.case)
        mine, revealed = answers.of(key, self._seat.key), answers.revealed(key)
        counts = answers.counts(key, len(lesson.question.options)) if revealed else []
        poll = {"leads": False, "mine": mine, "revealed": revealed, "counts": counts}
        if revealed:
            poll["options"] = answers_of(lesson)
        if poll != card.poll:
            card.poll = poll
        if card.chosen != (mine if revealed else -1):
            card.chosen = mine if revealed else -1

    def _answer(self, lesson: Lesson, option: int) -> None:
        key = question_key(lesson, self._story.case)
        if not self._room.answers.revealed(key):
            self._room.answers.choose(key, self._seat.key, option, len(lesson.question.options))
        self._poll(lesson)


def _name_class(code: str | None) -> None:
    """Say in the address bar whether a reload leads into the class."""
    location = pn.state.location
    if location is not None:
        query = location.query_params
        if query.get("class") != code:
            query = {key: value for key, value in query.items() if key != "class"} | ({"class": code} if code else {})
            location.search = f"?{urlencode(query)}" if query else ""
