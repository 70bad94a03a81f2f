"""A Parquet file as chunks of named columns."""

import os
from collections.abc import Iterator
from typing import Any

from sampler.streams.chunk import Chunk

ROWS = 16_384


class ParquetReader:
    """Chunks of a Parquet file; memory of a batch and of one row group's pages."""

    def __init__(self, path: Any, name: str = "") -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.place = name or (os.path.basename(os.fspath(path)) if not hasattr(path, "read") else "")
        try:
            self._file = parquet.ParquetFile(path, memory_map=not hasattr(path, "read"))
        except pa.ArrowInvalid as error:
            raise ValueError(f"source: {self.place or 'the upload'!r} is no Parquet file ({error}); a file that is "
                             "still being written has no end yet") from None
        self.names = tuple(self._file.schema_arrow.names)
        self.rows = self._file.metadata.num_rows
        if self.rows == 0:
            raise ValueError(f"source: {self.place or 'the upload'!r} holds no rows; wait for data, or check the path")

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns, a batch at a time."""
        first = 1
        for batch in self._file.iter_batches(batch_size=ROWS, columns=list(names)):
            columns = {name: batch.column(batch.schema.get_field_index(name)) for name in names}
            yield Chunk(columns, batch.num_rows, first, self.place)
            first += batch.num_rows
