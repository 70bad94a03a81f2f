"""What every page offers of a file's columns: one class of the response against the others, columns of words as 0 and 1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sampler.streams import MOST_LEVELS, Peek, levels

_HERE = (
    (r"(or )?(to have one of a few words encoded as columns of 0 and 1 )?pass categories=.* \(--categories in a command\)"
     r"( to encode it as columns of 0 and 1)?", r"\1choose one of a few words as columns of 0 and 1"),
    (r" \(categories\)", ""),
)
_ARGUMENT = r"^(source|path|features|categories|response|label): "
_ONE_CLASS = r"pass positive=.*? (\(--positive in a command\) )?to have that one against all others"


def class_values(source: Any, found: Peek, response: str) -> tuple[str, ...]:
    """Return values of a response that may mean 1 where the others mean 0: words, or three or more numbers, in their order.

    There are none where more than 20 values differ in its first rows.

    Parameters
    ----------
    source
        As for `DataStream`.
    found
        Beginning of the source.
    response
        One of its columns.
    """
    words = response in found.words
    values = found.words.get(response) or levels(source, response)
    return tuple(sorted(values, key=_order)) if len(values) > (1 if words else 2) else ()


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


def page_words(said: str, classes: Sequence[str] = ()) -> str:
    """Return words of the library, which name its arguments, for somebody who has a page before the eyes.

    Parameters
    ----------
    said
        A refusal of a reader.
    classes
        Values of the response that the page offers.
    """
    said = re.sub(_ARGUMENT, "", said)
    for words, here in _HERE:
        said = re.sub(words, here, said)
    return re.sub(_ONE_CLASS, "choose which one means 1, against all others" if classes else
                  "make it two classes in the file", said)


def left_out_words(column: str, values: int, deed: str) -> str:
    """Return why a column of words is left out, and what to do.

    Parameters
    ----------
    column
        Its name.
    values
        Different texts in it; 0: too many for columns of 0 and 1.
    deed
        What the user does to have it, such as "switch it on".
    """
    return f"column {column!r} left out: text" + (
        f"; {deed} and its {values} values become columns of 0 and 1" if values else
        f" of more than {MOST_LEVELS} different values")


def _order(value: str) -> tuple[float, str, str]:
    """Numbers by their size, then words whatever their case."""
    try:
        return float(value), "", ""
    except ValueError:
        return float("inf"), value.casefold(), value
