"""`FileColumns`: what may be chosen of a file's columns on every page, the controls of it, and errors in a page's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import panel as pn
import param

from app.widgets.choices import SwitchList
from app.widgets.param_controls import Choose, menu
from sampler.streams import MOST_LEVELS, SourceError, levels, likely_response, peek

REMEDIES = {"classes": "choose which one means 1, against all others", "model": "choose the gradient above",
            "categories": "choose one of a few words as columns of 0 and 1",
            "counts": "choose linear, or Poisson for counts"}
"""Remedy of a `SourceError` -> what a page has for it."""
NO_CLASSES = "make it two classes in the file"


class FileColumns:
    """The first rows of a file and what may be chosen of its columns.

    Parameters
    ----------
    source
        As for `DataStream`.
    response
        Column to explain; None: one called y, label, ..., or the last.
    rows
        Rows looked at.

    Raises
    ------
    ValueError
        Where the file cannot be read.
    """

    def __init__(self, source: Any, response: str | None = None, rows: int = 6) -> None:
        first = peek(source, rows)
        self._source, self.names, self.rows = source, first.names, first.rows
        self.response = response or likely_response(first.names) or first.names[-1]
        self.levels = first.words  #: column of words -> its levels; none where they are too many for columns of 0 and 1

    @property
    def words(self) -> dict[str, int]:
        """Column of words but the response -> number of its levels; 0: too many for columns of 0 and 1."""
        return {name: len(values) for name, values in self.levels.items() if name != self.response}

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Values of the response that may mean 1 where the others mean 0: words, or three or more numbers, in their order.

        There are none where more than 20 values differ in its first rows.
        """
        values = self.levels.get(self.response) or levels(self._source, self.response)
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


def class_menu(positive: param.Parameter, classes: param.Parameter, choose: Choose | None = None, **params: Any) -> Any:
    """Return a menu of the class that means 1, where all others mean 0; shown where there is a choice.

    Parameters
    ----------
    positive
        The class; "" where none is chosen.
    classes
        Values of the response that are offered.
    choose
        Called with what the user chose, instead of setting the parameter.
    """
    return menu(positive, pn.bind(class_options, classes), choose,
                **{"label": "1 means", "visible": pn.bind(bool, classes)} | params)


def word_switches(encoded: param.Parameter, words: param.Parameter, changed: Callable[[str, bool], None],
                  **params: Any) -> SwitchList:
    """Return a list of switches of the columns of words, shown where there are any.

    Parameters
    ----------
    encoded
        Names of those that are columns of 0 and 1.
    words
        Column -> how many different texts it holds; 0: too many for columns of 0 and 1.
    changed
        Called with a column and whether it is on.
    """
    return SwitchList(changed, label="Columns of words, as columns of 0 and 1", active=pn.bind(list, encoded),
                      rows=pn.bind(_rows, words), **{"visible": pn.bind(bool, words)} | params)


def _rows(words: Mapping[str, int]) -> list[list[str]]:
    many = f"It holds more than {MOST_LEVELS} different texts: too many for columns of 0 and 1."
    return [[name, f"{name} · {count} values" if count else f"{name} · text", "", "", "" if count else many, "", ""]
            for name, count in words.items()]
