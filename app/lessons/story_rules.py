"""`StoryRules`: navigation of the guided story, independent of its pages; translated to JavaScript for the lab file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.lessons.lesson import Lesson

FIRST = -1
"""Index of the opening, before lesson 0."""


class StoryRules:
    """Navigation through the lessons.

    A subclass defines ``lessons``, ``opening``, ``card``, ``at`` (index of the open lesson or None), ``case`` (number of
    cases shown so far), ``_chosen`` (index -> option), ``_chrome``, ``_story_pages`` (key -> page), ``lesson_of``, ``show``,
    ``show_contents``, ``close`` and ``_begin``.
    """

    @property
    def open(self) -> bool:
        """Whether a lesson is open."""
        return self.at is not None

    @property
    def leads(self) -> bool:
        """Whether a lesson is open and controlled here; the teacher controls that of a class."""
        return self.at is not None

    def parse_link(self, link: str) -> tuple[int, int] | None:
        """Return the indices of lesson and step of a link; None if it names no lesson. Never raises.

        A link has the lesson's key, ".2" after it for its third step, ".0.2" for step 0 of the third case drawn, which
        becomes the current case. An unknown key selects the first lesson.
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
        """The open lesson, or None."""
        return None if self.at is None else self.lesson_of(self.at)

    def open_lesson(self, key: str) -> None:
        """Open the lesson with this key."""
        lessons = (self.opening, *self.lessons)
        at = next((at for at, lesson in enumerate(lessons, FIRST) if lesson is not None and lesson.key == key), None)
        if at is not None:
            self.show(at)

    def open_opening(self) -> None:
        """Open the opening; without one, the list of lessons."""
        if self.opening is None:
            self.show_contents()
        else:
            self.show(FIRST)

    def show_step(self, step: int) -> None:
        """Show another step of the open lesson and apply its settings."""
        if not self.leads or not 0 <= step < len(self.lesson.steps):
            return
        lesson = self.lesson
        self.card.step = step
        self._story_pages[lesson.page].apply_step(lesson.steps[step])
        self._chrome.mark_lesson(self._link())

    def next(self) -> None:
        """Open the next lesson; after the last one close the story."""
        if not self.leads:
            return
        if self.at + 1 < len(self.lessons):
            self.show(self.at + 1)
        else:
            self.close()

    def back(self) -> None:
        """Open the previous lesson."""
        if self.leads and self.at > 0:
            self.show(self.at - 1)

    def again(self) -> None:
        """Restart the open lesson with its settings; a lesson with cases draws another case."""
        if not self.leads:
            return
        if self.lesson.cases:
            self.case += 1
            self._chosen[self.at] = -1
            self.show(self.at)
        else:
            self._begin(self.lesson)

    def choose(self, option: int) -> None:
        """Store the answer to the open lesson's question; an invalid option is ignored."""
        if self.at is not None and 0 <= option < len(self.lesson.question.options):
            self._chosen[self.at] = int(option)
            self.card.chosen = int(option)

    def do(self, hint: int) -> None:
        """Apply the settings of a hint."""
        if not self.leads or not 0 <= hint < len(self.lesson.hints):
            return
        lesson = self.lesson
        chosen = lesson.hints[hint]
        if chosen.settings is not None:
            arrive = chosen.arrive if chosen.restart else lesson.arrive  # used if the settings restart the run
            self._story_pages[lesson.page].set(lesson.hint_settings(chosen), chosen.restart, arrive)

    def _link(self) -> str:
        """Return the open lesson, its step and its case as the value of a link's `lesson`."""
        lesson, step = self.lesson, self.card.step
        if lesson.cases and self.case:
            return f"{lesson.key}.{step}.{self.case}"
        return f"{lesson.key}.{step}" if step else lesson.key


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _step_in(lesson: Lesson, text: str) -> int:
    return min(int(text[:3]), len(lesson.steps) - 1) if _is_number(text) else 0


def waiting_words(lesson: Lesson) -> str:
    """Return the message shown until the run reaches the epoch of the question; empty for none."""
    t = lesson.asked_at
    return f"The run shows the answer from epoch {t:,} on: play to epoch {t:,} first." if t else ""
