"""`Story`: walks through the lessons over pages of its own, and gives the user's page back as it was."""

from __future__ import annotations

import logging
from random import Random
from typing import Any

from app.lessons.lesson import Lesson
from app.lessons.lesson_card import LessonCard
from app.lessons.reader import FOLDER, OPENING, gather_lessons
from app.lessons.story_page import LiveStoryPage, StoryPage

FIRST = -1
"""Index of the opening, which comes before lesson 0."""
CASES_SEED = 6
"""Of the order in which cases are drawn: each once before any comes again."""


class Story:
    """The guided story of one session.

    Parameters
    ----------
    chrome
        The frame round the pages, an `app.chrome.frame.Frame`.
    """

    def __init__(self, chrome: Any) -> None:
        self._chrome = chrome
        self.lessons, words = gather_lessons()
        opening, more = gather_lessons([FOLDER / OPENING])
        self.opening = next(iter(opening), None)  #: None where its file is wrong
        for sentence in words + more:
            logging.getLogger(__name__).warning("A lesson is left out: %s", sentence)
        self.card = LessonCard(self, self.lessons, self.opening)
        self.at: int | None = None  #: index of the open lesson
        self._story_pages: dict[str, StoryPage] = {}
        self._chosen: dict[int, int] = {}
        self.case = 0  #: how many cases have been shown

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
            return FIRST, self._step(self.opening, step)
        at = next((at for at, lesson in enumerate(self.lessons) if key == lesson.key), None)
        if at is None:
            return 0, 0
        if self.lessons[at].cases and case.isdecimal():
            self.case = int(case[:3])
        return at, self._step(self.lessons[at], step)

    @staticmethod
    def _step(lesson: Lesson, text: str) -> int:
        return min(int(text[:3]), len(lesson.steps) - 1) if text.isdecimal() else 0

    @property
    def lesson(self) -> Lesson | None:
        """The open lesson; None when there is none."""
        return None if self.at is None else self._lesson(self.at)

    def _lesson(self, index: int) -> Lesson:
        lesson = self.opening if index == FIRST else self.lessons[index]
        if not lesson.cases:
            return lesson
        count = len(lesson.cases)
        drawn = Random(CASES_SEED + self.case // count).sample(range(count), count)
        return lesson.with_case(drawn[self.case % count])

    def show(self, index: int, step: int = 0, shown: dict[str, Any] | None = None) -> None:
        """Open a lesson, counted from 0.

        `shown` are a link's URL parameters, for a page that can show the very moment they describe.
        """
        self.at, lesson = index, self._lesson(index)
        story_page = self._story_pages.get(lesson.page)
        if story_page is None:
            page = self._chrome.build(lesson.page, lesson.settings)
            story_page = LiveStoryPage(page, self._listen) if lesson.page == "live" else StoryPage(page)
            self._story_pages[lesson.page] = story_page
        self._chrome.show_story(lesson.page, story_page.page)
        self._begin(lesson, shown)
        if shown is None:
            story_page.take_up(lesson.steps[step])
        self.card.show(lesson, index, len(self.lessons) - 1, self._chosen.get(index, -1), step)
        self._chrome.mark_lesson(self._link())

    def query(self) -> dict[str, str]:
        """Return the URL parameter of the open lesson and its step; nothing when there is none."""
        return {} if self.at is None else {"lesson": self._link()}

    def show_contents(self) -> None:
        """Open the list of lessons."""
        self.card.open_contents()

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

    def close(self) -> None:
        """End the story; the user's own page comes back as the user left it."""
        if self.at is None:
            return
        self.at = None
        self.card.hide()
        self._chrome.end_story()
        self._chrome.mark_lesson(None)
        story_pages, self._story_pages = self._story_pages, {}
        for story_page in story_pages.values():
            story_page.page.close()

    def put_aside(self) -> None:
        """Take the card's close button."""
        self.close()

    def again(self) -> None:
        """Put the lesson's own settings back and begin it again; a lesson with cases draws another one."""
        if not self.leads:
            return
        if self.lesson.cases:
            self.case += 1
            self._chosen.pop(self.at, None)
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

    def _begin(self, lesson: Lesson, shown: dict[str, Any] | None = None) -> None:
        self.card.param.update(measured=[], arriving="", waiting=waiting_words(lesson))
        self._story_pages[lesson.page].open(lesson, shown)

    def _listen(self, numbers: list[list[str]], arriving: str, t: int) -> None:
        """Say on the card what Live has just shown at epoch t, unless the lesson on show is told elsewhere."""
        if self.at is None or self.lesson.page != "live":
            return
        waiting = self.card.waiting if t < self.lesson.asked_at else ""
        if (numbers, arriving, waiting) != (self.card.measured, self.card.arriving, self.card.waiting):
            self.card.param.update(measured=numbers, arriving=arriving, waiting=waiting)


def waiting_words(lesson: Lesson) -> str:
    """Return what stands in the place of a question that the run cannot answer yet."""
    t = lesson.asked_at
    return f"The question comes at epoch {t:,}, where the run can answer it: play to epoch {t:,} first." if t else ""
