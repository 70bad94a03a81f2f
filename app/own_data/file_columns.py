"""`FileColumns`: choices for a file's columns; `ColumnControls`: their controls; reader errors as page messages."""

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
"""Remedy of a `SourceError` -> advice on a page."""
NO_CLASSES = "make it two classes in the file"


class FileColumns:
    """First rows of a file and the choices for its columns; empty if the file cannot be read.

    Parameters
    ----------
    source
        As for `DataStream`.
    response
        Response column; None: one named y, label, ..., or the last.
    rows
        Number of rows to read.
    """

    def __init__(self, source: Any, response: str | None = None, rows: int = 6) -> None:
        self._source, self.error = source, ""  #: reader error; empty if none
        self.names, self.rows, self.response = (), (), response or ""
        self.levels: Mapping[str, tuple[str, ...]] = {}  #: levels of text columns; none if too many to encode
        try:
            first = peek(source, rows)
        except ValueError as wrong:
            self.error = page_words(wrong)  # text only: an exception references its frames, and these the open file
            return
        self.names, self.rows, self.levels = first.names, first.rows, first.words
        self.response = response or likely_response(first.names) or first.names[-1]

    @property
    def words(self) -> dict[str, int]:
        """Text column other than the response -> number of levels; 0 if too many to encode as columns of 0 and 1."""
        return {name: len(values) for name, values in self.levels.items() if name != self.response}

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Sorted values of the response that can be encoded as 1 against 0: texts, or three or more numbers.

        Empty if the first rows have more than 20 distinct values or cannot be read.
        """
        try:
            values = self.levels.get(self.response) or levels(self._source, self.response)
        except ValueError:  # reported when the file is read
            return ()
        return tuple(sorted(values, key=_order)) if len(values) > (1 if self.response in self.levels else 2) else ()


def _order(value: str) -> tuple[float, str, str]:
    """Sort key: numbers by value, then text case-insensitively."""
    try:
        return float(value), "", ""
    except ValueError:
        return float("inf"), value.casefold(), value


def page_words(error: ValueError, classes: Sequence[str] = ()) -> str:
    """Return a reader's error as a page message, with the page's remedy and without argument names.

    Parameters
    ----------
    error
        Error of a reader.
    classes
        Values of the response in the page's menu.
    """
    if not isinstance(error, SourceError):
        return str(error)
    return error.words(NO_CLASSES if error.remedy == "classes" and not classes else REMEDIES.get(error.remedy))


def left_out_words(column: str, values: int, action: str) -> str:
    """Return why a text column is left out, and the remedy.

    Parameters
    ----------
    column
        Name of the column.
    values
        Number of distinct texts; 0 if too many to encode.
    action
        Action of the user that encodes it, such as "switch it on".
    """
    return f"column {column!r} left out: text" + (
        f"; {action} and its {values} values become columns of 0 and 1" if values else
        f" of more than {MOST_LEVELS} different values")


def class_options(values: Sequence[str], positive: str | None = None) -> dict[str, str]:
    """Return label -> value for a menu of the class encoded as 1; "" is no choice: the second of two values.

    Parameters
    ----------
    values
        Sorted values of the response.
    positive
        Current choice, if any.
    """
    if len(values) == 2:
        low, high = values
        return {f"{high}, {low} is 0": high if positive == high else "", f"{low}, {high} is 0": low}
    return {"choose …": ""} | {f"{value}, all others 0": value for value in values}


class ColumnControls(param.Parameterized):
    """Choices for a file's columns, with a menu or switches for each, visible if there is a choice.

    Parameters
    ----------
    changed
        Called after a choice by the user.
    label
        Label of the menu of responses.
    """

    response = param.String("", doc="Response column; empty: one named y, label, ..., or the last.")
    positive = param.String("", doc="Value of the response encoded as 1, all others as 0; empty for no choice.")
    encoded = param.List([], doc="Text columns encoded as columns of 0 and 1.")
    responses = param.Dict({}, doc="Label -> column that can be the response.")
    words = param.Dict({}, doc="Text column -> number of distinct texts; 0 if too many to encode.")
    classes = param.List([], doc="Values of the response that can be encoded as 1.")

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
        """Set the choices for a file."""
        self.param.update(responses=dict(responses), words=dict(words), classes=list(classes))

    def begin(self, response: str = "") -> None:
        """Reset the choices for another file."""
        self.param.update(response=response, positive="", encoded=[])

    def _choose_response(self, response: str) -> None:
        self._choose(response=response, positive="", encoded=[name for name in self.encoded if name != response])

    def _encode(self, column: str, on: bool) -> None:
        """Encode a text column as columns of 0 and 1, or leave it out."""
        self._choose(encoded=[name for name in self.words if (on if name == column else name in self.encoded)])

    def _choose(self, **choices: Any) -> None:
        self.param.update(**choices)
        self._changed()


def _rows(words: Mapping[str, int]) -> list[list[str]]:
    many = f"It has more than {MOST_LEVELS} distinct texts: too many for columns of 0 and 1."
    return [[name, f"{name} · {count} values" if count else f"{name} · text", "", "", "" if count else many, "", ""]
            for name, count in words.items()]
