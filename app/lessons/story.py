"""`Story`: walks through the lessons over pages of its own, and gives the user's page back as it was."""

from __future__ import annotations

import logging
from random import Random
from typing import Any, Protocol

from app.lessons.lesson import Lesson
from app.lessons.lesson_card import LessonCard
from app.lessons.reader import FOLDER, OPENING, LessonError, gather_lessons, read_lesson
from app.lessons.story_page import StoryPage, story_page_for

FIRST = -1
"""Index of the opening, which comes before lesson 0."""


CASES_SEED = 6
"""Of the order in which cases are drawn: each once before any comes again."""


class Chrome(Protocol):
    """What the story needs of the frame round the pages."""

    def build_for_story(self, key: str, query: dict[str, Any]) -> Any:
        """Make a page of its own for the story."""

    def show_story(self, key: str, page: Any) -> None:
        """Bring that page to the front, over the user's own."""

    def end_story(self) -> None:
        """Bring the user's own page back."""

    def mark_lesson(self, key: str | None) -> None:
        """Say in the address bar which lesson is open."""


class Story:
    """The guided story of one session.

    Parameters
    ----------
    chrome
        The frame.
    pages
        Keys of the pages there are; lessons on other pages are left out, with words.
    """

    def __init__(self, chrome: Chrome, pages: list[str]) -> None:
        self._chrome = chrome
        self.lessons, self.words = gather_lessons(pages)
        for sentence in self.words:
            logging.getLogger(__name__).warning("A lesson is left out: %s", sentence)
        self.opening = self._read_opening(pages)  #: None where its file is wrong
        self.card = LessonCard(self, self.lessons, self.opening)
        self.at: int | None = None  #: index of the open lesson
        self._last = 0  #: where to go on after closing
        self._story_pages: dict[str, StoryPage] = {}
        self._chosen: dict[int, int] = {}
        self.case = 0  #: how many cases have been shown

    @property
    def open(self) -> bool:
        """Whether a lesson is on show."""
        return self.at is not None

    def asked(self, given: str) -> tuple[int, int] | None:
        """Return lesson and step that a link asks for, from 0 on; None when it asks for none. Never raises.

        A link says the lesson's key, with ".2" for its third step, and ".0.2" for the third case that is drawn, which
        is then the one that is shown; a link of version 0.4 says the number the lesson had then.
        """
        if not given or not self.lessons:
            return None
        key, _, rest = given.partition(".")
        step, _, case = rest.partition(".")
        if self.opening is not None and key == self.opening.key:
            return FIRST, self._step(self.opening, step)
        found = next((at for at, lesson in enumerate(self.lessons)
                      if key == lesson.key or (key.isdecimal() and int(key[:9]) == lesson.was)), None)
        if found is None:
            late = key.isdecimal() and int(key[:9]) > 0
            return (len(self.lessons) - 1 if late else 0), 0
        if self.lessons[found].cases and case.isdecimal():
            self.case = int(case[:3])
        return found, self._step(self.lessons[found], step)

    @staticmethod
    def _read_opening(pages: list[str]) -> Lesson | None:
        try:
            return read_lesson(FOLDER / OPENING, pages)
        except LessonError as wrong:
            logging.getLogger(__name__).warning("The opening is left out: %s", wrong)
            return None

    @staticmethod
    def _step(lesson: Lesson, given: str) -> int:
        return min(int(given[:3]), len(lesson.steps) - 1) if given.isdecimal() else 0

    @property
    def lesson(self) -> Lesson | None:
        """The open lesson; None when there is none."""
        return None if self.at is None else self._told

    @property
    def _told(self) -> Lesson:
        """The open lesson."""
        return self._lesson(self.at)

    def _lesson(self, index: int) -> Lesson:
        lesson = self.opening if index == FIRST else self.lessons[index]
        if not lesson.cases:
            return lesson
        count = len(lesson.cases)
        drawn = Random(CASES_SEED + self.case // count).sample(range(count), count)
        return lesson.with_case(drawn[self.case % count])

    def start(self, lesson: int | None = None, step: int = 0, shown: dict[str, Any] | None = None) -> None:
        """Open a lesson, counted from 0; None: the one that was open last.

        `shown` are a link's URL parameters, for a page that can show the very moment they describe.
        """
        if self.lessons:
            self._show(self._last if lesson is None else lesson, step, shown)

    def query(self) -> dict[str, str]:
        """Return the URL parameter of the open lesson and its step; nothing when there is none."""
        return {} if self.at is None else {"lesson": self._link()}

    def show_contents(self) -> None:
        """Open the list of lessons."""
        self.card.open_contents()

    def open_lesson(self, key: str) -> None:
        """Open the lesson of this key."""
        told = (self.opening, *self.lessons)
        at = next((at for at, lesson in enumerate(told, FIRST) if lesson is not None and lesson.key == key), None)
        if at is not None:
            self._show(at)

    def open_opening(self) -> None:
        """Open what comes before lesson 0; the list of lessons where there is none."""
        if self.opening is None:
            self.show_contents()
        else:
            self._show(FIRST)

    def show_step(self, step: int) -> None:
        """Take up another step of the open lesson: what it sets is set."""
        if self.at is None or not 0 <= step < len(self._told.steps):
            return
        lesson = self._told
        self.card.step = step
        self._story_pages[lesson.page].take_up(lesson.steps[step])
        self._chrome.mark_lesson(self._link())

    def next(self) -> None:
        """Go on; after the last lesson the story ends."""
        if self.at is None:
            return
        if self.at + 1 < len(self.lessons):
            self._show(self.at + 1)
        else:
            self._last = -1
            self.close()

    def back(self) -> None:
        """Go back one lesson."""
        if self.at is not None and self.at > 0:
            self._show(self.at - 1)

    def close(self) -> None:
        """End the story; the user's own page comes back as the user left it."""
        if self.at is None:
            return
        self._last, self.at = max(self.at if self._last >= 0 else 0, 0), None
        self.card.hide()
        self._chrome.end_story()
        self._chrome.mark_lesson(None)
        story_pages, self._story_pages = self._story_pages, {}
        for story_page in story_pages.values():
            story_page.page.close()

    def again(self) -> None:
        """Put the lesson's own settings back and begin it again; a lesson with cases draws another one."""
        if self.at is None:
            return
        if self._told.cases:
            self.case += 1
            self._chosen.pop(self.at, None)
            self._show(self.at)
        else:
            self._begin(self._told)

    def choose(self, option: int) -> None:
        """Remember the answer to the open lesson's question; an option there is not is no answer."""
        if self.at is not None and 0 <= option < len(self._told.question.options):
            self._chosen[self.at] = int(option)
            self.card.chosen = int(option)

    def do(self, hint: int) -> None:
        """Take the button of a hint."""
        if self.at is None or not 0 <= hint < len(self._told.hints):
            return
        lesson = self._told
        chosen = lesson.hints[hint]
        if chosen.settings is not None:
            arrive = chosen.arrive if chosen.restart else lesson.arrive  # where what it sets starts the run again
            self._story_pages[lesson.page].set(lesson.tried(chosen), chosen.restart, arrive)

    def _show(self, index: int, step: int = 0, shown: dict[str, Any] | None = None) -> None:
        self.at = self._last = index
        lesson = self._lesson(index)
        story_page = self._story_pages.get(lesson.page)
        if story_page is None:
            page = self._chrome.build_for_story(lesson.page, lesson.query())
            story_page = self._story_pages[lesson.page] = story_page_for(lesson.page, page)
        self._chrome.show_story(lesson.page, story_page.page)
        self._begin(lesson, shown)
        if shown is None:
            story_page.take_up(lesson.steps[step])
        self.card.show(lesson, index, len(self.lessons) - 1, self._chosen.get(index, -1), step)
        self._chrome.mark_lesson(self._link())

    def _link(self) -> str:
        """What a link calls the open lesson and its step."""
        told, step = self._told, self.card.step
        if told.cases and self.case:
            return f"{told.key}.{step}.{self.case}"
        return f"{told.key}.{step}" if step else told.key

    def _begin(self, lesson: Lesson, shown: dict[str, Any] | None = None) -> None:
        self.card.param.update(measured=[], arriving="", waiting=waiting_words(lesson))
        self._story_pages[lesson.page].open(lesson, self._listen, shown)

    def _listen(self, numbers: list[list[str]], arriving: str, t: int) -> None:
        """Say on the card what Live has just shown at epoch t, unless the lesson on show is told elsewhere."""
        if self.at is None or self._told.page != "live":
            return
        waiting = self.card.waiting if t < self._told.asked_at else ""
        if (numbers, arriving, waiting) != (self.card.measured, self.card.arriving, self.card.waiting):
            self.card.param.update(measured=numbers, arriving=arriving, waiting=waiting)


def waiting_words(lesson: Lesson) -> str:
    """Return what stands in the place of a question that the run cannot answer yet."""
    t = lesson.asked_at
    return f"The question comes at epoch {t:,}, where the run can answer it: play to epoch {t:,} first." if t else ""
