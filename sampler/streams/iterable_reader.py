"""Any Python iterable as chunks: rows, batches, tables; a message queue's consumer is one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.streams.chunk import Chunk


class IterableReader:
    """Chunks of an iterable, one an item, so that a row is used as soon as it has come.

    An item is one of: a mapping of names to cells (one row) or to columns; a pair ``(features, label)`` with
    shapes (d,) and () or (n, d) and (n,); a sequence of cells (one row); a PyArrow RecordBatch or Table; a
    data frame. Rows of pairs and sequences get the names ``c1, c2, ...``, the label last.
    """

    place = ""

    def __init__(self, items: Iterable[Any]) -> None:
        if isinstance(items, np.ndarray) and not items.ndim:
            raise ValueError(f"source must be an iterable of rows, got {shown(items)}; a list of them is one")
        self._items = iter(items)
        item = next(self._items, None)
        if item is None:
            raise ValueError("source: the iterable gave no row; an iterator can be used once only")
        self._first: Any = _columns(item)
        self.names = tuple(self._first)

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns of each item."""
        first, columns = 1, self._first
        self._first = None
        while columns is not None:
            missing = [name for name in names if name not in columns]
            if missing:
                raise ValueError(f"source: row {first:,} has no {missing[0]!r}; it has {', '.join(columns)}; give "
                                 "every row the same names, None where a value is missing")
            chosen = {name: columns[name] for name in names}
            n = len(next(iter(chosen.values())))
            yield Chunk(chosen, n, first)
            first += n
            item = next(self._items, None)
            columns = None if item is None else _columns(item)


def _columns(item: Any) -> Mapping[str, Any]:
    """Columns by name of one item."""
    if isinstance(item, Mapping):
        columns = {str(name): cells if _is_column(cells) else [cells] for name, cells in item.items()}
        if len({len(cells) for cells in columns.values()}) > 1:
            raise ValueError("source: the columns of an item must have the same length, got "
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
            raise ValueError(f"source: a pair must be (features, label) of shapes (d,), () or (n, d), (n,), got "
                             f"{features.shape} and {np.shape(item[1])}")
        return {f"c{i + 1}": column for i, column in enumerate((*rows.T, labels))}
    if isinstance(item, (str, bytes)) or not hasattr(item, "__len__") or len(item) == 0:
        raise ValueError(f"source: an item must be a row or a batch, got {type(item).__name__}; parse it first, e.g. "
                         "(json.loads(message.value) for message in consumer)")
    return {f"c{i + 1}": [cell] for i, cell in enumerate(item)}


def _is_column(cells: Any) -> bool:
    return not isinstance(cells, (str, bytes)) and hasattr(cells, "__len__")
