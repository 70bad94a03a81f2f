"""`IterableReader`: any Python iterable of rows, batches or tables, such as a message queue's consumer, as chunks."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.streams.chunk import Chunk
from sampler.streams.row_cleaning import BadRows
from sampler.streams.source_error import SourceError


class IterableReader:
    """Reader of an iterable, one chunk per item, so that a row is used as soon as it arrives.

    An item is one of: a mapping of names to cells (one row) or to columns; a pair ``(features, label)`` with
    shapes (d,) and () or (n, d) and (n,); a sequence of cells (one row); a PyArrow RecordBatch or Table; a
    data frame. Columns of pairs and sequences are named ``c1, c2, ...``, the label last. None, for no data yet, yields a
    chunk without rows.

    Parameters
    ----------
    items : iterable
    parse : callable, optional
        Converts each value of the iterable, such as a queue message, to an item.
    bad_rows : BadRows, optional
        Policy if ``parse`` fails or does not return an item.
    """

    def __init__(self, items: Iterable[Any], parse: Callable[[Any], Any] | None = None,
                 bad_rows: BadRows | None = None) -> None:
        if isinstance(items, np.ndarray) and not items.ndim:
            raise SourceError("", f"source must be an iterable of rows, got {shown(items)}", "pass a list of rows")
        self._items, self._parse, self._bad, self._read = iter(items), parse, bad_rows or BadRows(), 0
        self._first: list[Any] = []  # up to the first row
        for columns in self._each():
            self._first += [] if columns == () else [columns]
            if isinstance(columns, Mapping):
                break
        else:
            raise SourceError("source", "the iterable yielded no row; an iterator can be used only once")
        self.names = tuple(columns)

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """Yield the named columns, one chunk per item."""
        first, before, self._first = 1, self._first, []
        for columns in itertools.chain(before, self._each()):
            if isinstance(columns, Mapping) and (missing := [name for name in names if name not in columns]):
                columns = self._skipped(columns, SourceError(
                    "source", f"row {first:,} has no {missing[0]!r}; it has {', '.join(columns)}; use the same names in "
                    "every row, None for a missing value"), f"it has no {missing[0]!r}")
            if isinstance(columns, Mapping):
                chosen = {name: columns[name] for name in names}
                chunk = Chunk(chosen, len(next(iter(chosen.values()))), first)
            else:
                chunk = Chunk({name: [] for name in names}, 0, first, skipped=columns)
            yield chunk
            first += chunk.read

    def _each(self) -> Iterator[Any]:
        """Yield the columns of each item; for a bad item the ``skipped`` entry of its chunk, for None an empty tuple."""
        for item in self._items:
            if item is None:
                yield ()
                continue
            self._read += 1
            try:
                columns: Any = _columns(item if self._parse is None else self._parse(item))
                if not self._bad.stops and (missing := [name for name in self._bad.columns if name not in columns]):
                    columns = ((1, f"it has no {missing[0]!r}", repr(item)),)
            except Exception as error:
                error.add_note(f"it is row {self._read:,} of the source; on_bad_row='skip' leaves such rows out")
                columns = self._skipped(item, error, " ".join(f"{type(error).__name__}: {error}".split()))
            yield columns

    def _skipped(self, item: Any, error: Exception, why: str) -> tuple[tuple[int, str, str], ...]:
        """Return the ``skipped`` entry of a bad item; raise ``error`` if bad rows stop the stream."""
        if self._bad.stops:
            raise error
        return ((1, why, repr(item)),)


def _columns(item: Any) -> Mapping[str, Any]:
    """Return the columns of one item by name."""
    if isinstance(item, Mapping):
        columns = {str(name): cells if hasattr(cells, "__len__") and not isinstance(cells, str | bytes) else [cells]
                   for name, cells in item.items()}
        if len({len(cells) for cells in columns.values()}) > 1:
            raise SourceError("source", "the columns of an item must have the same length, got "
                             + ", ".join(f"{name}: {len(cells)}" for name, cells in columns.items()))
        return columns
    if hasattr(item, "column_names") or hasattr(item, "schema"):  # PyArrow
        return {name: item.column(i) for i, name in enumerate(item.schema.names)}
    if hasattr(item, "columns") and hasattr(item, "to_numpy"):  # a data frame
        return {str(name): item[name].to_numpy() for name in item.columns}
    if isinstance(item, tuple) and len(item) == 2 and np.ndim(item[0]) in (1, 2):
        features, labels = np.asarray(item[0]), np.atleast_1d(np.asarray(item[1]))
        rows = features if features.ndim == 2 else features[None, :]
        if np.ndim(item[1]) > 1 or len(rows) != len(labels):
            raise SourceError("source", f"a pair must be (features, label) of shapes (d,), () or (n, d), (n,), got "
                             f"{features.shape} and {np.shape(item[1])}")
        return {f"c{i + 1}": column for i, column in enumerate((*rows.T, labels))}
    if isinstance(item, (str, bytes)) or not hasattr(item, "__len__") or len(item) == 0:
        raise SourceError("source", f"an item must be a row or a batch, got {type(item).__name__}; parse it first, e.g. "
                         "(json.loads(message.value) for message in consumer)")
    return {f"c{i + 1}": [cell] for i, cell in enumerate(item)}
