"""`FollowedStory`: the teacher's open lesson on a student's page; the student answers, the teacher navigates."""

from collections.abc import Callable
from typing import Any

from app.lessons.lesson import Lesson
from app.lessons.story import Story
from app.lessons.story_page import shown_numbers


class FollowedStory(Story):
    """Story that follows the room, without its own pages.

    Parameters
    ----------
    chrome
        As for `Story`.
    answer
        Called with the lesson and the chosen option.
    leave
        Called when the student leaves the room.
    """

    def __init__(self, chrome: Any, answer: Callable[[Lesson, int], None], leave: Callable[[], None]) -> None:
        self.following = False
        super().__init__(chrome)
        self._answer, self._leave = answer, leave
        self._followed: tuple[str | None, int] = (None, 0)
        self._teachers_step = 0
        self._page: Any = None  #: page that follows the room

    @property
    def open(self) -> bool:
        """Whether the room or a lesson of the student's own is open, which choosing another page closes."""
        return self.following or super().open

    @property
    def leads(self) -> bool:
        """Whether the student controls the open lesson: only outside the room."""
        return not self.following and super().leads

    @property
    def teachers_lesson(self) -> Lesson | None:
        """The teacher's open lesson, or None."""
        return self.lesson if self.following else None

    def follow(self, link: str | None, case: int = 0) -> None:
        """Show the teacher's lesson and step, from the value of a link's `lesson`, and its case; None closes it."""
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
            self.card.measured = []  # measurements belong to the previous lesson
            self.card.sealed = True  # the poll contains the right answer once the teacher has revealed it
            self.card.show(lesson, self.at, len(self.lessons) - 1, -1, self._teachers_step)
            self.card.sealed = False
        self._page.charts.fit(lesson.span if lesson is not None and lesson.page == "live" else None)

    def listen_to(self, page: Any) -> None:
        """Display the measurements of the room's run, shown on this page, on the card."""
        self._page = page
        page.watcher = self._show_numbers

    def _show_numbers(self, snapshot: Any) -> None:
        if self.teachers_lesson is not None and self.teachers_lesson.page == "live":
            self._update_card(shown_numbers(self._page), "", snapshot.t)

    def show_contents(self) -> None:
        """Show the teacher's lesson again; outside the room, open the list of lessons."""
        if self.following:
            self._show_teachers_lesson()
        else:
            super().show_contents()

    def open_lesson(self, key: str) -> None:
        """Open a lesson; in the room, show the teacher's again."""
        if self.following:
            self._show_teachers_lesson()
        else:
            super().open_lesson(key)

    def close(self) -> None:
        """Leave the room, or close the student's own story."""
        if not self.following:
            super().close()
            return
        self._followed, self.at = (None, 0), None
        self.card.hide()
        self.card.poll = {}
        self._leave()

    def put_aside(self) -> None:
        """Hide the card; in the room, the button Lessons shows it again."""
        if self.following:
            self.card.hide()
        else:
            super().close()

    def choose(self, option: int) -> None:
        """Submit an answer."""
        if self.teachers_lesson is not None:
            self._answer(self.teachers_lesson, int(option))
        else:
            super().choose(option)
