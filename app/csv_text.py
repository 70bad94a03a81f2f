"""Tables as CSV text, for the CSV buttons. Pictures are made by the browser, see `app/js/common/pictures.js`."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sampler.version import MADE_WITH

MAKER = "made_with"
"""Name of the last column of a table of results: the release, repeated in every row."""
_FORMULA = ("=", "+", "-", "@", "\t", "\n")
"""First characters of a spreadsheet formula."""


def csv_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV text.

    Parameters
    ----------
    columns
        Names of the columns.
    rows
        Values of each row, one per column: numbers, text, booleans. None and nan leave a cell empty. Numbers are written
        with as many digits as are needed to read the same number back. Text that a spreadsheet would read as a formula gets
        an apostrophe before it.

    Raises
    ------
    ValueError
        If the number of values in a row differs from the number of columns.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_word(name) for name in columns])
    for row in rows:
        writer.writerow([_written(value) for _, value in zip(columns, row, strict=True)])
    return out.getvalue()


def result_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table of results as CSV text: `csv_rows` with the release as last column, `MAKER`."""
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
    """Return text as a cell that no spreadsheet reads as a formula: column and file names are user input."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # a single carriage return would end the row
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
