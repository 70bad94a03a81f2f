"""`FollowedStory`: the lesson that the teacher has open, on a student's page; she answers, the teacher turns its pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.lessons.lesson_card import LessonCard
from app.lessons.story import Story

if TYPE_CHECKING:
    from app.lessons.lesson import Lesson


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
        self.card = LessonCard(_CardActions(self))
        self._answer, self._leave = answer, leave
        self._heard: str | None = None
        self.following = False

    @property
    def open(self) -> bool:
        """Whether another page that is chosen ends what is on show: the room, or a lesson of the student's own."""
        return self.following or super().open

    @property
    def told(self) -> Lesson | None:
        """The lesson that the teacher has open."""
        return self.lessons[self.at] if self.following and self.at is not None else None

    def follow(self, told: str | None) -> None:
        """Show the lesson that the teacher has open, as the link's `lesson` says it; None: none."""
        if told == self._heard:
            return
        self._heard = told
        number = None if told is None else self.number(told)
        self.at = None if number is None else number - 1
        self._show_told()

    def _show_told(self) -> None:
        if self.told is None:
            self.card.hide()
        else:
            self.card.show(self.told, self.at + 1, len(self.lessons), -1)

    def start(self, number: int | None = None, shown: dict[str, Any] | None = None) -> None:
        """Show the teacher's lesson again; away from the room the lessons are the student's own."""
        if self.following:
            self._show_told()
        else:
            super().start(number, shown)

    def close(self) -> None:
        """Leave the room, or end the student's own story."""
        if not self.following:
            super().close()
            return
        self._heard, self.at = None, None
        self.card.hide()
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

    def _own(self, deed: str, *given: Any) -> None:
        """Do what only the student's own story allows: in the room the teacher turns the pages."""
        if not self.following:
            getattr(super(), deed)(*given)

    def next(self) -> None:
        """Go on, outside the room."""
        self._own("next")

    def back(self) -> None:
        """Go back, outside the room."""
        self._own("back")

    def again(self) -> None:
        """Begin the lesson again, outside the room."""
        self._own("again")

    def do(self, hint: int) -> None:
        """Take the button of a hint, outside the room."""
        self._own("do", hint)


class _CardActions:
    """What the card asks for: its close button does not leave the room."""

    def __init__(self, story: FollowedStory) -> None:
        self._story = story

    def __getattr__(self, deed: str) -> Any:
        return self._story.put_aside if deed == "close" else getattr(self._story, deed)
