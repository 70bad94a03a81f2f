"""What one lesson is, once its file has been read and found sound."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from app.lessons.page_facts import Place


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
    after: int = 0  #: Live asks at the end of this epoch; 0: once the run has arrived


@dataclass(frozen=True)
class Case:
    """One of several pictures that a lesson shows in turn, with its own question."""

    settings: dict[str, str]  #: beside the lesson's own
    question: Question
    arrive: int  #: the epoch it plays to


@dataclass(frozen=True)
class Hint:
    """Something to try: which knobs, what to do, what to expect."""

    do: str
    expect: str
    places: tuple[Place, ...] = ()  #: ringed while the user tries
    settings: dict[str, str] | None = None  #: what the hint's button sets; None: there is no button
    restart: bool = False  #: whether the button also starts the run again
    arrive: int = 0  #: with `restart`: the epoch up to which the new run plays fast


@dataclass(frozen=True)
class Step:
    """One card of a lesson: what is said, and the places it points at."""

    paragraphs: tuple[str, ...]  #: text with [1], [2] ... where a place is named
    places: tuple[Place, ...]  #: what [1], [2] ... stand for
    heading: str = ""  #: a line above the text
    side: str = "left"  #: where the card lies: over the left or the right column
    settings: dict[str, str] | None = None  #: turned when the step is shown
    seconds: int = 0  #: after so many the next step comes by itself; 0: when it is asked for
    arrive: int = 0  #: Live plays fast up to the end of this epoch when the step is shown; 0: as it goes


@dataclass(frozen=True)
class Lesson:
    """One lesson of the story."""

    file: str  #: name of its file, for messages
    title: str
    page: str  #: key of the page it is told on
    settings: dict[str, str]  #: the page's URL parameters when the lesson opens
    steps: tuple[Step, ...]  #: one or more, in order
    question: Question
    hints: tuple[Hint, ...]
    changes: tuple[Change, ...] = ()  #: in order of their epochs
    try_words: str = ""  #: one sentence above the hints
    minutes: int = 3  #: to read, to watch and to try
    arrive: int = 0  #: Live plays fast up to the end of this epoch, so that the picture shows what the text says
    span: tuple[int, int] | None = None  #: first and last epoch on the charts' time axis; None: all of the run
    try_side: str = "left"  #: where the card lies while the user tries
    cases: tuple[Case, ...] = ()  #: shown in turn, with knobs and verdict covered until the answer; empty: one picture

    @property
    def key(self) -> str:
        """What a link calls it: the file's name without its number, which may change."""
        return re.sub(r"^\d+_", "", self.file.removesuffix(".toml"))

    def with_case(self, number: int) -> Lesson:
        """Return the lesson with the settings and the question of one of its cases."""
        case = self.cases[number]
        return replace(self, settings=self.settings | case.settings, question=case.question, arrive=case.arrive)

    @property
    def asked_at(self) -> int:
        """The epoch from which the question can be answered by looking; 0: at once."""
        return max(self.question.after, self.arrive)

    def tried(self, hint: Hint) -> dict[str, str]:
        """Return what a hint sets, whatever was tried before: the lesson's knobs, its changes and the hint's own."""
        after = self.settings.copy()
        for change in self.changes:
            after |= change.settings
        own = hint.settings or {}
        return own if "preset" in own else after | own
