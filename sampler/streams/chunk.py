"""Rows on their way: a chunk, the output of every reader; the numbers of its rows; batches of as many rows as asked for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.streams.source_error import SourceError


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
    skipped : tuple of (int, str, str)
        Rows that could not be split into cells: position among the rows read here (1 is the first), why, and what they
        hold, where that is kept. They are not in ``columns``.
    keys : (str, sequence of length n), optional
        Name and cells of the column that orders the rows of a database, by which they are named.
    """

    columns: Mapping[str, Any]
    n: int
    first: int
    place: str = ""
    skipped: tuple[tuple[int, str, str], ...] = ()
    keys: tuple[str, Sequence[Any]] | None = None

    @property
    def read(self) -> int:
        """Number of rows read, those that could not be split included."""
        return self.n + len(self.skipped)

    def after(self, read: int) -> "Chunk":
        """Return the chunk without the first ``read`` rows that were read."""
        gone = read - sum(at <= read for at, *_ in self.skipped)
        return Chunk({name: column[gone:] for name, column in self.columns.items()}, self.n - gone, self.first + read,
                     self.place, tuple((at - read, why, held) for at, why, held in self.skipped if at > read))

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
        for at, *_ in self.skipped:  # rows left out before it count as rows of the file
            if self.first + at - 1 <= number:
                number += 1
        return self._name_of(number)

    def skipped_names(self) -> list[tuple[str, str, str]]:
        """``(row name, reason, what it holds)`` of each row that could not be split."""
        return [(self._name_of(self.first + at - 1), why, held) for at, why, held in self.skipped]

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


class Rebatch:
    """Rows of a stream of ``(features, labels)`` in pieces of any length, in order.

    Attributes
    ----------
    held : int
        Rows read from the source and not yet taken.
    """

    def __init__(self, batches: Iterable[Any]) -> None:
        if not isinstance(batches, Iterable) or isinstance(batches, str | bytes | np.ndarray):
            raise ValueError(f"batches must give pairs (features, labels), got {shown(batches)}; a DataStream does")
        self._batches = iter(batches)
        self._parts: list[Any] = []  # pairs, not yet joined
        self.held = 0

    @property
    def rest(self) -> Any:
        """Features and labels that are held; (None, None) before the first."""
        if len(self._parts) > 1:
            features, labels = zip(*self._parts, strict=True)
            self._parts = [(np.concatenate(features), None if labels[0] is None else np.concatenate(labels))]
        return self._parts[0] if self._parts else (None, None)

    def put_back(self, features: np.ndarray, labels: np.ndarray | None) -> None:
        """Put rows back in front: they are taken next."""
        self._parts.insert(0, (features, labels))
        self.held += len(features)

    def add(self, batch: Any) -> None:
        """Append the rows of one more batch."""
        refuse_no_pair(batch)
        self._parts.append(batch)
        self.held += len(batch[0])

    def take(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """The next ``n`` rows, fewer at the end of the stream, None after it."""
        while self.held < n:
            batch = next(self._batches, None)
            if batch is None:
                break
            self.add(batch)
        return self.cut(n)

    def cut(self, n: int) -> tuple[np.ndarray, np.ndarray | None] | None:
        """The first ``n`` of the rows that are held, fewer if there are not as many; None if there is none."""
        if not self.held:
            return None
        features, labels = self.rest
        self._parts = [(features[n:], None if labels is None else labels[n:])]
        self.held -= len(features[:n])
        return features[:n], None if labels is None else labels[:n]


def refuse_no_pair(batch: Any) -> None:
    """A ValueError for what is no ``(features, labels)``."""
    if not isinstance(batch, tuple | list) or len(batch) != 2:
        raise ValueError(f"batches must give pairs (features, labels), got {shown(batch)}; a DataStream does")


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
