"""Conversion of a column to float64, with the reason for every cell that is no number."""

from typing import Any

import numpy as np

from sampler.streams.python_cells import python_cells

GOOD, MISSING, INFINITE, TEXT = 0, 1, 2, 3
REASONS = {MISSING: "missing or NaN", INFINITE: "infinite", TEXT: "text"}
MISSING_WORDS = ("", "NA", "N/A", "na", "n/a", "NaN", "nan", "NAN", "null", "NULL", "None", "none", "?", "-", "#N/A",
                 "<NA>", ".")


def as_numbers(column: Any, decimal: str = ".") -> tuple[np.ndarray, np.ndarray]:
    """Numbers and reasons of one column.

    Parameters
    ----------
    column : PyArrow array, NumPy array or list of length n
        Numbers, booleans, text that spells numbers, or nothing (None).
    decimal : {".", ","}
        The decimal mark of text.

    Returns
    -------
    values : (n,) float64, NaN where the cell is no number
    reasons : (n,) uint8, one of GOOD, MISSING, INFINITE, TEXT
    """
    values, text = _fast(column, decimal)
    if values is None:
        values, text = _each(python_cells(column), decimal)
    reasons = np.where(np.isnan(values), MISSING, np.where(np.isinf(values), INFINITE, GOOD)).astype(np.uint8)
    reasons[text] = TEXT
    return values, reasons


def _fast(column: Any, decimal: str) -> Any:
    """The whole column in one cast; None where some cell does not allow it."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column.astype(float), slice(0, 0)
    if not hasattr(column, "type"):
        return None, None
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan), slice(0, 0)
    if not (pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
            or pa.types.is_decimal(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return np.full(len(column), np.nan), slice(None)  # dates, lists: no number at all
    try:
        if (pa.types.is_string(kind) or pa.types.is_large_string(kind)) and decimal != ".":
            column = pc.replace_substring(column, decimal, ".")
        if pa.types.is_boolean(kind):
            column = pc.cast(column, pa.int8())
        if pa.types.is_decimal(kind):
            column = pc.cast(column, pa.string())  # read from text a number is the nearest; cast directly it is off by a bit
        column = pc.cast(column, pa.float64(), safe=False)
    except pa.ArrowInvalid:
        return None, None
    return column.to_numpy(zero_copy_only=False).astype(float, copy=False), slice(0, 0)


def _each(cells: list[Any], decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """Cell by cell, for columns that hold something else than numbers."""
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
