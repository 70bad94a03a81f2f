"""`RowNumbers`: offsets that a queue gives its rows; repeated rows are dropped and gaps are reported."""

from typing import Any

import numpy as np

from sampler.streams.chunk import Chunk, python_cells
from sampler.streams.source_error import SourceError


class RowNumbers:
    """Checks the offsets of rows as they come: each is one more than that of the row before it in its partition.

    Parameters
    ----------
    column : str
        Of the numbers.
    partition : str, optional
        Column of the partition, where each has numbers of its own.
    warnings : list of str
        A sentence about each gap is appended.

    Attributes
    ----------
    last : dict of str to int
        Last offset by partition; its key is "" without partitions.
    again : int
        Repeated rows, which were left out.
    """

    def __init__(self, column: str, partition: str | None, warnings: list[str]) -> None:
        self.column, self.partition, self._warnings = column, partition, warnings
        self.last: dict[str, int] = {}
        self.again = self._unread = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns read beside those of the data."""
        return (self.column,) if self.partition is None else (self.column, self.partition)

    @property
    def at(self) -> int | dict[str, int] | None:
        """Last offset, a dict by partition where there are partitions; None before the first row."""
        return (dict(self.last) or None) if self.partition is not None else self.last.get("")

    def go_on_after(self, at: int | dict[str, int]) -> None:
        """Treat rows up to ``at`` as already used."""
        self.last = dict(at) if isinstance(at, dict) else {"": int(at)}

    def new_rows(self, chunk: Chunk) -> Chunk:
        """Return the chunk without repeated rows; report gaps in ``warnings``.

        Raises
        ------
        ValueError
            A number that is no whole number.
        """
        self._unread += len(chunk.skipped)  # their numbers cannot be read: a gap of as many is theirs
        if not chunk.n:
            return chunk
        numbers = python_cells(chunk.columns[self.column])
        partitions = [""] * chunk.n if self.partition is None else python_cells(chunk.columns[self.partition])
        new = np.ones(chunk.n, bool)
        for i, (number, partition) in enumerate(zip(numbers, map(str, partitions), strict=True)):
            number, last = self._whole(number, chunk, i), self.last.get(partition)
            if last is not None and number <= last:
                new[i] = False
                continue
            if last is not None and (gap := number - last - 1):
                explained = min(gap, self._unread)
                self._unread -= explained
                if gap > explained:
                    self._report(gap - explained, last, number, partition)
            self.last[partition] = number
        self.again += int((~new).sum())
        return chunk if new.all() else chunk.only(np.flatnonzero(new))

    def _whole(self, number: Any, chunk: Chunk, row: int) -> int:
        try:
            if int(number) == float(number):
                return int(number)
        except (TypeError, ValueError, OverflowError):
            pass
        raise SourceError("offset_column", f"{self.column!r} must hold whole numbers, {chunk.name(row)} has {number!r}",
                          "choose another column, or leave it out")

    def _report(self, gap: int, last: int, number: int, partition: str) -> None:
        where = f" of {self.partition} {partition}" if self.partition is not None else ""
        rows = "1 row is" if gap == 1 else f"{gap:,} rows are"
        self._warnings.append(f"{rows} missing: after {self.column} {last:,}{where} came {number:,}; give them again from "
                              "there if the queue still has them, in a new run from a checkpoint before")
