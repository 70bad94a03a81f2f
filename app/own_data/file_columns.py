"""`FileColumns`: what may be chosen of a file's columns on every page, the controls of it, and errors in a page's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import panel as pn
import param

from app.widgets.choices import SwitchList
from app.widgets.param_controls import menu
from sampler.streams import MOST_LEVELS, SourceError, levels, likely_response, peek

REMEDIES = {"classes": "choose which one means 1, against all others", "model": "choose the gradient above",
            "categories": "choose one of a few words as columns of 0 and 1",
            "counts": "choose linear, or Poisson for counts"}
"""Remedy of a `SourceError` -> what a page has for it."""
NO_CLASSES = "make it two classes in the file"


class FileColumns:
    """The first rows of a file and what may be chosen of its columns: nothing of one that cannot be read.

    Parameters
    ----------
    source
        As for `DataStream`.
    response
        Column to explain; None: one called y, label, ..., or the last.
    rows
        Rows looked at.
    """

    def __init__(self, source: Any, response: str | None = None, rows: int = 6) -> None:
        self._source, self.error = source, ""  #: why it cannot be read
        self.names, self.rows, self.response = (), (), response or ""
        self.levels: Mapping[str, tuple[str, ...]] = {}  #: of columns of words; none: too many for columns of 0 and 1
        try:
            first = peek(source, rows)
        except ValueError as wrong:
            self.error = page_words(wrong)  # words alone: an exception holds the frames it passed, and they the open file
            return
        self.names, self.rows, self.levels = first.names, first.rows, first.words
        self.response = response or likely_response(first.names) or first.names[-1]

    @property
    def words(self) -> dict[str, int]:
        """Column of words but the response -> number of its levels; 0: too many for columns of 0 and 1."""
        return {name: len(values) for name, values in self.levels.items() if name != self.response}

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Values of the response that may mean 1 where the others mean 0: words, or three or more numbers, in their order.

        There are none where more than 20 values differ in its first rows, or these cannot be read.
        """
        try:
            values = self.levels.get(self.response) or levels(self._source, self.response)
        except ValueError:  # said when the file is read
            return ()
        return tuple(sorted(values, key=_order)) if len(values) > (1 if self.response in self.levels else 2) else ()


def _order(value: str) -> tuple[float, str, str]:
    """Numbers by their size, then words whatever their case."""
    try:
        return float(value), "", ""
    except ValueError:
        return float("inf"), value.casefold(), value


def page_words(error: ValueError, classes: Sequence[str] = ()) -> str:
    """Return an error of a reader for somebody who has a page before the eyes: what the page offers, no argument's name.

    Parameters
    ----------
    error
        A refusal of a reader.
    classes
        Values of the response that the page offers.
    """
    if not isinstance(error, SourceError):
        return str(error)
    return error.words(NO_CLASSES if error.remedy == "classes" and not classes else REMEDIES.get(error.remedy))


def left_out_words(column: str, values: int, action: str) -> str:
    """Return why a column of words is left out, and what to do.

    Parameters
    ----------
    column
        Its name.
    values
        Different texts in it; 0: too many for columns of 0 and 1.
    action
        What the user does to have it, such as "switch it on".
    """
    return f"column {column!r} left out: text" + (
        f"; {action} and its {values} values become columns of 0 and 1" if values else
        f" of more than {MOST_LEVELS} different values")


def class_options(values: Sequence[str], positive: str | None = None) -> dict[str, str]:
    """Return words -> value of a menu of the class that means 1; "" is no choice: of two values the second.

    Parameters
    ----------
    values
        Of the response, in their order.
    positive
        The value chosen at present, if any.
    """
    if len(values) == 2:
        low, high = values
        return {f"{high}, {low} is 0": high if positive == high else "", f"{low}, {high} is 0": low}
    return {"choose …": ""} | {f"{value}, all others 0": value for value in values}


class ColumnControls(param.Parameterized):
    """What is chosen of a file's columns, with a menu or switches for each choice, shown where there is one.

    Parameters
    ----------
    changed
        Called when the user has chosen.
    label
        Of the menu of responses.
    """

    response = param.String("", doc="Column to explain; empty: one called y, label, ..., or the last.")
    positive = param.String("", doc="Value of the response that means 1, where all others mean 0; empty: none is chosen.")
    encoded = param.List([], doc="Columns of words that are columns of 0 and 1.")
    responses = param.Dict({}, doc="Words -> column that may be the response.")
    words = param.Dict({}, doc="Column of words -> how many different texts it holds; 0: too many for columns of 0 and 1.")
    classes = param.List([], doc="Values of the response of which one may mean 1.")

    def __init__(self, changed: Callable[[], None], label: str) -> None:
        super().__init__()
        self._changed, offered = changed, self.param
        self.response_menu = menu(offered.response, offered.responses, self._choose_response, label=label,
                                  visible=pn.bind(lambda responses: len(responses) > 1, offered.responses))
        self.class_menu = menu(offered.positive, pn.bind(class_options, offered.classes),
                               lambda positive: self._choose(positive=positive), label="1 means",
                               visible=pn.bind(bool, offered.classes))
        self.word_switches = SwitchList(
            self._encode, label="Columns of words, as columns of 0 and 1", active=pn.bind(list, offered.encoded),
            rows=pn.bind(_rows, offered.words), visible=pn.bind(bool, offered.words))
        self.items = [self.response_menu, self.class_menu, self.word_switches]

    def offer(self, responses: Mapping[str, str], words: Mapping[str, int], classes: Sequence[str]) -> None:
        """Offer what may be chosen of a file."""
        self.param.update(responses=dict(responses), words=dict(words), classes=list(classes))

    def begin(self, response: str = "") -> None:
        """Forget what was chosen of another file."""
        self.param.update(response=response, positive="", encoded=[])

    def _choose_response(self, response: str) -> None:
        self._choose(response=response, positive="", encoded=[name for name in self.encoded if name != response])

    def _encode(self, column: str, on: bool) -> None:
        """Take a column of words as columns of 0 and 1, or leave it out."""
        self._choose(encoded=[name for name in self.words if (on if name == column else name in self.encoded)])

    def _choose(self, **choices: Any) -> None:
        self.param.update(**choices)
        self._changed()


def _rows(words: Mapping[str, int]) -> list[list[str]]:
    many = f"It holds more than {MOST_LEVELS} different texts: too many for columns of 0 and 1."
    return [[name, f"{name} · {count} values" if count else f"{name} · text", "", "", "" if count else many, "", ""]
            for name, count in words.items()]
