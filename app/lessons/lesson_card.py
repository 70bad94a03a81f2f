"""`LessonCard`: the card of a lesson over the live page, with rings around its places, and the list of lessons."""

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
"""Selectors covered until the answer, since they reveal it: knobs, text of the verdict (not its meters), step size."""


class LessonCard(LabComponent):
    """Card with one step of a lesson, and the list of all lessons; hidden if no lesson is open.

    Parameters
    ----------
    actions
        A `Story`: handles the controls by `next`, `back`, `put_aside`, `again`, `open_lesson`, `show_step`, `choose` and
        `do`.
    lessons, opening
        Entries of the list.
    """

    lesson = param.Dict({}, doc="Content of the card; empty: hidden.")
    chosen = param.Integer(-1, doc="Index of the chosen option; -1: none yet.")
    measured = param.List([], doc="[label, text] of each measurement of the run.")
    arriving = param.String("", doc="Message while the run plays fast to the first epoch of the lesson.")
    waiting = param.String("", doc="Message in place of the question until the run shows its answer.")
    poll = param.Dict({}, doc="Answers of a class, see `lesson_parts.js`; empty without a class.")
    contents = param.List([], doc="[key, title, minutes, page] of each lesson.")

    opening = param.List([], doc="[key, title, minutes, page] of the opening.")

    def __init__(self, actions: Any, lessons: Sequence[Lesson] = (), opening: Lesson | None = None,
                 **params: object) -> None:
        self._actions = actions
        self.step = 0  #: index of the visible step
        self.reveal: Callable[[], None] | None = None  #: shows the right answer to a class
        self.sealed = False  #: whether the right answer is withheld from the browser until the poll reveals it
        first = [] if opening is None else contents_line(opening)
        super().__init__(margin=0, width=0, height=0, contents=[contents_line(lesson) for lesson in lessons],
                         opening=first, **params)

    def show(self, lesson: Lesson, number: int, last: int, chosen: int, step: int = 0) -> None:
        """Show a lesson; lessons are numbered from 0 to `last`."""
        self.chosen = -1  # before the card changes: an answer belongs to its lesson
        message = lesson_message(lesson, number, last)
        if self.sealed:
            message["options"] = [[option[0], False, ""] for option in message["options"]]
        self.step = step
        self.lesson = message | {"step": step, "answered": chosen >= 0}
        self.chosen = chosen

    def turn(self, step: int) -> None:
        """Show another step of the lesson, selected by the teacher."""
        self.step = step
        if self.lesson:
            self.lesson = self.lesson | {"step": step}

    def hide(self) -> None:
        """Hide the card."""
        self.param.update(lesson={}, measured=[], arriving="", waiting="")

    def open_contents(self) -> None:
        """Show the list of lessons."""
        self.send_msg({"contents": True})

    def on_go(self, where: str) -> None:
        """Handle Next, Back, Again and Close."""
        if where in ("next", "back", "close", "again"):
            getattr(self._actions, "put_aside" if where == "close" else where)()

    def on_open(self, key: str) -> None:
        """Open a lesson chosen from the list."""
        self._actions.open_lesson(key)

    def on_step(self, step: int) -> None:
        """Show a step of the open lesson."""
        self._actions.show_step(int(step))

    def on_choose(self, option: int) -> None:
        """Record the chosen option."""
        self._actions.choose(int(option))

    def on_reveal(self) -> None:
        """Show the right answer to the class."""
        if self.reveal is not None:
            self.reveal()

    def on_do(self, hint: int) -> None:
        """Apply the settings of a hint."""
        self._actions.do(int(hint))


def lesson_message(lesson: Lesson, number: int, last: int) -> dict[str, Any]:
    """Return the content of the card for the browser; lessons are numbered from 0 to `last`, the opening is -1."""
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
    """Return [key, title, minutes, page] of a lesson for the list of lessons."""
    return [lesson.key, text_html(lesson.title), lesson.minutes, PAGE_FACTS[lesson.page].label]


def answers_of(lesson: Lesson) -> list[list[Any]]:
    """Return [text, whether it is right, explanation] of each option, as HTML."""
    return [[text_html(option.text), option.right, text_html(option.why)] for option in lesson.question.options]


def _step_message(step: Step, facts: PageFacts) -> dict[str, Any]:
    """Return the content of one step for the browser."""
    return {"heading": text_html(step.heading), "paragraphs": [text_html(words) for words in step.paragraphs],
            "places": [place.message() for place in step.places], "side": step.side,
            "over": [asdict(spot) for spot in facts.sides[step.side]], "seconds": step.seconds}
