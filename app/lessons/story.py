"""`Story`: the guided story, shown on separate pages; the user's own page is restored unchanged at its end."""

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
"""Seed for the order of cases; each is shown once before any repeats."""


class Story(StoryRules):
    """Guided story of one session.

    Parameters
    ----------
    chrome
        The `app.chrome.frame.Frame` of the pages.
    """

    def __init__(self, chrome: Any) -> None:
        self._chrome = chrome
        self.lessons, words = gather_lessons()
        opening, more = gather_lessons([FOLDER / OPENING])
        self.opening = next(iter(opening), None)  #: None if its file is invalid
        for sentence in words + more:
            logging.getLogger(__name__).warning("Skipped an invalid lesson: %s", sentence)
        self.card = LessonCard(self, self.lessons, self.opening)
        self.at: int | None = None  #: index of the open lesson
        self._story_pages: dict[str, StoryPage] = {}
        self._chosen: dict[int, int] = {}
        self.case = 0  #: number of cases shown so far

    def lesson_of(self, index: int) -> Lesson:
        """Return the lesson of an index, with the settings and question of its current case."""
        lesson = self.opening if index == FIRST else self.lessons[index]
        if not lesson.cases:
            return lesson
        count = len(lesson.cases)
        drawn = Random(CASES_SEED + self.case // count).sample(range(count), count)
        return lesson.with_case(drawn[self.case % count])

    def show(self, index: int, step: int = 0, shown: dict[str, Any] | None = None) -> None:
        """Open a lesson by its index.

        `shown` are the URL parameters of a link, for pages that can restore the moment that they describe.
        """
        self.at, lesson = index, self.lesson_of(index)
        story_page = self._story_pages.get(lesson.page)
        if story_page is None:
            page = self._chrome.build(lesson.page, lesson.settings)
            story_page = LiveStoryPage(page, self._update_card) if lesson.page == "live" else StoryPage(page)
            self._story_pages[lesson.page] = story_page
        self._chrome.show_story(lesson.page, story_page.page)
        self._begin(lesson, shown)
        if shown is None:
            story_page.apply_step(lesson.steps[step])
        self.card.show(lesson, index, len(self.lessons) - 1, self._chosen.get(index, -1), step)
        self._chrome.mark_lesson(self._link())

    def query(self) -> dict[str, str]:
        """Return the URL parameter of the open lesson and its step; empty if none is open."""
        return {} if self.at is None else {"lesson": self._link()}

    def show_contents(self) -> None:
        """Open the list of lessons."""
        self.card.open_contents()

    def close(self) -> None:
        """End the story and restore the user's own page."""
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
        """Handle the close button of the card."""
        self.close()

    def _begin(self, lesson: Lesson, shown: dict[str, Any] | None = None) -> None:
        self.card.param.update(measured=[], arriving="", waiting=waiting_words(lesson))
        self._story_pages[lesson.page].open(lesson, shown)

    def _update_card(self, numbers: list[list[str]], arriving: str, t: int) -> None:
        """Update the card with the state of Live at epoch t, if the open lesson is on Live."""
        if self.at is None or self.lesson.page != "live":
            return
        waiting = self.card.waiting if t < self.lesson.asked_at else ""
        if (numbers, arriving, waiting) != (self.card.measured, self.card.arriving, self.card.waiting):
            self.card.param.update(measured=numbers, arriving=arriving, waiting=waiting)
