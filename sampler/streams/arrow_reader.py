"""Arrow record batches as chunks of named columns: an IPC file or stream, a reader in memory, a Flight stream."""

import os
from collections.abc import Iterator
from typing import Any

from sampler.streams.chunk import Chunk
from sampler.streams.damaged_file import damage_in_words, refuse_twice, whole_batches

ARROW = (".arrow", ".arrows", ".ipc", ".feather")
MAGIC = b"ARROW1"
ROWS = 16_384


class ArrowReader:
    """Chunks of record batches; memory of one batch.

    Parameters
    ----------
    source : path, or an object that gives batches
        A file in Arrow's IPC format, file or stream; a PyArrow RecordBatchReader or Table or anything else with
        ``__arrow_c_stream__`` (a Polars frame); a Flight reader (with ``read_chunk``).
    """

    rows = None

    def __init__(self, source: Any) -> None:
        path = isinstance(source, str | os.PathLike)
        self.place = os.path.basename(os.fspath(source)) if path else ""
        self._read = 0
        with damage_in_words(self.place, "is no whole Arrow file or stream",
                             "one that is still being written has no end yet: wait, or copy it again"):
            schema, batches = _open_path(source) if path else _open_object(source)
            self.names: tuple[str, ...] = tuple(schema.names)
        self._batches = whole_batches(batches, self.place)
        refuse_twice(self.names)
        self._first = self._next()
        if self._first is None:
            raise ValueError(f"source: {self.place or 'the stream'!r} holds no rows; wait for data, or check the source")

    def _next(self) -> Any:
        """The next batch with rows; None at the end."""
        return next((batch for batch in self._batches if batch.num_rows), None)

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns, a batch at a time, large ones in parts."""
        batch, self._first = self._first, None
        while batch is not None:
            for at in range(0, batch.num_rows, ROWS):
                part = batch.slice(at, ROWS)
                columns = {name: part.column(part.schema.get_field_index(name)) for name in names}
                yield Chunk(columns, part.num_rows, self._read + 1, self.place)
                self._read += part.num_rows
            batch = self._next()


def is_arrow_source(source: Any) -> bool:
    """Whether an object gives record batches, with a schema known before the first."""
    return hasattr(source, "__arrow_c_stream__") or (hasattr(source, "read_chunk") and hasattr(source, "schema"))


def _open_path(path: str | os.PathLike[str]) -> Any:
    import pyarrow as pa

    file = pa.memory_map(os.fspath(path))
    if file.read(len(MAGIC)) == MAGIC:
        reader = pa.ipc.open_file(file)
        return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
    file.seek(0)
    reader = pa.ipc.open_stream(file)
    return reader.schema, iter(reader)


def _open_object(source: Any) -> Any:
    if hasattr(source, "read_chunk"):
        return source.schema, _flight_batches(source)
    import pyarrow as pa

    reader = pa.RecordBatchReader.from_stream(source)
    return reader.schema, iter(reader)


def _flight_batches(reader: Any) -> Iterator[Any]:
    while True:
        try:
            yield reader.read_chunk().data
        except StopIteration:
            return
