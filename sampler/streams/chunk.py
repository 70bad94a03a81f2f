"""A chunk, the output of every reader: named columns of some rows and where they came from; cells as Python values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table, not yet numbers.

    Attributes
    ----------
    columns : mapping of str to column
        PyArrow arrays, NumPy arrays or lists, all of length ``n``.
    n : int
        Number of rows.
    first : int
        Number of the first row in its file or iterable, counted from 1, the header not counted.
    place : str
        File the rows are from; empty where there is one place only.
    skipped : tuple of (int, str)
        Rows that could not be split into cells: position among the rows read here (1 is the first), and why.
        They are not in ``columns``.
    keys : (str, sequence of length n), optional
        Name and cells of the column that orders the rows of a database, by which they are named.
    contents : tuple of str
        Of the skipped rows, where they are kept.
    """

    columns: Mapping[str, Any]
    n: int
    first: int
    place: str = ""
    skipped: tuple[tuple[int, str], ...] = ()
    keys: tuple[str, Sequence[Any]] | None = None
    contents: tuple[str, ...] = ()

    @property
    def read(self) -> int:
        """Number of rows read, those that could not be split included."""
        return self.n + len(self.skipped)

    def after(self, read: int) -> "Chunk":
        """Return the chunk without the first ``read`` rows that were read."""
        gone = read - sum(at <= read for at, _ in self.skipped)
        return Chunk({name: column[gone:] for name, column in self.columns.items()}, self.n - gone, self.first + read,
                     self.place, tuple((at - read, why) for at, why in self.skipped if at > read))

    def only(self, rows: np.ndarray) -> "Chunk":
        """Return the chunk with the ``rows`` at these positions alone; row names are wrong afterwards."""
        return replace(self, n=len(rows), columns={
            name: [column[int(row)] for row in rows] if isinstance(column, list) else column.take(rows)
            for name, column in self.columns.items()})

    def name(self, position: int) -> str:
        """Return the user's name of the row at ``position`` (from 0) of the columns."""
        if self.keys is not None:
            return f"the row with {self.keys[0]} = {self.keys[1][position]!r}"
        number = self.first + position
        for at, _ in self.skipped:  # rows left out before it count as rows of the file
            if self.first + at - 1 <= number:
                number += 1
        return self._name_of(number)

    def skipped_names(self) -> list[tuple[str, str]]:
        """``(row name, reason)`` of each row that could not be split."""
        return [(self._name_of(self.first + at - 1), why) for at, why in self.skipped]

    def _name_of(self, number: int) -> str:
        return f"row {number:,} of {self.place}" if self.place else f"row {number:,}"


def python_cells(column: Any) -> list[Any]:
    """Return the cells of a PyArrow array, NumPy array or list as Python values.

    Dates and times that Python has no value for, of the year 12,000 or of nanoseconds, come as text.
    """
    if not hasattr(column, "to_pylist"):
        return list(column)
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        import pyarrow as pa

        try:
            return list(column.cast(pa.string()).to_pylist())
        except pa.ArrowException:  # lists of dates
            return [None if missing else f"<{column.type}>" for missing in column.is_null().to_pylist()]


def distinct_cells(column: Any) -> tuple[list[Any], np.ndarray]:
    """Different cells of a column of length n, and the place of each row's cell among them, (n,) int.

    Of a column that is no PyArrow array all cells are returned, equal ones too.
    """
    if hasattr(column, "dictionary_encode"):
        import pyarrow as pa

        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        try:
            encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        except pa.ArrowNotImplementedError:  # lists
            encoded = None
        if encoded is not None:
            cells = [*python_cells(encoded.dictionary), None]
            return cells, encoded.indices.fill_null(len(cells) - 1).to_numpy(zero_copy_only=False)
    cells = python_cells(column)
    return cells, np.arange(len(cells))
