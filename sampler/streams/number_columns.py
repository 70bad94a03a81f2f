"""Conversion of a column to numbers, two classes to 0 and 1, with the reason for each cell that is no number."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sampler.streams.chunk import distinct_cells, python_cells

GOOD, MISSING, INFINITE, TEXT = 0, 1, 2, 3
REASONS = {MISSING: "missing or NaN", INFINITE: "infinite", TEXT: "text"}
MISSING_WORDS = ("", "NA", "N/A", "na", "n/a", "NaN", "nan", "NAN", "null", "NULL", "None", "none", "?", "-", "#N/A",
                 "<NA>", ".")
UNKNOWN_WORDS = ("unknown", "unk", "not known", "missing", "uncertain", "undecided", "not sure")
"""Values of a response, in small letters, that are missing where two other values are the classes."""


def as_numbers(column: Any, decimal: str = ".") -> tuple[np.ndarray, np.ndarray]:
    """Numbers and reasons of one column.

    Parameters
    ----------
    column : PyArrow array, NumPy array or list of length n
        Numbers, booleans, text that spells numbers, or None.
    decimal : {".", ","}
        The decimal mark of text.

    Returns
    -------
    values : (n,) float64, NaN where the cell is no number
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
    """The whole column in one cast; None where some cell does not allow it."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column.astype(float), slice(0, 0)
    if not hasattr(column, "type"):
        return None, None
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if types.is_dictionary(column.type):  # each of its different cells once
        values, text = _cast(column.dictionary, decimal)
        at = column.indices.fill_null(len(column.dictionary)).to_numpy(zero_copy_only=False)
        return (None, None) if values is None else (np.append(values, np.nan)[at], text)
    kind = column.type
    text = types.is_string(kind) or types.is_large_string(kind)
    if types.is_null(kind):
        return np.full(len(column), np.nan), slice(0, 0)
    if not (text or any(is_kind(kind) for is_kind in (types.is_boolean, types.is_integer, types.is_floating,
                                                      types.is_decimal))):
        return np.full(len(column), np.nan), slice(None)  # dates, lists: no number at all
    try:
        if text and decimal != ".":
            column = pc.replace_substring(column, decimal, ".")
        if types.is_boolean(kind):
            column = pc.cast(column, pa.int8())
        if types.is_decimal(kind):
            column = pc.cast(column, pa.string())  # text is read as the nearest number; a direct cast is off by a bit
        column = pc.cast(column, pa.float64(), safe=False)
    except pa.ArrowInvalid:
        return None, None
    return column.to_numpy(zero_copy_only=False).astype(float, copy=False), slice(0, 0)


def _parse(cells: list[Any], decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """Cell by cell: numbers, and which cells are text."""
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
                text[i] = "_" in cell  # Python reads 1_000 as a number; a file that holds it means a name
            values[i] = float(cell)
        except (TypeError, ValueError):
            text[i] = True
    values[text] = np.nan
    return values, text


def distinct(columns: Sequence[Any], decimal: str, most: int = 3) -> list[Any]:
    """Up to ``most`` different values of a response that comes in parts, sorted: strings where any holds text.

    Beside two other values one of `UNKNOWN_WORDS` is missing and not returned.
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
    """Sort values; texts whatever their case, so that of "Yes" and "no" the second, which a model takes for 1, is "Yes"."""
    return sorted(values, key=lambda value: (value.casefold(), value) if isinstance(value, str) else value)


def class_labels(column: Any, classes: tuple[Any, ...], decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """A two-valued response as 0 and 1.

    Returns
    -------
    labels : (n,) float64 of 0 and 1, NaN where the cell is neither class
    reasons : (n,) uint8 as in ``as_numbers``; a third value is GOOD with a NaN label, an unknown one MISSING
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
    """A response of any number of values as 1 where it is ``positive`` and 0 where it is another.

    Returns
    -------
    labels, reasons : as of ``class_labels``; no cell that holds something is left out
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
    """Cells of a column as text, and the place of each row's among them, as `distinct_cells`.

    There are no spaces round it, "" stands for a missing cell, and whole numbers have no point.
    """
    cells, at = distinct_cells(column)
    words = ["" if cell is None else str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()
             for cell in cells]
    return ["" if word in MISSING_WORDS else word for word in words], at


def text_share(column: Any, decimal: str) -> float:
    """Share of the cells of a column that are text, in [0, 1]."""
    reasons = as_numbers(column, decimal)[1]
    return float((reasons == TEXT).sum() / max(1, len(reasons)))


def cell_at(column: Any, position: int) -> Any:
    """Return one cell of a column as a Python value."""
    return python_cells(column[position:position + 1])[0]
