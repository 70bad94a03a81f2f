"""Preview of a source: its first rows as text, before any column is chosen."""

from dataclasses import dataclass
from typing import Any

from sampler.arguments import whole_number
from sampler.streams.category_columns import LEVELS_IN, MOST_LEVELS, levels_of
from sampler.streams.chunk import python_cells
from sampler.streams.column_values import text_share
from sampler.streams.source_error import SourceError
from sampler.streams.sources import open_source

LONGEST = 1_000
"""Characters of a cell that are shown."""
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
        As for `DataStream`; None detects each.
    """
    rows = whole_number("rows", rows, 1)
    reader = open_source(source, separator, header, encoding=encoding)
    decimal = getattr(reader, "decimal", ".")
    first: list[tuple[str, ...]] = []
    words: dict[str, tuple[str, ...]] = {}
    for chunk in reader.chunks(reader.names):
        columns = [python_cells(chunk.columns[name][:rows - len(first)]) for name in reader.names]
        first += [tuple(map(_text, row)) for row in zip(*columns, strict=True)]
        words = words or {name: _levels(column) for name, column in chunk.columns.items()
                          if text_share(column, decimal) > 0.5}
        if len(first) >= rows:
            break
    return Peek(reader.names, tuple(first), words)


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
    SourceError
        For a column that the source has not.
    """
    reader = open_source(source, **options)
    if column not in reader.names:
        raise SourceError("", f"column must be one of {', '.join(map(str, reader.names[:20]))}, got {column!r}",
                          "choose one of them")
    first = next(iter(reader.chunks((column,))), None)
    return () if first is None else _levels(first.columns[column], CLASSES_IN)


def _levels(column: Any, rows: int = LEVELS_IN) -> tuple[str, ...]:
    values = levels_of([column], rows)
    return values if 2 <= len(values) <= MOST_LEVELS else ()


def _text(cell: Any) -> str:
    return "" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)[:LONGEST]
