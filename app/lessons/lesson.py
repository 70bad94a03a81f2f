"""`Lesson` and its parts: the validated content of a lesson file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from app.lessons.page_facts import Place


@dataclass(frozen=True)
class Change:
    """Automatic change of settings at the end of an epoch."""

    epoch: int  #: 1 or more; the change happens at its end
    settings: dict[str, str]  #: URL key of the page -> value


@dataclass(frozen=True)
class Option:
    """Answer option of a question."""

    text: str
    why: str  #: explanation of why it is right or wrong, with the measured number
    right: bool = False


@dataclass(frozen=True)
class Question:
    """Question with two to four options, exactly one of them right."""

    ask: str
    options: tuple[Option, ...]
    after: int = 0  #: epoch at whose end Live asks; 0: at the lesson's `arrive`


@dataclass(frozen=True)
class Case:
    """One of several settings that a lesson shows in turn, with its own question."""

    settings: dict[str, str]  #: in addition to the lesson's
    question: Question
    arrive: int  #: epoch up to which it plays fast


@dataclass(frozen=True)
class Hint:
    """Suggested experiment: what to do and what to expect."""

    do: str
    expect: str
    places: tuple[Place, ...] = ()  #: highlighted during the experiment
    settings: dict[str, str] | None = None  #: settings applied by the hint's button; None: no button
    restart: bool = False  #: whether the button also restarts the run
    arrive: int = 0  #: with `restart`: epoch up to which the new run plays fast


@dataclass(frozen=True)
class Step:
    """One card of a lesson: its text and the places that it points at."""

    paragraphs: tuple[str, ...]  #: text with [1], [2] ... at references to places
    places: tuple[Place, ...]  #: targets of [1], [2] ...
    heading: str = ""  #: a line above the text
    side: str = "left"  #: column that the card covers, left or right
    settings: dict[str, str] | None = None  #: applied when the step is shown
    seconds: int = 0  #: until the next step is shown automatically; 0: never
    arrive: int = 0  #: Live plays fast up to the end of this epoch when the step is shown; 0: no change


@dataclass(frozen=True)
class Lesson:
    """One lesson of the story."""

    file: str  #: file name, for messages
    title: str
    page: str  #: key of its page
    settings: dict[str, str]  #: URL parameters of the page when the lesson opens
    steps: tuple[Step, ...]  #: one or more, in order
    question: Question
    hints: tuple[Hint, ...]
    changes: tuple[Change, ...] = ()  #: sorted by epoch
    try_words: str = ""  #: sentence above the hints
    minutes: int = 3  #: duration, including the experiments
    arrive: int = 0  #: Live plays fast up to the end of this epoch, so that the picture matches the text
    span: tuple[int, int] | None = None  #: first and last epoch on the charts' time axis; None: the whole run
    try_side: str = "left"  #: column that the card covers during the experiments
    cases: tuple[Case, ...] = ()  #: shown in turn, knobs and verdict covered until the answer; may be empty

    @property
    def key(self) -> str:
        """Key of the lesson in links: the file name without its number, which may change."""
        return re.sub(r"^\d+_", "", self.file.removesuffix(".toml"))

    def with_case(self, number: int) -> Lesson:
        """Return a copy with the settings, the question and `arrive` of a case."""
        case = self.cases[number]
        return replace(self, settings=self.settings | case.settings, question=case.question, arrive=case.arrive)

    @property
    def asked_at(self) -> int:
        """Epoch from which the run shows the answer to the question; 0: at once."""
        return max(self.question.after, self.arrive)

    def hint_settings(self, hint: Hint) -> dict[str, str]:
        """Return the settings of the lesson after all its changes, updated with the hint's; independent of earlier hints."""
        after = self.settings.copy()
        for change in self.changes:
            after |= change.settings
        own = hint.settings or {}
        return own if "preset" in own else after | own
