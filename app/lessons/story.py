"""`Story`: walks through the lessons over pages of its own, and gives the user's page back as it was."""

from __future__ import annotations

import logging
import time
from typing import Any, Protocol

from app.lessons.lesson import Lesson
from app.lessons.lesson_card import LessonCard
from app.lessons.reader import gather_lessons
from app.lessons.readings import Numbers
from app.lessons.story_page import StoryPage, story_page_for

MEASURED_EVERY = 0.5
"""Seconds between two updates of the numbers on the card."""


class Chrome(Protocol):
    """What the story needs of the frame round the pages."""

    def build_for_story(self, key: str, query: dict[str, Any]) -> Any:
        """Make a page of its own for the story."""

    def show_story(self, key: str, page: Any) -> None:
        """Bring that page to the front, over the user's own."""

    def end_story(self) -> None:
        """Bring the user's own page back."""

    def mark_lesson(self, number: int | None) -> None:
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
        self.card = LessonCard(self)
        self.at: int | None = None  #: index of the open lesson
        self._last = 0  #: where to go on after closing
        self._story_pages: dict[str, StoryPage] = {}
        self._chosen: dict[int, int] = {}
        self._numbers, self._measured_at = Numbers(), 0.0

    @property
    def open(self) -> bool:
        """Whether a lesson is on show."""
        return self.at is not None

    def number(self, given: str) -> int | None:
        """Return the lesson a link asks for, 1 to the number of lessons; None when it asks for none."""
        if not given or not self.lessons:
            return None
        try:
            wanted = int(given)
        except ValueError:
            wanted = 1
        return min(max(wanted, 1), len(self.lessons))

    def start(self, number: int | None = None, shown: dict[str, Any] | None = None) -> None:
        """Open a lesson, 1 to the number of lessons; None: the one that was open last.

        `shown` are a link's URL parameters, for a page that can show the very moment they describe.
        """
        if self.lessons:
            self._show(self._last if number is None else number - 1, shown)

    def query(self) -> dict[str, int]:
        """Return the URL parameter of the open lesson; nothing when there is none."""
        return {} if self.at is None else {"lesson": self.at + 1}

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
        if self.at:
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
        """Put the lesson's own settings back and begin it again."""
        if self.at is not None:
            self._begin(self.lessons[self.at])

    def choose(self, option: int) -> None:
        """Remember the answer to the open lesson's question."""
        if self.at is not None:
            self._chosen[self.at] = int(option)
            self.card.chosen = int(option)

    def do(self, hint: int) -> None:
        """Take the button of a hint."""
        if self.at is None or not 0 <= hint < len(self.lessons[self.at].hints):
            return
        lesson = self.lessons[self.at]
        settings = lesson.hints[hint].settings
        if settings is not None:
            self._story_pages[lesson.page].set(settings, lesson.hints[hint].restart)

    def _show(self, index: int, shown: dict[str, Any] | None = None) -> None:
        self.at = self._last = index
        lesson = self.lessons[index]
        story_page = self._story_pages.get(lesson.page)
        if story_page is None:
            page = self._chrome.build_for_story(lesson.page, lesson.query())
            story_page = self._story_pages[lesson.page] = story_page_for(lesson.page, page)
        self._chrome.show_story(lesson.page, story_page.page)
        self._begin(lesson, shown)
        self.card.show(lesson, index + 1, len(self.lessons), self._chosen.get(index, -1))
        self._chrome.mark_lesson(index + 1)

    def _begin(self, lesson: Lesson, shown: dict[str, Any] | None = None) -> None:
        self.card.measured = []
        self._numbers.clear()
        self._story_pages[lesson.page].open(lesson, self._listen, shown)

    def _listen(self, snapshot: Any) -> None:
        rows, now = self._numbers.rows(snapshot), time.monotonic()
        if now - self._measured_at > MEASURED_EVERY:
            self._measured_at = now
            if rows and rows != self.card.measured:
                self.card.measured = rows


