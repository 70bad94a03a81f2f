"""Preview of a source: its first rows as text, before any column is chosen."""

from dataclasses import dataclass
from typing import Any

from sampler.arguments import whole_number
from sampler.streams.category_columns import LEVELS_IN, MOST_LEVELS, levels_of
from sampler.streams.number_column import TEXT, as_numbers
from sampler.streams.python_cells import python_cells
from sampler.streams.sources import open_source

CLASSES_IN = 20_000
"""Rows, from the first, whose values are classes."""


@dataclass(frozen=True)
class Peek:
    """The beginning of a source."""

    names: tuple[str, ...]  #: of all columns
    rows: tuple[tuple[str, ...], ...]  #: the first ones with their cells as text; "" where there is none
    words: dict[str, tuple[str, ...]]  #: columns that hold words -> their levels, where these are few enough for a category


def peek(source: Any, rows: int = 6, separator: str | None = None, header: bool | None = None,
         encoding: str | None = None) -> Peek:
    """Look at the first rows of a path or an upload, arguments as for ``DataStream``.

    Parameters
    ----------
    source
        As for `DataStream`.
    rows : int >= 1
        Rows looked at.
    separator, header, encoding
        As for `DataStream`; None finds each.
    """
    rows = whole_number("rows", rows, 1)
    reader = open_source(source, separator, header, encoding=encoding)
    decimal = getattr(reader, "decimal", ".")
    found: list[tuple[str, ...]] = []
    words: dict[str, tuple[str, ...]] = {}
    for chunk in reader.chunks(reader.names):
        columns = [python_cells(chunk.columns[name][:rows - len(found)]) for name in reader.names]
        found += [tuple(map(_text, row)) for row in zip(*columns, strict=True)]
        words = words or {name: _levels(column) for name, column in chunk.columns.items() if _is_text(column, decimal)}
        if len(found) >= rows:
            break
    return Peek(reader.names, tuple(found), words)


def levels(source: Any, column: str, **options: Any) -> tuple[str, ...]:
    """Values of a column in the first rows as text, the most frequent first; none where it is no category.

    Up to 20,000 rows are looked at: a file may be sorted by its classes.

    Parameters
    ----------
    source
        As for `DataStream`.
    column : str
        One of the source's columns.

    Raises
    ------
    ValueError
        For a column that the source has not.
    """
    reader = open_source(source, **options)
    if column not in reader.names:
        raise ValueError(f"column must be one of {', '.join(map(str, reader.names[:20]))}, got {column!r}; choose one of "
                         "them")
    first = next(iter(reader.chunks((column,))), None)
    return () if first is None else _levels(first.columns[column], CLASSES_IN)


def _levels(column: Any, rows: int = LEVELS_IN) -> tuple[str, ...]:
    found = levels_of([column], rows)
    return found if 2 <= len(found) <= MOST_LEVELS else ()


def _is_text(column: Any, decimal: str) -> bool:
    reasons = as_numbers(column, decimal)[1]
    return (reasons == TEXT).sum() > 0.5 * max(1, len(reasons))


def _text(cell: Any) -> str:
    return "" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)
