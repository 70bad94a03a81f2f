"""The card of a lesson, the rings round the places it names, and the contents. It lies over the page, which stays live."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import param

from app.glossary import text_html, unmarked
from app.js.component import LabComponent
from app.lessons.page_facts import PAGE_FACTS, setting_words

if TYPE_CHECKING:
    from app.lessons.lesson import Lesson, Step
    from app.lessons.page_facts import PageFacts


COVERED = ("[data-slot=sidebar]", "section[aria-label=Verdict] .verdict", "section[aria-label=Verdict] .spoken",
           ".ro:has([data-ro=size])")
"""What would give the answer away: knobs, the verdict in words and the step size; its meters are signs to read."""


class LessonCard(LabComponent):
    """Shows one lesson, a step at a time, and the list of all; hidden when there is none.

    Parameters
    ----------
    actions
        Answers what is pressed, with `next`, `back`, `put_aside`, `again`, `open_lesson`, `show_step`, `choose` and `do`: a
        `Story`.
    lessons, opening
        What the list shows.
    """

    lesson = param.Dict({}, doc="What is on the card; empty: nothing.")
    chosen = param.Integer(-1, doc="Option chosen; -1: none yet.")
    measured = param.List([], doc="[label, text] of the run beneath.")
    arriving = param.String("", doc="What is said while the run plays fast to where the lesson begins.")
    waiting = param.String("", doc="What stands in the question's place until the run can answer it; empty: it is asked.")
    poll = param.Dict({}, doc="What a class answers: see `poll.js`; empty where there is no class.")
    contents = param.List([], doc="[key, title, minutes, page] of each lesson.")

    opening = param.List([], doc="[key, title, minutes, page] of the opening.")

    def __init__(self, actions: Any, lessons: Sequence[Lesson] = (), opening: Lesson | None = None,
                 **params: object) -> None:
        self._actions = actions
        self.step = 0  #: of the lesson that is shown
        self.reveal: Callable[[], None] | None = None  #: shows a class which answer is right
        self.sealed = False  #: whether the browser is not to know which answer is right: the poll tells it
        first = [] if opening is None else contents_line(opening)
        super().__init__(margin=0, width=0, height=0, contents=[contents_line(lesson) for lesson in lessons],
                         opening=first, **params)

    def show(self, lesson: Lesson, number: int, last: int, chosen: int, step: int = 0) -> None:
        """Put a lesson on the card; lessons are numbered from 0 to `last`."""
        self.chosen = -1  # before the card changes: an answer belongs to the lesson it was given to
        message = lesson_message(lesson, number, last)
        if self.sealed:
            message["options"] = [[option[0], False, ""] for option in message["options"]]
        self.step = step
        self.lesson = message | {"step": step, "answered": chosen >= 0}
        self.chosen = chosen

    def turn(self, step: int) -> None:
        """Show another step of the lesson, which somebody else has turned."""
        self.step = step
        if self.lesson:
            self.lesson = self.lesson | {"step": step}

    def hide(self) -> None:
        """Take the card away."""
        self.param.update(lesson={}, measured=[], arriving="", waiting="")

    def open_contents(self) -> None:
        """Show the list of lessons."""
        self.send_msg({"contents": True})

    def on_go(self, where: str) -> None:
        """Take Next, Back, close and their keys."""
        if where in ("next", "back", "close", "again"):
            getattr(self._actions, "put_aside" if where == "close" else where)()

    def on_open(self, key: str) -> None:
        """Take a line of the contents."""
        self._actions.open_lesson(key)

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


def lesson_message(lesson: Lesson, number: int, last: int) -> dict[str, Any]:
    """Return what the browser needs of a lesson to show it; lessons are numbered from 0 to `last`, the opening is -1."""
    facts = PAGE_FACTS[lesson.page]
    return {
        "key": lesson.key, "number": number, "last": last, "page": lesson.page,
        "title": text_html(lesson.title),
        "plain": unmarked(lesson.title),
        "steps": [_step_message(step, facts) for step in lesson.steps],
        "ask": text_html(lesson.question.ask),
        "options": answers_of(lesson),
        "cases": len(lesson.cases), "covers": list(COVERED) if lesson.cases else [],
        "tryWords": text_html(lesson.try_words), "trySide": lesson.try_side,
        "tryOver": [asdict(spot) for spot in facts.sides[lesson.try_side]],
        "hints": [{"do": text_html(hint.do), "expect": text_html(hint.expect), "button": hint.settings is not None,
                   "sets": setting_words(lesson.page, hint.settings), "restart": hint.restart,
                   "places": [place.message() for place in hint.places]} for hint in lesson.hints],
    }


def contents_line(lesson: Lesson) -> list[Any]:
    """Return [key, title, minutes, page] of a lesson, as the list of lessons has it."""
    return [lesson.key, text_html(lesson.title), lesson.minutes, PAGE_FACTS[lesson.page].label]


def answers_of(lesson: Lesson) -> list[list[Any]]:
    """Return [text, whether it is right, why] of each option, as HTML."""
    return [[text_html(option.text), option.right, text_html(option.why)] for option in lesson.question.options]


def _step_message(step: Step, facts: PageFacts) -> dict[str, Any]:
    """Return what the browser needs of one step."""
    return {"heading": text_html(step.heading), "paragraphs": [text_html(words) for words in step.paragraphs],
            "places": [place.message() for place in step.places], "side": step.side,
            "over": [asdict(spot) for spot in facts.sides[step.side]], "seconds": step.seconds}
