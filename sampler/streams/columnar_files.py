"""Readers of Parquet files and Arrow record batches (IPC files and streams, in-memory readers, Flight)."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sampler.streams.chunk import Chunk
from sampler.streams.source_error import SourceError, damage_as_source_error
from sampler.streams.text_file import MOST_PACKED, MOST_UNPACKED

ARROW, PARQUET = (".arrow", ".arrows", ".ipc", ".feather"), (".parquet", ".pq")
MAGIC = b"ARROW1"
ROWS = 16_384
_INCOMPLETE = "wait if it is still being written, or copy it again"


class BatchReader:
    """Reader of validated record batches; holds one batch in memory."""

    rows: int | None = None
    names: tuple[str, ...]
    place: str  #: name of the file, for messages and row names; empty for an object
    _batches: Callable[[tuple[str, ...]], Iterator[Any]]  #: batches with at least these columns

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """Yield the named columns in chunks of at most one batch and ``ROWS`` rows."""
        read = 0
        for batch in _checked_batches(self._batches(names), self.place):
            for at in range(0, batch.num_rows, ROWS):
                part = batch.slice(at, ROWS)
                columns = {name: part.column(part.schema.get_field_index(name)) for name in names}
                yield Chunk(columns, part.num_rows, read + 1, self.place)
                read += part.num_rows
        if self.rows is not None and read != self.rows:
            raise SourceError("source", f"{self.place or 'the upload'!r} breaks off after row {read:,}, its footer states "
                              f"{self.rows:,} rows", "copy it again, or rewrite it")


class ArrowReader(BatchReader):
    """Reader of Arrow's IPC format or of an object that yields record batches.

    Parameters
    ----------
    source : path or object
        A file in Arrow's IPC file or stream format; a PyArrow RecordBatchReader, Table or any other object with
        ``__arrow_c_stream__``, such as a Polars frame; or a Flight reader (with ``read_chunk``).
    """

    def __init__(self, source: Any) -> None:
        path = isinstance(source, str | os.PathLike)
        self.place = os.path.basename(os.fspath(source)) if path else ""
        with damage_as_source_error(self.place, "is not a complete Arrow file or stream", _INCOMPLETE):
            schema, batches = _open_path(source) if path else _open_object(source)
            self.names, self._batches = tuple(schema.names), lambda names: batches
        _check_unique_names(self.names)


def is_arrow_source(source: Any) -> bool:
    """Return whether an object yields record batches and has a schema before the first one."""
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
        return source.schema, (chunk.data for chunk in iter(source.read_chunk, None))  # until it raises StopIteration
    import pyarrow as pa

    reader = pa.RecordBatchReader.from_stream(source)
    return reader.schema, iter(reader)


class ParquetReader(BatchReader):
    """Reader of a Parquet file; holds one batch and the pages of one row group in memory."""

    def __init__(self, path: Any, name: str = "") -> None:
        from pyarrow import parquet

        is_open = hasattr(path, "read")
        self.place = name or ("" if is_open else os.path.basename(os.fspath(path)))
        with damage_as_source_error(self.place or "the upload", "is not a Parquet file", _INCOMPLETE):
            self._file = parquet.ParquetFile(path, memory_map=not is_open)
            texts = [field.name for field in self._file.schema_arrow if _is_text(field.type)]
            if texts:  # dictionary-encoded as in the file: a few bytes can encode any number of equal strings
                self._file = parquet.ParquetFile(path, memory_map=not is_open, read_dictionary=texts)
            self.names = tuple(self._file.schema_arrow.names)
            self.rows = self._file.metadata.num_rows
            self._check_unpacked_size(path.seek(0, os.SEEK_END) if is_open else os.path.getsize(path))
        self._batches = lambda names: self._file.iter_batches(batch_size=ROWS, columns=list(names))
        _check_unique_names(self.names)

    def _check_unpacked_size(self, packed: int) -> None:
        """Raise a SourceError if the metadata states a size far above the ``packed`` bytes of the file.

        Only the metadata of row groups is read: PyArrow ends the process on damaged column metadata.
        """
        metadata = self._file.metadata
        for group in range(metadata.num_row_groups):
            size = metadata.row_group(group).total_byte_size
            if size > max(MOST_UNPACKED, MOST_PACKED * packed):
                raise SourceError("source", f"{self.place or 'the upload'!r} unpacks to {size:,} bytes in {self.rows:,} "
                                  "rows", "write it again with smaller row groups")


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return any(is_kind(kind) for is_kind in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary))


def _checked_batches(batches: Iterator[Any], place: str) -> Iterator[Any]:
    """Yield record batches after full validation of offsets, indices and characters.

    PyArrow trusts the metadata of a file and would read beyond the end of memory.

    Raises
    ------
    SourceError
        At the first damaged batch, with the number of the last row before it.
    """
    read = 0
    while True:
        with damage_as_source_error(place, f"breaks off after row {read:,}", "copy it again, or wait until it is written"):
            batch = next(batches, None)
            if batch is not None:
                batch.validate(full=True)
        if batch is None:
            return
        read += batch.num_rows
        yield batch


def _check_unique_names(names: Sequence[str]) -> None:
    """Raise a SourceError if two columns have the same name."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SourceError("source", f"two columns are named {twice[0]!r}", "rename one")
