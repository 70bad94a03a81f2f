"""Conversion of columns to numbers and of classes to 0 and 1, with a reason code for each cell that is not a number."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sampler.streams.chunk import distinct_cells, python_cells

GOOD, MISSING, INFINITE, TEXT = 0, 1, 2, 3
REASONS = {MISSING: "missing or NaN", INFINITE: "infinite", TEXT: "text"}
MISSING_WORDS = ("", "NA", "N/A", "na", "n/a", "NaN", "nan", "NAN", "null", "NULL", "None", "none", "?", "-", "#N/A",
                 "<NA>", ".")
UNKNOWN_WORDS = ("unknown", "unk", "not known", "missing", "uncertain", "undecided", "not sure")
"""Lower-case response values treated as missing if two other values are the classes."""


def as_numbers(column: Any, decimal: str = ".") -> tuple[np.ndarray, np.ndarray]:
    """Convert a column to numbers, with a reason code per cell.

    Parameters
    ----------
    column : PyArrow array, NumPy array or list of length n
        Numbers, booleans, numeric text, or None.
    decimal : {".", ","}
        Decimal mark of text.

    Returns
    -------
    values : (n,) float64, NaN where the cell is not a number
    reasons : (n,) uint8, one of GOOD, MISSING, INFINITE, TEXT
    """
    values, text = _cast(column, decimal)
    if values is None:
        cells, at = distinct_cells(column)
        values, text = (part[at] for part in _parse(cells, decimal))
    reasons = np.where(np.isnan(values), MISSING, np.where(np.isinf(values), INFINITE, GOOD)).astype(np.uint8)
    reasons[text] = TEXT
    return values, reasons


def _cast(column: Any, decimal: str) -> Any:
    """Convert the whole column in one cast; return None if a cell does not allow it."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column.astype(float), slice(0, 0)
    if not hasattr(column, "type"):
        return None, None
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if types.is_dictionary(column.type):  # each distinct cell once
        values, text = _cast(column.dictionary, decimal)
        at = column.indices.fill_null(len(column.dictionary)).to_numpy(zero_copy_only=False)
        return (None, None) if values is None else (np.append(values, np.nan)[at], text)
    kind = column.type
    text = types.is_string(kind) or types.is_large_string(kind)
    if types.is_null(kind):
        return np.full(len(column), np.nan), slice(0, 0)
    if not (text or any(is_kind(kind) for is_kind in (types.is_boolean, types.is_integer, types.is_floating,
                                                      types.is_decimal))):
        return np.full(len(column), np.nan), slice(None)  # dates and lists contain no numbers
    try:
        if text and decimal != ".":
            column = pc.replace_substring(column, decimal, ".")
        if types.is_boolean(kind):
            column = pc.cast(column, pa.int8())
        if types.is_decimal(kind):
            column = pc.cast(column, pa.string())  # text rounds to the nearest float; a direct cast may be off by one bit
        column = pc.cast(column, pa.float64(), safe=False)
    except pa.ArrowInvalid:
        return None, None
    return column.to_numpy(zero_copy_only=False).astype(float, copy=False), slice(0, 0)


def _parse(cells: list[Any], decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """Convert cell by cell; return the numbers and a mask of text cells."""
    values, text = np.full(len(cells), np.nan), np.zeros(len(cells), bool)
    for i, cell in enumerate(cells):
        if cell is None:
            continue
        try:
            if isinstance(cell, str):
                cell = cell.strip()
                if cell in MISSING_WORDS:
                    continue
                cell = cell.replace(decimal, ".") if decimal != "." else cell
                text[i] = "_" in cell  # Python parses 1_000 as a number; in a file it is a name
            values[i] = float(cell)
        except (TypeError, ValueError):
            text[i] = True
    values[text] = np.nan
    return values, text


def distinct(columns: Sequence[Any], decimal: str, most: int = 3) -> list[Any]:
    """Return up to ``most`` distinct values of a response supplied in parts, sorted; strings if any cell is text.

    If exactly two other values occur, `UNKNOWN_WORDS` count as missing and are not returned.
    """
    parts = [(column, *as_numbers(column, decimal)) for column in columns]
    values: set[Any] = set()
    if any((reasons == TEXT).any() for _, _, reasons in parts):
        for column, _, reasons in parts:
            cells, at = distinct_cells(column)
            used = np.unique(at[(reasons == TEXT) | (reasons == GOOD)])
            values |= {str(cells[place]).strip() for place in used}
        certain = {value for value in values if value.lower() not in UNKNOWN_WORDS}
        values = certain if len(certain) == 2 else values
    else:
        values = {value for _, numbers, reasons in parts for value in np.unique(numbers[reasons == GOOD]).tolist()}
    return in_order(values)[:most]


def in_order(values: Iterable[Any]) -> list[Any]:
    """Sort values, text case-insensitively, so that "Yes" follows "no" and becomes class 1."""
    return sorted(values, key=lambda value: (value.casefold(), value) if isinstance(value, str) else value)


def class_labels(column: Any, classes: tuple[Any, ...], decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """Encode a two-valued response as 0 and 1.

    Returns
    -------
    labels : (n,) float64 of 0 and 1, NaN where the cell is neither class
    reasons : (n,) uint8 as in ``as_numbers``; GOOD with a NaN label for a third value, MISSING for `UNKNOWN_WORDS`
    """
    if not isinstance(classes[0], str):
        values, reasons = as_numbers(column, decimal)
        return np.where(values == classes[1], 1.0, np.where(values == classes[0], 0.0, np.nan)), reasons
    cells, at = distinct_cells(column)
    values, text = _parse(cells, decimal)
    names = ["" if cell is None else str(cell).strip() for cell in cells]
    labels = np.array([{classes[0]: 0.0, classes[1]: 1.0}.get(name, np.nan) for name in names])
    reasons = np.where(np.isnan(values) & ~text, MISSING, np.where(np.isinf(values), INFINITE, GOOD)).astype(np.uint8)
    reasons[[name.lower() in UNKNOWN_WORDS for name in names]] = MISSING
    reasons[~np.isnan(labels)] = GOOD
    return labels[at], reasons[at]


def one_against_others(column: Any, positive: str | float, decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """Encode a response as 1 where it equals ``positive`` and 0 elsewhere.

    Returns
    -------
    labels, reasons : as in ``class_labels``; text cells are GOOD
    """
    values, reasons = as_numbers(column, decimal)
    words, at = distinct_words(column)
    try:
        number = float(str(positive).replace(decimal, "."))
    except ValueError:
        number = np.nan
    labels = (np.array([word == str(positive).strip() for word in words], bool)[at] | (values == number)).astype(float)
    return labels, np.where(reasons == TEXT, GOOD, reasons).astype(np.uint8)


def distinct_words(column: Any) -> tuple[list[str], np.ndarray]:
    """Return the cells of a column as text, and the index of each row's cell among them, as in `distinct_cells`.

    Text is stripped, "" denotes a missing cell, and whole numbers have no decimal point.
    """
    cells, at = distinct_cells(column)
    words = ["" if cell is None else str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()
             for cell in cells]
    return ["" if word in MISSING_WORDS else word for word in words], at


def text_share(column: Any, decimal: str) -> float:
    """Return the share of text cells in a column, in [0, 1]."""
    reasons = as_numbers(column, decimal)[1]
    return float((reasons == TEXT).sum() / max(1, len(reasons)))


def cell_at(column: Any, position: int) -> Any:
    """Return one cell of a column as a Python value."""
    return python_cells(column[position:position + 1])[0]
