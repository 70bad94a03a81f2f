"""Tables as CSV text, for every button that says CSV. Pictures are made by the browser, see `app/js/common/pictures.js`."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sampler.version import MADE_WITH

MAKER = "made_with"
"""Name of the last column of a table of results: the release, in every row, so that any reader of CSV keeps it."""
_FORMULA = ("=", "+", "-", "@", "\t", "\n")
"""What a spreadsheet's formulas begin with."""


def csv_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV text.

    Parameters
    ----------
    columns
        Name of each column.
    rows
        Values of each row, as many as there are columns: numbers, words, booleans. None and nan leave a cell empty.
        A number is written with as many digits as it takes to read the same number again. A word that a spreadsheet would
        take for a formula gets an apostrophe before it.

    Raises
    ------
    ValueError
        If a row has another number of values than there are columns.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_word(name) for name in columns])
    for row in rows:
        writer.writerow([_written(value) for _, value in zip(columns, row, strict=True)])
    return out.getvalue()


def result_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table of results as CSV text: `csv_rows` with the release in a last column, `MAKER`."""
    return csv_rows([*columns, MAKER], ([*row, MADE_WITH] for row in rows))


def result_columns(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns of results of equal length, name -> values, as CSV text; see `result_rows`.

    Raises
    ------
    ValueError
        If the columns differ in length.
    """
    return result_rows(list(columns), zip(*columns.values(), strict=True))


def _written(value: Any) -> str:
    value = value.item() if hasattr(value, "item") else value
    if value is None or isinstance(value, float) and math.isnan(value):
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return _word(str(value))


def _word(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula: names of columns and files are their owner's."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # a lone carriage return would end the row
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
