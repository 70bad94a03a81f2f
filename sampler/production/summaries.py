"""Writers of a run's summaries, JSON Lines or Parquet, consistent with the checkpoint after any interruption."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from sampler.atomic_file import atomic_file, disk_errors, sync_folder
from sampler.version import MADE_WITH, VERSION

SCHEMA = 2
"""Version of a summary, incremented when a value changes its meaning or is removed. Version 1 had no names and no schema."""
KEPT = "summaries up to the checkpoint are intact: then repeat the same command"


class NullWriter:
    """Writer that discards summaries."""

    def _nothing(self, *arguments: Any) -> int:
        return 0

    resume = write = mark = close = _nothing


class JsonLines:
    """Writer of one JSON object per line, to a file or (path "-") to standard output.

    ``mark`` flushes the lines so far to the disk and returns the file size; ``resume`` truncates the file to such a mark,
    so that lines written after the last checkpoint are not duplicated. Standard output cannot be truncated.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: Any = None  # open once resumed
        self._named = False  # whether the folder entry of the file is on the disk

    def resume(self, mark: int) -> None:
        """Resume after ``mark`` bytes; 0 starts a new file.

        Raises
        ------
        ValueError
            If the file is shorter than the mark or cannot be written.
        """
        if self.path == "-":
            self._file = sys.stdout.buffer
            return
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise ValueError(f"out must be a regular file, or - for standard output, got {self.path!r}; leave it out for "
                             "no summaries")
        if mark and (not os.path.exists(self.path) or os.path.getsize(self.path) < mark):
            raise ValueError(f"out: {self.path!r} is shorter than at the checkpoint ({mark:,} bytes); restore the file, "
                             "or start again without the checkpoint")
        with disk_errors("out", self.path, "choose a file in an existing folder"):
            self._file = open(self.path, "r+b" if os.path.exists(self.path) else "w+b")
            self._file.truncate(mark)
            self._file.seek(mark)

    def write(self, summary: dict[str, Any]) -> None:
        """Write one line, with the schema version and the release.

        Parameters
        ----------
        summary : dict
            Plain values by name.
        """
        with disk_errors("out", self.path, KEPT):
            self._file.write(json.dumps({"schema": SCHEMA, **summary, "release": VERSION}, allow_nan=False).encode() + b"\n")
            if self.path == "-":
                self._file.flush()

    def mark(self) -> int:
        """Flush the lines to the disk; return the file size in bytes."""
        with disk_errors("out", self.path, KEPT):
            self._file.flush()
            if self.path == "-":
                return 0
            os.fsync(self._file.fileno())
            if not self._named:
                sync_folder(Path(self.path).absolute().parent)
                self._named = True
            return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None and self.path != "-":
            with disk_errors("out", self.path, KEPT):
                self._file.close()


class ParquetParts:
    """Writer of a folder of Parquet files, one per checkpoint: a truncated Parquet file would be unreadable."""

    def __init__(self, path: str) -> None:
        self.path, self._parts = Path(path), 0
        self._rows: list[Any] = []
        if self.path.is_file():
            raise ValueError(f"out: {path!r} is a file; Parquet summaries are a folder of parts, choose another name")

    def resume(self, mark: int) -> None:
        """Resume after the first ``mark`` parts and remove later ones.

        Raises
        ------
        ValueError
            If the folder cannot be created.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"out: {os.fspath(self.path)!r} cannot be made ({error.strerror}); choose another") from None
        for part in self.path.glob("*part-*.parquet*"):
            if part.name.startswith(".") or int(part.stem.rpartition("-")[2]) > mark:
                part.unlink()
        self._parts, self._rows = mark, []

    def write(self, summary: dict[str, Any]) -> None:
        """Add one row, held in memory until the next mark.

        Parameters
        ----------
        summary : dict
            Plain values by name.
        """
        self._rows.append(summary)

    def mark(self) -> int:
        """Write the rows since the last mark as a part; return the number of parts."""
        import pyarrow as pa
        from pyarrow import parquet

        if self._rows:
            table = pa.Table.from_pylist(self._rows)
            unmeasured = {f.name: pa.string() if f.name.startswith("why") else pa.float64()
                          for f in table.schema if pa.types.is_null(f.type)}  # all null in this part
            table = table.cast(pa.schema([(f.name, unmeasured.get(f.name, f.type)) for f in table.schema]))
            table = table.replace_schema_metadata({"made_with": MADE_WITH, "schema": str(SCHEMA)})
            with disk_errors("out", self.path, KEPT), atomic_file(self.path / f"part-{self._parts + 1:06d}.parquet") as file:
                parquet.write_table(table, file)
            self._parts, self._rows = self._parts + 1, []
        return self._parts

    def close(self) -> None:
        """Do nothing: no file is left open."""


def writer(path: str) -> Any:
    """Return a writer of Parquet if ``path`` ends in ``.parquet`` or ``.pq``, else of JSON Lines."""
    return ParquetParts(path) if path.endswith((".parquet", ".pq")) else JsonLines(path)
