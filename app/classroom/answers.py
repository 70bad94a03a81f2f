"""`Answers`: what the room has answered to each question, and whether the teacher has said which answer is right."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.lessons.lesson import Lesson


def question_key(lesson: Lesson, case: int) -> str:
    """Return what the question of a lesson, or of one of its cases, is called here."""
    return f"{lesson.key} {case}" if lesson.cases else lesson.key


class Answers:
    """One option a seat and question; the last one counts. May be called from any thread."""

    def __init__(self) -> None:
        self._chosen: dict[str, dict[str, int]] = {}
        self._revealed: set[str] = set()
        self._lock = threading.Lock()

    def choose(self, question: str, seat: str, option: int, options: int) -> bool:
        """Take an answer, or another in its place; False, and nothing changes, for an option there is not."""
        if not 0 <= option < options:
            return False
        with self._lock:
            self._chosen.setdefault(question, {})[seat] = option
            return True

    def of(self, question: str, seat: str) -> int:
        """Return what this seat has answered; -1: nothing."""
        with self._lock:
            return self._chosen.get(question, {}).get(seat, -1)

    def counts(self, question: str, options: int) -> list[int]:
        """Return how many seats have chosen each option."""
        with self._lock:
            chosen = list(self._chosen.get(question, {}).values())
        return [chosen.count(option) for option in range(options)]

    def reveal(self, question: str) -> None:
        """Show the room which answer is right."""
        with self._lock:
            self._revealed.add(question)

    def revealed(self, question: str) -> bool:
        """Whether the room has been shown which answer is right."""
        with self._lock:
            return question in self._revealed
