"""`FollowedStory`: the lesson that the teacher has open, on a student's page; she answers, the teacher turns its pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.lessons.lesson_card import LessonCard
from app.lessons.readings import shown_numbers
from app.lessons.story import Story

if TYPE_CHECKING:
    from app.lessons.lesson import Lesson

TEACHERS = ("next", "back", "again", "do", "show_step")
"""What on the card only the teacher does."""


class FollowedStory(Story):
    """A story without pages of its own.

    Parameters
    ----------
    chrome, pages
        As for `Story`.
    answer
        Called with the lesson and the option chosen.
    leave
        Called when a page of the student's own is brought to the front.
    """

    def __init__(self, chrome: Any, pages: list[str], answer: Callable[[Lesson, int], None],
                 leave: Callable[[], None]) -> None:
        super().__init__(chrome, pages)
        self.card = LessonCard(_CardActions(self), self.lessons, self.opening)
        self._answer, self._leave = answer, leave
        self._heard: tuple[str | None, int] = (None, 0)
        self._told_step = 0
        self._page: Any = None  #: the page that follows the room
        self.following = False

    @property
    def open(self) -> bool:
        """Whether another page that is chosen ends what is on show: the room, or a lesson of the student's own."""
        return self.following or super().open

    @property
    def told(self) -> Lesson | None:
        """The lesson that the teacher has open."""
        return self.lesson if self.following else None

    def follow(self, told: str | None, case: int = 0) -> None:
        """Show the lesson, step and case that the teacher has open, as the link's `lesson` says it; None: none."""
        if (told, case) == self._heard:
            return
        self._heard, before = (told, case), (self.at, self.case)
        self.case = case
        found = None if told is None else self.asked(told)
        self.at, self._told_step = (None, 0) if found is None else found
        if self.at is not None and (self.at, case) == before:
            self.card.step = self._told_step
        else:
            self._show_told()

    def _show_told(self) -> None:
        lesson = self.told
        if lesson is None:
            self.card.hide()
        else:
            self.card.sealed = True  # the room's answers say which is right, once the teacher does
            self.card.show(lesson, self.at, len(self.lessons) - 1, -1, self._told_step)
            self.card.sealed = False
        self._page.charts.fit(lesson.span if lesson is not None and lesson.page == "live" else None)

    def listen_to(self, page: Any) -> None:
        """Say on the card what this page shows of the room's run."""
        self._page = page
        page.watcher = self._say_numbers

    def _say_numbers(self, snapshot: Any) -> None:
        if self.told is not None and self.told.page == "live":
            self._listen(shown_numbers(self._page), "", snapshot.t)

    def show_contents(self) -> None:
        """Show the teacher's lesson again; away from the room the lessons are the student's own."""
        if self.following:
            self._show_told()
        else:
            super().show_contents()

    def open_lesson(self, key: str) -> None:
        """Open a lesson of the student's own; in the room the teacher's is shown again."""
        if self.following:
            self._show_told()
        else:
            super().open_lesson(key)

    def close(self) -> None:
        """Leave the room, or end the student's own story."""
        if not self.following:
            super().close()
            return
        self._heard, self.at = (None, 0), None
        self.card.hide()
        self.card.poll = {}
        self._leave()

    def put_aside(self) -> None:
        """Take the card away; in the room the lessons' button brings it back."""
        if self.following:
            self.card.hide()
        else:
            super().close()

    def choose(self, option: int) -> None:
        """Take an answer."""
        if self.told is not None:
            self._answer(self.told, int(option))
        else:
            super().choose(option)


class _CardActions:
    """What the card asks for: in the room the teacher turns its pages, and its close button does not leave."""

    def __init__(self, story: FollowedStory) -> None:
        self._story = story

    def __getattr__(self, deed: str) -> Any:
        if deed == "close":
            return self._story.put_aside
        if self._story.following and deed in TEACHERS:
            return lambda *given: None
        return getattr(self._story, deed)
