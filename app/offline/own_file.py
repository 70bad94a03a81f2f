"""`OwnFile`: a file of the user's own, read once for each label column, in the worker."""

from __future__ import annotations

from pathlib import Path

from app.background_job import JobHandle
from sampler.streams import LARGEST_UPLOAD, Table, likely_response, read_table, table_columns

LARGEST = LARGEST_UPLOAD // 2
"""Bytes a file may have here: as a table it takes some ten times as much memory."""
BEYOND = ("In a notebook split_table(read_table(path)) and likelihood_race run on a file of any size that fits in"
          " memory; python -m sampler reads any size as a stream.")


class OwnFile:
    """What is known of the file; `table` is None until it has been read."""

    def __init__(self, path: Path, label: str | int = -1) -> None:
        self.path, self.label = path, label
        self.table: Table | None = None
        self.fresh = True  #: whether B has still to be fitted to the file's size

    def read(self, handle: JobHandle) -> Table:
        """Return the table, reading it if need be; ValueError names a broken line."""
        if self.table is None:
            handle.publish(None, None, f"Reading {self.path.name}.")
            self.table = read_table(self.path, self.label)
        return self.table

    def relabelled(self, label: str | int) -> OwnFile:
        """Return the same file with another label column."""
        return OwnFile(self.path, label)

    def columns(self) -> dict[str, int]:
        """Return name -> number of each column that can be the label; empty for a libsvm file, which says it itself."""
        try:
            names, header = table_columns(self.path)
        except ValueError:  # said when the file is read
            return {}
        last = len(names) - 1
        names = names if header else [f"column {j + 1}" for j in range(len(names))]
        return {f"{name} (last)" if j == last else name: j for j, name in enumerate(names)}

    def likely_label(self) -> int:
        """Return the number of the column that is the label by its name, or of the last one."""
        names = [name.removesuffix(" (last)") for name in self.columns()]
        likely = likely_response(tuple(names))
        return names.index(likely) if likely else len(names) - 1

    def words(self) -> str:
        """What the file holds, in words."""
        table = self.table
        if table is None:
            return ""
        values = table.label_values
        said = " and ".join(v if isinstance(v, str) else f"{v:g}" for v in values)
        labels = f"labels {said}" if values else "more than two labels"
        ones = f", {table.labels.mean():.0%} ones" if len(values) == 2 else ""
        return "; ".join((f"{len(table.labels):,} rows, {len(table.names)} features, {labels}{ones}", *table.said))

