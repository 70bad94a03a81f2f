"""A chunk, the output of every reader: named columns of some rows, and the place the rows came from."""

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
        Name and cells of the column that orders the rows of a database, by which they are found.
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
        """Return the chunk with some of its ``rows`` alone, by position; the others are not named right any more."""
        return replace(self, n=len(rows), columns={
            name: [column[int(row)] for row in rows] if isinstance(column, list) else column.take(rows)
            for name, column in self.columns.items()})

    def name(self, position: int) -> str:
        """Name of the row at ``position`` (from 0) of the columns, as the user finds it."""
        if self.keys is not None:
            return f"the row with {self.keys[0]} = {self.keys[1][position]!r}"
        number = self.first + position
        for at, _ in self.skipped:  # rows left out before it count as rows of the file
            if self.first + at - 1 <= number:
                number += 1
        return self._named(number)

    def skipped_names(self) -> list[tuple[str, str]]:
        """``(row name, reason)`` of each row that could not be split."""
        return [(self._named(self.first + at - 1), why) for at, why in self.skipped]

    def _named(self, number: int) -> str:
        return f"row {number:,} of {self.place}" if self.place else f"row {number:,}"
