"""Controls of a file's columns in a sidebar: the class that means 1, and the columns of words as columns of 0 and 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn
import param

from app.file_columns import class_options
from app.widgets.controls import Choose, menu
from app.widgets.switch_list import SwitchList
from sampler.streams import MOST_LEVELS


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
