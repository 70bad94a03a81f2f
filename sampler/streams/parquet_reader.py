"""A Parquet file as chunks of named columns."""

import os
from collections.abc import Iterator
from typing import Any

from sampler.streams.chunk import Chunk
from sampler.streams.damaged_file import damage_in_words, refuse_twice, whole_batches

ROWS = 16_384
MOST_TEXT = 256_000_000
"""Bytes that the texts of one column may have in a chunk: packed, a few bytes of a file can hold as many as one likes."""
MOST_UNPACKED, MOST_PACKED = 1_000_000_000, 100
"""Bytes of a group of rows that may be more than so many times the file."""


class ParquetReader:
    """Chunks of a Parquet file; memory of a batch and of one row group's pages."""

    def __init__(self, path: Any, name: str = "") -> None:
        from pyarrow import parquet

        self.place = name or (os.path.basename(os.fspath(path)) if not hasattr(path, "read") else "")
        with damage_in_words(self.place or "the upload", "is no Parquet file",
                             "one that is still being written has no end yet: wait, or copy it again"):
            self._file = parquet.ParquetFile(path, memory_map=not hasattr(path, "read"))
            texts = [field.name for field in self._file.schema_arrow if _is_text(field.type)]
            if texts:  # as they are packed, so that their size is known before they are laid out
                self._file = parquet.ParquetFile(path, memory_map=not hasattr(path, "read"), read_dictionary=texts)
            self.names: tuple[str, ...] = tuple(self._file.schema_arrow.names)
            self.rows: int = self._file.metadata.num_rows
            self._refuse_bombs(_size(path))
        refuse_twice(self.names)
        if self.rows < 1:
            raise ValueError(f"source: {self.place or 'the upload'!r} holds no rows; wait for data, or check the path")

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns, a batch at a time."""
        first = 1
        for batch in whole_batches(self._packed(names), self.place or "the upload"):
            columns = {name: self._laid_out(name, batch.column(batch.schema.get_field_index(name))) for name in names}
            yield Chunk(columns, batch.num_rows, first, self.place)
            first += batch.num_rows
        if first - 1 != self.rows:
            raise ValueError(f"source: {self.place or 'the upload'!r} breaks off after row {first - 1:,}, its end says that "
                             f"it has {self.rows:,}; copy it again, or write it anew")

    def _packed(self, names: tuple[str, ...]) -> Iterator[Any]:
        yield from self._file.iter_batches(batch_size=ROWS, columns=list(names))

    def _laid_out(self, name: str, column: Any) -> Any:
        """Return a column that was packed, its texts laid out, if they are not too long."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not pa.types.is_dictionary(column.type):
            return column
        if _is_text(column.type.value_type) and len(column.dictionary):
            lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
            size = pc.sum(lengths.cast(pa.int64())).as_py() or 0
            if size > MOST_TEXT:
                raise ValueError(f"source: column {name!r} of {self.place or 'the upload'!r} has {size:,} bytes of text in "
                                 f"{len(column):,} rows; leave it out of the file, numbers and words are wanted")
        return column.dictionary_decode()

    def _refuse_bombs(self, packed: int) -> None:
        """A ValueError for a file that says it unpacks to far more than it is.

        Groups of rows are asked, not the columns in them: PyArrow ends the process over a column whose description is
        damaged.
        """
        found = self._file.metadata
        for group in range(found.num_row_groups):
            size = found.row_group(group).total_byte_size
            if size > max(MOST_UNPACKED, MOST_PACKED * packed):
                raise ValueError(f"source: {self.place or 'the upload'!r} unpacks to {size:,} bytes in {self.rows:,} rows; "
                                 "write it again with smaller row groups")


def _size(path: Any) -> int:
    """Bytes of a file, open or not."""
    if not hasattr(path, "read"):
        return os.path.getsize(path)
    size: int = path.seek(0, os.SEEK_END)
    path.seek(0)
    return size


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind)
                or pa.types.is_large_binary(kind))
