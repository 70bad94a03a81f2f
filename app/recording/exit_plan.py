"""`ExitPlan`: what a recording of a lesson on the Exit time page shows: its chains through one epoch, and its text."""

from __future__ import annotations

from dataclasses import dataclass

from app.exit_time.presets import from_query
from app.glossary import text_html, unmarked
from app.lessons.lesson import Lesson
from app.state.exit_time import ExitConfig


@dataclass(frozen=True)
class ExitPlan:
    """One epoch of the Exit time page, played once for each step of the lesson."""

    lesson: Lesson
    number: int  #: as the story counts
    config: ExitConfig
    source: str = ""  #: the link or the lesson, as it was given

    @classmethod
    def of(cls, lesson: Lesson, number: int) -> ExitPlan:
        """Return the plan of a lesson.

        Raises
        ------
        ValueError
            When a step of it turns knobs: the epoch is played with one setting.
        """
        if any(step.settings for step in lesson.steps):
            raise ValueError(f"lesson {lesson.key}, “{lesson.title}”, turns knobs between its steps, which a recording of"
                             " one epoch cannot show. Say it in [settings], or make it two lessons.")
        return cls(lesson, number, from_query(lesson.query())[0], f"lesson {lesson.key}")

    @property
    def title(self) -> str:
        """Title of the page."""
        return unmarked(self.lesson.title, raised=True)

    @property
    def title_html(self) -> str:
        """The same with its formulas set."""
        return text_html(self.lesson.title)
