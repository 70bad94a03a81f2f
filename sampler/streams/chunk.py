"""`Chunk`: the output of every reader; `RowNumbers`: the check of row offsets; `Rebatch`: batches of a requested size."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.streams.source_error import SourceError


@dataclass(frozen=True)
class Chunk:
    """Consecutive rows of a table before conversion to numbers.

    Attributes
    ----------
    columns : mapping of str to column
        PyArrow arrays, NumPy arrays or lists, all of length ``n``.
    n : int
        Number of rows.
    first : int
        Number of the first row in its file or iterable, counted from 1 without the header.
    place : str
        Source file of the rows; empty if the source is a single file or iterable.
    skipped : tuple of (int, str, str)
        Rows that could not be split into cells, which are not in ``columns``: position among the rows read (from 1),
        reason, and content if it was kept.
    keys : (str, sequence of length n), optional
        Name and cells of the column that orders the rows of a database and identifies them in messages.
    """

    columns: Mapping[str, Any]
    n: int
    first: int
    place: str = ""
    skipped: tuple[tuple[int, str, str], ...] = ()
    keys: tuple[str, Sequence[Any]] | None = None

    @property
    def read(self) -> int:
        """Number of rows read, including those that could not be split."""
        return self.n + len(self.skipped)

    def after(self, read: int) -> "Chunk":
        """Return the chunk without its first ``read`` rows, skipped rows included."""
        gone = read - sum(at <= read for at, *_ in self.skipped)
        return Chunk({name: column[gone:] for name, column in self.columns.items()}, self.n - gone, self.first + read,
                     self.place, tuple((at - read, why, held) for at, why, held in self.skipped if at > read))

    def only(self, rows: np.ndarray) -> "Chunk":
        """Return the chunk restricted to the positions ``rows``; `name` is invalid for the result."""
        return replace(self, n=len(rows), columns={
            name: [column[int(row)] for row in rows] if isinstance(column, list) else column.take(rows)
            for name, column in self.columns.items()})

    def name(self, position: int) -> str:
        """Return the name of the row at ``position`` (from 0) of the columns, for messages."""
        if self.keys is not None:
            return f"the row with {self.keys[0]} = {self.keys[1][position]!r}"
        number = self.first + position
        for at, *_ in self.skipped:  # rows skipped before it count as rows of the file
            if self.first + at - 1 <= number:
                number += 1
        return self._name_of(number)

    def skipped_names(self) -> list[tuple[str, str, str]]:
        """Return ``(row name, reason, content)`` of each row that could not be split."""
        return [(self._name_of(self.first + at - 1), why, held) for at, why, held in self.skipped]

    def _name_of(self, number: int) -> str:
        return f"row {number:,} of {self.place}" if self.place else f"row {number:,}"


def python_cells(column: Any) -> list[Any]:
    """Return the cells of a PyArrow array, NumPy array or list as Python values.

    Dates and times outside the range or resolution of Python (the year 12,000, nanoseconds) are returned as text.
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
    """Return the distinct cells of a column of length n, and the index of each row's cell among them, (n,) int.

    For a column that is not a PyArrow array, return all cells, including duplicates.
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


class Rebatch:
    """Buffer that regroups a stream of ``(features, labels)`` batches into batches of any length, in order.

    Attributes
    ----------
    held : int
        Rows read from the source and not yet taken.
    """

    def __init__(self, batches: Iterable[Any]) -> None:
        if not isinstance(batches, Iterable) or isinstance(batches, str | bytes | np.ndarray):
            raise ValueError(f"batches must give pairs (features, labels), got {shown(batches)}; pass a DataStream")
        self._batches = iter(batches)
        self._parts: list[Any] = []  # pairs, not yet concatenated
        self.held = 0

    @property
    def rest(self) -> Any:
        """Features and labels of the rows held; (None, None) before the first batch."""
        if len(self._parts) > 1:
            features, labels = zip(*self._parts, strict=True)
            self._parts = [(np.concatenate(features), None if labels[0] is None else np.concatenate(labels))]
        return self._parts[0] if self._parts else (None, None)

    def put_back(self, features: np.ndarray, labels: np.ndarray | None) -> None:
        """Prepend rows, to be taken next."""
        self._parts.insert(0, (features, labels))
        self.held += len(features)

    def add(self, batch: Any) -> None:
        """Append the rows of one more batch."""
        check_pair(batch)
        self._parts.append(batch)
        self.held += len(batch[0])

    def take(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """Return the next ``n`` rows; fewer at the end of the stream, None after it."""
        while self.held < n:
            batch = next(self._batches, None)
            if batch is None:
                break
            self.add(batch)
        return self.cut(n)

    def cut(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """Return up to ``n`` of the rows held, from the first; None if no row is held."""
        if not self.held:
            return None
        features, labels = self.rest
        self._parts = [(features[n:], None if labels is None else labels[n:])]
        self.held -= len(features[:n])
        return features[:n], None if labels is None else labels[:n]


def check_pair(batch: Any) -> None:
    """Raise a ValueError if a batch is not a pair ``(features, labels)``."""
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise ValueError(f"batches must give pairs (features, labels), got {shown(batch)}; pass a DataStream")


class RowNumbers:
    """Check of consecutive row offsets: within a partition, each offset is one more than the previous one.

    Parameters
    ----------
    column : str
        Column of the offsets.
    partition : str, optional
        Column of the partition, if each partition has separate offsets.
    warnings : list of str
        Receives one sentence per gap.

    Attributes
    ----------
    last : dict of str to int
        Last offset by partition; the key is "" without partitions.
    again : int
        Number of repeated rows, which were dropped.
    """

    def __init__(self, column: str, partition: str | None, warnings: list[str]) -> None:
        self.column, self.partition, self._warnings = column, partition, warnings
        self.last: dict[str, int] = {}
        self.again = self._unread = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns read in addition to those of the data."""
        return (self.column,) if self.partition is None else (self.column, self.partition)

    @property
    def at(self) -> int | dict[str, int] | None:
        """Last offset, as a dict by partition if there are partitions; None before the first row."""
        return (dict(self.last) or None) if self.partition is not None else self.last.get("")

    def go_on_after(self, at: int | dict[str, int]) -> None:
        """Mark the rows up to the offset ``at`` as already used."""
        self.last = dict(at) if isinstance(at, dict) else {"": int(at)}

    def new_rows(self, chunk: Chunk) -> Chunk:
        """Return the chunk without repeated rows; report gaps in ``warnings``.

        Raises
        ------
        ValueError
            If an offset is not a whole number.
        """
        self._unread += len(chunk.skipped)  # their offsets are unreadable and explain a gap of that size
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
        self._warnings.append(f"{rows} missing: after {self.column} {last:,}{where} came {number:,}; if the queue still has "
                              "them, replay it from there in a new run from an earlier checkpoint")
