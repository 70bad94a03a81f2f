"""Writers of a run's summaries: JSON lines or Parquet, in step with the checkpoint whatever kills the process."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from sampler.atomic_file import atomic_file, disk_errors, sync_folder
from sampler.version import MADE_WITH, VERSION

SCHEMA = 2
"""Of a summary; raised when a value changes its meaning or goes. 1 had no names, and did not say so."""
KEPT = "what a checkpoint counts is intact: then give the same command again"


class Nowhere:
    """Summaries nobody wants."""

    def _nothing(self, *arguments: Any) -> int:
        return 0

    resume = write = mark = close = _nothing


class JsonLines:
    """One JSON object a line, to a file or (path "-") to standard output.

    ``mark`` makes the lines so far durable and says how long the file is; ``resume`` cuts it back to such a mark,
    so that lines written after the last checkpoint are not there twice. Standard output cannot be cut back.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: Any = None  # open once resumed
        self._named = False  # whether the folder is on the disk with its name

    def resume(self, mark: int) -> None:
        """Go on after ``mark`` bytes; 0 starts afresh.

        Raises
        ------
        ValueError
            When the file is shorter than the mark, or cannot be written.
        """
        if self.path == "-":
            self._file = sys.stdout.buffer
            return
        if mark and (not os.path.exists(self.path) or os.path.getsize(self.path) < mark):
            raise ValueError(f"out: {self.path!r} is shorter than at the checkpoint ({mark:,} bytes); give the file "
                             "back, or start again without the checkpoint")
        with disk_errors("out", self.path, "give a file in a folder that exists"):
            self._file = open(self.path, "r+b" if os.path.exists(self.path) else "w+b")
        self._file.truncate(mark)
        self._file.seek(mark)

    def write(self, summary: dict[str, Any]) -> None:
        """One line, the release in it.

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
        """Make what was written durable; how many bytes it is."""
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
        """Flush and close."""
        if self._file is not None and self.path != "-":
            with disk_errors("out", self.path, KEPT):
                self._file.close()


class ParquetParts:
    """A folder of Parquet files, one for each checkpoint: a file without its end cannot be read, a folder can."""

    def __init__(self, path: str) -> None:
        self.path, self._parts = Path(path), 0
        self._rows: list[Any] = []
        if self.path.is_file():
            raise ValueError(f"out: {path!r} is a file; Parquet summaries are a folder of parts, give another name")

    def resume(self, mark: int) -> None:
        """Keep the first ``mark`` parts, remove later ones.

        Raises
        ------
        ValueError
            When the folder cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"out: {os.fspath(self.path)!r} cannot be made ({error.strerror}); give another name") from None
        for part in self.path.glob("*part-*.parquet*"):
            if part.name.startswith(".") or int(part.stem.rpartition("-")[2]) > mark:
                part.unlink()
        self._parts, self._rows = mark, []

    def write(self, summary: dict[str, Any]) -> None:
        """One row, kept in memory until the next mark.

        Parameters
        ----------
        summary : dict
            Plain values by name.
        """
        self._rows.append(summary)

    def mark(self) -> int:
        """Write the rows since the last mark as a part; how many parts there are."""
        import pyarrow as pa
        from pyarrow import parquet

        if self._rows:
            table = pa.Table.from_pylist(self._rows)
            unmeasured = {f.name: pa.string() if f.name.startswith("why") else pa.float64()
                          for f in table.schema if pa.types.is_null(f.type)}  # in this part: the next one may have it
            table = table.cast(pa.schema([(f.name, unmeasured.get(f.name, f.type)) for f in table.schema]))
            table = table.replace_schema_metadata({"made_with": MADE_WITH, "schema": str(SCHEMA)})
            with disk_errors("out", self.path, KEPT), atomic_file(self.path / f"part-{self._parts + 1:06d}.parquet") as file:
                parquet.write_table(table, file)
            self._parts, self._rows = self._parts + 1, []
        return self._parts

    def close(self) -> None:
        """Nothing is left open."""


def writer(path: str) -> Any:
    """JSON lines, or Parquet for a name that ends in ``.parquet``."""
    return ParquetParts(path) if path.endswith((".parquet", ".pq")) else JsonLines(path)
