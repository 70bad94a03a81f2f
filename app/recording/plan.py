"""`Plan`: what a recording shows: a run from its start, the changes on the way, how fast it plays, a lesson's text."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from app.glossary import text_html, unmarked
from app.lessons.lesson import Lesson
from app.live.timeline import Change
from app.recording.pace import Pace
from app.state.algorithm_menu import ALGORITHMS
from app.state.live import LiveConfig
from app.state.own_data_defaults import OWN
from app.state.problem_menu import STREAMS, choice_of

FEWEST, MOST = 1, 20_000
"""Epochs a recording may have."""


@dataclass(frozen=True)
class Plan:
    """A run of Live to be recorded from its first datum."""

    config: LiveConfig  #: what it begins with
    epochs: int  #: it ends at the end of this one
    pace: Pace
    changes: tuple[Change, ...] = ()  #: in order of their places
    lesson: Lesson | None = None
    number: int | None = None  #: of the lesson, as the story counts
    source: str = ""  #: the link or the lesson, as it was given
    words: tuple[str, ...] = ()  #: what was wrong with the link, and what was taken instead
    names: bool = True  #: whether the names of the user's own data and columns go into the file

    def __post_init__(self) -> None:
        if isinstance(self.epochs, bool) or not isinstance(self.epochs, int) or not FEWEST <= self.epochs <= MOST:
            raise ValueError(f"epochs must be a whole number from {FEWEST} to {MOST:,}; got {self.epochs!r}. Live's first"
                             " 300 show the most.")

    @property
    def own(self) -> bool:
        """Whether the run is on the user's own data."""
        return self.config.problem == OWN

    @property
    def target(self) -> str:
        """What is sampled, in words."""
        choice = choice_of(self.config.problem, self.config.given)
        return choice.label if self.names or not self.own else f"Own data, d = {choice.dim}"

    @property
    def title(self) -> str:
        """Title of the page."""
        return unmarked(self.lesson.title, raised=True) if self.lesson else self.target

    @property
    def title_html(self) -> str:
        """The same with its formulas set; a user's words are escaped."""
        return text_html(self.lesson.title) if self.lesson else escape(self.target)

    @property
    def about(self) -> str:
        """One line: algorithm, stream, chains, seed."""
        config = self.config
        stream = STREAMS[config.stream].label.lower() if config.stream in STREAMS else "in the order given"
        target = f"{self.target}, " if self.lesson else ""
        chains = f"{config.chains} chain{'s' if config.chains > 1 else ''}"
        return f"{target}{ALGORITHMS[config.algorithm].label}, stream {stream}, {chains}, seed {config.seed}"
