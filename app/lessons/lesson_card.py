"""The card of a lesson, and the rings round the places it names. It lies over the page, which stays live."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Protocol

import param

from app.lessons.page_facts import facts_of
from app.widgets.component import LabComponent

if TYPE_CHECKING:
    from app.lessons.lesson import Lesson


class LessonActions(Protocol):
    """What the card asks of the story."""

    def next(self) -> None: ...  # noqa: D102
    def back(self) -> None: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102
    def again(self) -> None: ...  # noqa: D102
    def choose(self, option: int) -> None: ...  # noqa: D102
    def do(self, hint: int) -> None: ...  # noqa: D102


class LessonCard(LabComponent):
    """Shows one lesson; hidden when there is none."""

    _source = "lesson_card"

    lesson = param.Dict({}, doc="What is on the card; empty: nothing.")
    chosen = param.Integer(-1, doc="Option chosen; -1: none yet.")
    measured = param.List([], doc="[label, text] of the run beneath.")

    def __init__(self, actions: LessonActions, **params: object) -> None:
        self._actions = actions
        super().__init__(margin=0, width=0, height=0, **params)

    def show(self, lesson: Lesson, number: int, total: int, chosen: int) -> None:
        """Put a lesson on the card."""
        place = facts_of(lesson.page)
        self.param.update(chosen=chosen, lesson={
            "number": number, "total": total, "title": lesson.title, "paragraphs": list(lesson.paragraphs),
            "places": [place.message() for place in lesson.places],
            "ask": lesson.question.ask,
            "options": [[option.text, option.right, option.why] for option in lesson.question.options],
            "tryWords": lesson.try_words,
            "hints": [{"do": hint.do, "expect": hint.expect, "button": hint.settings is not None,
                       "restart": hint.restart, "places": [place.message() for place in hint.places]}
                      for hint in lesson.hints],
            "over": [asdict(spot) for spot in place.sides[lesson.side]] if place else [],
        })

    def hide(self) -> None:
        """Take the card away."""
        self.param.update(lesson={}, measured=[])

    def on_go(self, where: str) -> None:
        """Take Next, Back, close and their keys."""
        handlers = {"next": self._actions.next, "back": self._actions.back, "close": self._actions.close,
                 "again": self._actions.again}
        if where in handlers:
            handlers[where]()

    def on_choose(self, option: int) -> None:
        """Take an answer."""
        self._actions.choose(int(option))

    def on_do(self, hint: int) -> None:
        """Take the button of a hint."""
        self._actions.do(int(hint))
