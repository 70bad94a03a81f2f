"""A Parquet file as chunks of named columns."""

import os
from collections.abc import Iterator
from typing import Any

from sampler.streams.chunk import Chunk

ROWS = 16_384
MOST_TEXT = 256_000_000
"""Bytes that the texts of one column may have in a chunk: packed, a few bytes of a file can hold as many as one likes."""
MOST_UNPACKED, MOST_PACKED = 1_000_000_000, 100
"""Bytes of a part of a column that may be packed more than so many times."""


class ParquetReader:
    """Chunks of a Parquet file; memory of a batch and of one row group's pages."""

    def __init__(self, path: Any, name: str = "") -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.place = name or (os.path.basename(os.fspath(path)) if not hasattr(path, "read") else "")
        try:
            self._file = parquet.ParquetFile(path, memory_map=not hasattr(path, "read"))
            texts = [field.name for field in self._file.schema_arrow if _is_text(field.type)]
            if texts:  # as they are packed, so that their size is known before they are laid out
                self._file = parquet.ParquetFile(path, memory_map=not hasattr(path, "read"), read_dictionary=texts)
        except pa.ArrowInvalid as error:
            raise ValueError(f"source: {self.place or 'the upload'!r} is no Parquet file ({error}); a file that is "
                             "still being written has no end yet") from None
        self._refuse_bombs()
        self.names = tuple(self._file.schema_arrow.names)
        self.rows = self._file.metadata.num_rows
        if self.rows == 0:
            raise ValueError(f"source: {self.place or 'the upload'!r} holds no rows; wait for data, or check the path")

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns, a batch at a time."""
        first = 1
        for batch in self._file.iter_batches(batch_size=ROWS, columns=list(names)):
            columns = {name: self._laid_out(name, batch.column(batch.schema.get_field_index(name))) for name in names}
            yield Chunk(columns, batch.num_rows, first, self.place)
            first += batch.num_rows

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

    def _refuse_bombs(self) -> None:
        """A ValueError for a file that says it unpacks to far more than it is."""
        found = self._file.metadata
        for group in range(found.num_row_groups):
            for at in range(found.num_columns):
                part = found.row_group(group).column(at)
                if part.total_uncompressed_size > max(MOST_UNPACKED, MOST_PACKED * part.total_compressed_size):
                    size, name = part.total_uncompressed_size, part.path_in_schema
                    raise ValueError(f"source: {self.place or 'the upload'!r} unpacks to {size:,} bytes in column {name!r} "
                                     "alone; write it again with smaller row groups")


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind)
                or pa.types.is_large_binary(kind))
