"""What one lesson is, once its file has been read and found sound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.lessons.places import Place


@dataclass(frozen=True)
class Change:
    """A change the lesson makes by itself when the run reaches an epoch."""

    epoch: int  #: the end of this epoch, 1 or more
    settings: dict[str, str]  #: URL key of the page -> value


@dataclass(frozen=True)
class Option:
    """One answer to the question."""

    text: str
    why: str  #: why it is right or wrong, with the measured number
    right: bool = False


@dataclass(frozen=True)
class Question:
    """One question with two to four answers, exactly one of them right."""

    ask: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Hint:
    """Something to try: which knobs, what to do, what to expect."""

    do: str
    expect: str
    places: tuple[Place, ...] = ()  #: ringed while the user tries
    settings: dict[str, str] | None = None  #: what the hint's button sets; None: there is no button
    restart: bool = False  #: whether the button also starts the run again


@dataclass(frozen=True)
class Lesson:
    """One lesson of the story."""

    file: str  #: name of its file, for messages
    title: str
    page: str  #: key of the page it is told on
    settings: dict[str, str]  #: the page's URL parameters when the lesson opens
    paragraphs: tuple[str, ...]  #: text with [1], [2] ... where a place is named
    places: tuple[Place, ...]  #: what [1], [2] ... stand for
    question: Question
    hints: tuple[Hint, ...]
    changes: tuple[Change, ...] = ()  #: in order of their epochs
    side: str = "left"  #: where the card lies: over the left or the right column
    try_words: str = ""  #: one sentence above the hints

    def query(self) -> dict[str, Any]:
        """Return the URL parameters that open the lesson's page."""
        return dict(self.settings)
