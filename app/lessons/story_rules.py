"""`StoryRules`: what the guided story does at each press, on whatever pages it is told; the lab in one file has it too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.lessons.lesson import Lesson

FIRST = -1
"""Index of the opening, which comes before lesson 0."""


class StoryRules:
    """Walks through the lessons.

    A subclass has ``lessons`` and ``opening``, ``card``, ``at`` (the index of the open lesson or None), ``case`` (how many
    have been shown), ``_chosen`` (index -> option), ``_chrome`` and ``_story_pages``, which hold what is told where; and
    ``lesson_of``, ``show``, ``show_contents``, ``close`` and ``_begin``.
    """

    @property
    def open(self) -> bool:
        """Whether a lesson is on show."""
        return self.at is not None

    @property
    def leads(self) -> bool:
        """Whether the open lesson is turned here: that of a class is turned by its teacher."""
        return self.at is not None

    def asked(self, link: str) -> tuple[int, int] | None:
        """Return lesson and step that a link asks for, from 0 on; None when it asks for none. Never raises.

        A link says the lesson's key, with ".2" for its third step, and ".0.2" for the third case that is drawn, which
        is then the one that is shown. A key that no lesson has asks for the first.
        """
        if not link or not self.lessons:
            return None
        key, _, rest = link.partition(".")
        step, _, case = rest.partition(".")
        if self.opening is not None and key == self.opening.key:
            return FIRST, _step_in(self.opening, step)
        at = next((at for at, lesson in enumerate(self.lessons) if key == lesson.key), None)
        if at is None:
            return 0, 0
        if self.lessons[at].cases and _is_number(case):
            self.case = int(case[:3])
        return at, _step_in(self.lessons[at], step)

    @property
    def lesson(self) -> Lesson | None:
        """The open lesson; None when there is none."""
        return None if self.at is None else self.lesson_of(self.at)

    def open_lesson(self, key: str) -> None:
        """Open the lesson of this key."""
        lessons = (self.opening, *self.lessons)
        at = next((at for at, lesson in enumerate(lessons, FIRST) if lesson is not None and lesson.key == key), None)
        if at is not None:
            self.show(at)

    def open_opening(self) -> None:
        """Open what comes before lesson 0; the list of lessons where there is none."""
        if self.opening is None:
            self.show_contents()
        else:
            self.show(FIRST)

    def show_step(self, step: int) -> None:
        """Take up another step of the open lesson: what it sets is set."""
        if not self.leads or not 0 <= step < len(self.lesson.steps):
            return
        lesson = self.lesson
        self.card.step = step
        self._story_pages[lesson.page].take_up(lesson.steps[step])
        self._chrome.mark_lesson(self._link())

    def next(self) -> None:
        """Go on; after the last lesson the story ends."""
        if not self.leads:
            return
        if self.at + 1 < len(self.lessons):
            self.show(self.at + 1)
        else:
            self.close()

    def back(self) -> None:
        """Go back one lesson."""
        if self.leads and self.at > 0:
            self.show(self.at - 1)

    def again(self) -> None:
        """Put the lesson's own settings back and begin it again; a lesson with cases draws another one."""
        if not self.leads:
            return
        if self.lesson.cases:
            self.case += 1
            self._chosen[self.at] = -1
            self.show(self.at)
        else:
            self._begin(self.lesson)

    def choose(self, option: int) -> None:
        """Remember the answer to the open lesson's question; an option there is not is no answer."""
        if self.at is not None and 0 <= option < len(self.lesson.question.options):
            self._chosen[self.at] = int(option)
            self.card.chosen = int(option)

    def do(self, hint: int) -> None:
        """Take the button of a hint."""
        if not self.leads or not 0 <= hint < len(self.lesson.hints):
            return
        lesson = self.lesson
        chosen = lesson.hints[hint]
        if chosen.settings is not None:
            arrive = chosen.arrive if chosen.restart else lesson.arrive  # where what it sets starts the run again
            self._story_pages[lesson.page].set(lesson.tried(chosen), chosen.restart, arrive)

    def _link(self) -> str:
        """What a link calls the open lesson and its step."""
        lesson, step = self.lesson, self.card.step
        if lesson.cases and self.case:
            return f"{lesson.key}.{step}.{self.case}"
        return f"{lesson.key}.{step}" if step else lesson.key


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _step_in(lesson: Lesson, text: str) -> int:
    return min(int(text[:3]), len(lesson.steps) - 1) if _is_number(text) else 0


def waiting_words(lesson: Lesson) -> str:
    """Return what stands in the place of a question that the run cannot answer yet."""
    t = lesson.asked_at
    return f"The question comes at epoch {t:,}, where the run can answer it: play to epoch {t:,} first." if t else ""
