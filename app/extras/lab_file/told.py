"""Which lessons, and which of their hints, the lab file has all for: what Live has left for another page it has not."""

from __future__ import annotations

from app.lessons.lesson import Hint, Lesson
from app.state.exit_time import ExitState


def told_here(lesson: Lesson) -> bool:
    """Return whether the file tells a lesson: on Live, or on Exit time where no step shows what Live has left for it."""
    return lesson.page == "live" or not any(place.name == "good" for place in lesson.places)


def is_done_here(lesson: Lesson, hint: Hint) -> bool:
    """Return whether a hint's button does something in the file: what Live has left is computed on a served lab."""
    return hint.settings is not None and (
        lesson.page == "live" or not ExitState.from_query(lesson.tried(hint))[0].needs_live)
