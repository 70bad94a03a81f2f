"""Cells of a column as Python's own values."""

from typing import Any


def python_cells(column: Any) -> list[Any]:
    """Return the cells of a column.

    Dates and times that Python has none for, of the year 12,000 or of nanoseconds, come as text.

    Parameters
    ----------
    column : PyArrow array, NumPy array or list
        Of the column's cells.
    """
    if not hasattr(column, "to_pylist"):
        return list(column)
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return _as_text(column)


def python_cell(column: Any, at: int) -> Any:
    """Return one cell of a column, as `python_cells` does."""
    return python_cells(column[at:at + 1])[0]


def _as_text(column: Any) -> list[Any]:
    import pyarrow as pa

    try:
        return list(column.cast(pa.string()).to_pylist())
    except pa.ArrowException:  # lists of dates
        return [None if missing else f"<{column.type}>" for missing in column.is_null().to_pylist()]
