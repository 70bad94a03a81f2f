"""`Member`: what a visit is to a class. This one is nothing to it; teacher, student and visitor are in their files."""

from __future__ import annotations

from typing import Any, Protocol

from app.lessons.story import Chrome, Story


class ClassChrome(Chrome, Protocol):
    """What a member needs of the frame round the pages."""

    def visit(self, key: str, query: dict[str, Any]) -> None:
        """Bring a page to the front, showing what URL parameters describe."""


class Member:
    """A visit outside any class.

    Parameters
    ----------
    words
        Sentences to show on arrival.
    """

    panel: Any = None  #: its part of the header

    def __init__(self, words: tuple[str, ...] = ()) -> None:
        self.words = words

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return the URL parameters to open with."""
        return query

    def story(self, chrome: ClassChrome, keys: list[str]) -> Story:
        """Return the story of this visit."""
        return Story(chrome, keys)

    def begin(self, dark: bool) -> bool:
        """Show the room; False where the visit has pages of its own to show first."""
        return False

    def front(self, page: Any, label: str) -> None:
        """Take notice of the page that has come to the front."""

    def lesson(self, told: str | None) -> None:
        """Take notice of the lesson that has been opened; None: closed."""
