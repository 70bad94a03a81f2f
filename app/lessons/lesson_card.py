"""The card of a lesson, the rings round the places it names, and the contents. It lies over the page, which stays live."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

import param

from app.glossary import text_html, unmarked
from app.lessons.page_facts import facts_of
from app.lessons.setting_words import setting_words
from app.widgets.component import LabComponent

if TYPE_CHECKING:
    from app.lessons.lesson import Lesson, Step
    from app.lessons.page_facts import PageFacts


COVERED = ("[data-slot=sidebar]", "section[aria-label=Verdict] .verdict", "section[aria-label=Verdict] .spoken",
           ".ro:has([data-ro=size])")
"""What would give the answer away: knobs, the verdict in words and the step size; its meters are signs to read."""


class LessonActions(Protocol):
    """What the card asks of the story."""

    def next(self) -> None: ...  # noqa: D102
    def back(self) -> None: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102
    def again(self) -> None: ...  # noqa: D102
    def open_lesson(self, key: str) -> None: ...  # noqa: D102
    def show_step(self, step: int) -> None: ...  # noqa: D102
    def choose(self, option: int) -> None: ...  # noqa: D102
    def do(self, hint: int) -> None: ...  # noqa: D102


class LessonCard(LabComponent):
    """Shows one lesson, a step at a time, and the list of all; hidden when there is none."""

    _source = "lesson_card"
    _scripts = ("place_finder.js", "ring.js", "room.js", "cover.js", "progress.js", "contents.js", "lesson_text.js",
                "poll.js")

    lesson = param.Dict({}, doc="What is on the card; empty: nothing.")
    step = param.Integer(0, doc="Step of the lesson that is shown.")
    chosen = param.Integer(-1, doc="Option chosen; -1: none yet.")
    measured = param.List([], doc="[label, text] of the run beneath.")
    arriving = param.String("", doc="What is said while the run plays fast to where the lesson begins.")
    waiting = param.String("", doc="What stands in the question's place until the run can answer it; empty: it is asked.")
    poll = param.Dict({}, doc="What a class answers: see `poll.js`; empty where there is no class.")
    contents = param.List([], doc="[key, title, minutes, page] of each lesson.")

    opening = param.List([], doc="[key, title, minutes, page] of the opening.")

    def __init__(self, actions: LessonActions, lessons: Sequence[Lesson] = (), opening: Lesson | None = None,
                 **params: object) -> None:
        self._actions = actions
        self.reveal: Callable[[], None] | None = None  #: shows a class which answer is right
        self.sealed = False  #: whether the browser is not to know which answer is right: the poll tells it
        contents = [[lesson.key, text_html(lesson.title), lesson.minutes, facts_of(lesson.page).label] for lesson in lessons]
        first = [opening.key, text_html(opening.title), 0, facts_of(opening.page).label] if opening is not None else []
        super().__init__(margin=0, width=0, height=0, contents=contents, opening=first, **params)

    def show(self, lesson: Lesson, number: int, last: int, chosen: int, step: int = 0) -> None:
        """Put a lesson on the card; lessons are numbered from 0 to `last`."""
        facts = facts_of(lesson.page)
        self.param.update(chosen=chosen, step=step, lesson={
            "key": lesson.key, "step": step, "number": number, "last": last, "page": lesson.page,
            "title": text_html(lesson.title),
            "plain": unmarked(lesson.title),
            "steps": [_step_message(step, facts) for step in lesson.steps],
            "ask": text_html(lesson.question.ask),
            "options": [[option[0], False, ""] if self.sealed else option for option in answers_of(lesson)],
            "cases": len(lesson.cases), "covers": list(COVERED) if lesson.cases else [],
            "tryWords": text_html(lesson.try_words), "trySide": lesson.try_side, "tryOver": _over(lesson.try_side, facts),
            "hints": [{"do": text_html(hint.do), "expect": text_html(hint.expect), "button": hint.settings is not None,
                       "sets": setting_words(lesson.page, hint.settings), "restart": hint.restart,
                       "places": [place.message() for place in hint.places]} for hint in lesson.hints],
        })

    def hide(self) -> None:
        """Take the card away."""
        self.param.update(lesson={}, measured=[], arriving="", waiting="")

    def open_contents(self) -> None:
        """Show the list of lessons."""
        self._send_msg({"contents": True})

    def on_go(self, where: str) -> None:
        """Take Next, Back, close and their keys."""
        handlers = {"next": self._actions.next, "back": self._actions.back, "close": self._actions.close,
                    "again": self._actions.again}
        if where in handlers:
            handlers[where]()

    def on_open(self, key: str) -> None:
        """Take a line of the contents."""
        self._actions.open_lesson(str(key))

    def on_step(self, step: int) -> None:
        """Take a step within the lesson."""
        self._actions.show_step(int(step))

    def on_choose(self, option: int) -> None:
        """Take an answer."""
        self._actions.choose(int(option))

    def on_reveal(self) -> None:
        """Show the class which answer is right."""
        if self.reveal is not None:
            self.reveal()

    def on_do(self, hint: int) -> None:
        """Take the button of a hint."""
        self._actions.do(int(hint))


def answers_of(lesson: Lesson) -> list[list[Any]]:
    """Return [text, whether it is right, why] of each option, as HTML."""
    return [[text_html(option.text), option.right, text_html(option.why)] for option in lesson.question.options]


def _step_message(step: Step, facts: PageFacts) -> dict[str, Any]:
    """Return what the browser needs of one step."""
    return {"heading": text_html(step.heading), "paragraphs": [text_html(words) for words in step.paragraphs],
            "places": [place.message() for place in step.places], "side": step.side,
            "over": _over(step.side, facts), "seconds": step.seconds}


def _over(side: str, facts: PageFacts) -> list[dict[str, Any]]:
    """Return the column that the card lies over."""
    return [asdict(spot) for spot in facts.sides[side]]
