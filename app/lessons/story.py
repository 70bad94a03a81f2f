"""`Story`: walks through the lessons over pages of its own, and gives the user's page back as it was."""

from __future__ import annotations

import logging
from random import Random
from typing import Any

from app.lessons.lesson import Lesson
from app.lessons.lesson_card import LessonCard
from app.lessons.reader import FOLDER, OPENING, gather_lessons
from app.lessons.story_page import LiveStoryPage, StoryPage
from app.lessons.story_rules import FIRST, StoryRules, waiting_words

CASES_SEED = 6
"""Of the order in which cases are drawn: each once before any comes again."""


class Story(StoryRules):
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

    def lesson_of(self, index: int) -> Lesson:
        """Return the lesson of an index, with what its present case says."""
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
        self.at, lesson = index, self.lesson_of(index)
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
