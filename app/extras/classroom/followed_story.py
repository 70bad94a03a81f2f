"""`FollowedStory`: the lesson that the teacher has open, on a student's page; she answers, the teacher turns its pages."""

from collections.abc import Callable
from typing import Any

from app.lessons.lesson import Lesson
from app.lessons.story import Story
from app.lessons.story_page import shown_numbers


class FollowedStory(Story):
    """A story without pages of its own.

    Parameters
    ----------
    chrome
        As for `Story`.
    answer
        Called with the lesson and the option chosen.
    leave
        Called when a page of the student's own is brought to the front.
    """

    def __init__(self, chrome: Any, answer: Callable[[Lesson, int], None], leave: Callable[[], None]) -> None:
        self.following = False
        super().__init__(chrome)
        self._answer, self._leave = answer, leave
        self._followed: tuple[str | None, int] = (None, 0)
        self._teachers_step = 0
        self._page: Any = None  #: the page that follows the room

    @property
    def open(self) -> bool:
        """Whether another page that is chosen ends what is on show: the room, or a lesson of the student's own."""
        return self.following or super().open

    @property
    def leads(self) -> bool:
        """Whether the student turns the lesson: not in the room."""
        return not self.following and super().leads

    @property
    def teachers_lesson(self) -> Lesson | None:
        """The lesson that the teacher has open."""
        return self.lesson if self.following else None

    def follow(self, link: str | None, case: int = 0) -> None:
        """Show the lesson, step and case that the teacher has open, as the link's `lesson` says it; None: none."""
        if (link, case) == self._followed:
            return
        self._followed, before = (link, case), (self.at, self.case)
        self.case = case
        opened = None if link is None else self.parse_link(link)
        self.at, self._teachers_step = (None, 0) if opened is None else opened
        if self.at is not None and (self.at, case) == before:
            self.card.turn(self._teachers_step)
        else:
            self._show_teachers_lesson()

    def _show_teachers_lesson(self) -> None:
        lesson = self.teachers_lesson
        if lesson is None:
            self.card.hide()
        else:
            self.card.measured = []  # what another lesson showed of the run
            self.card.sealed = True  # the room's answers say which is right, once the teacher does
            self.card.show(lesson, self.at, len(self.lessons) - 1, -1, self._teachers_step)
            self.card.sealed = False
        self._page.charts.fit(lesson.span if lesson is not None and lesson.page == "live" else None)

    def listen_to(self, page: Any) -> None:
        """Say on the card what this page shows of the room's run."""
        self._page = page
        page.watcher = self._say_numbers

    def _say_numbers(self, snapshot: Any) -> None:
        if self.teachers_lesson is not None and self.teachers_lesson.page == "live":
            self._update_card(shown_numbers(self._page), "", snapshot.t)

    def show_contents(self) -> None:
        """Show the teacher's lesson again; away from the room the lessons are the student's own."""
        if self.following:
            self._show_teachers_lesson()
        else:
            super().show_contents()

    def open_lesson(self, key: str) -> None:
        """Open a lesson of the student's own; in the room the teacher's is shown again."""
        if self.following:
            self._show_teachers_lesson()
        else:
            super().open_lesson(key)

    def close(self) -> None:
        """Leave the room, or end the student's own story."""
        if not self.following:
            super().close()
            return
        self._followed, self.at = (None, 0), None
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
        if self.teachers_lesson is not None:
            self._answer(self.teachers_lesson, int(option))
        else:
            super().choose(option)
