"""`OwnFile`: a file of the user's own, read once for each label column, in the worker."""

from __future__ import annotations

from pathlib import Path

from app.background_job import JobHandle
from app.state.parameters.typed_number import read_number
from sampler.streams import LARGEST_UPLOAD, Table, read_table

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
        line = _first_line(self.path)
        fields = [field.strip().strip('"') for field in line.split(max(",;\t", key=line.count))]
        if len(fields) < 2 or ":" in line:
            return {}
        if any(read_number(field) is not None for field in fields):  # no header: numbers stand for names
            fields = [f"column {j + 1}" for j in range(len(fields))]
        last = len(fields) - 1
        return {f"{name}{' (last)' if j == last else ''}": j for j, name in enumerate(fields)}

    def words(self) -> str:
        """What the file holds, in words."""
        table = self.table
        if table is None:
            return ""
        values = table.label_values
        labels = f"labels {' and '.join(f'{v:g}' for v in values)}" if values else "more than two labels"
        ones = f", {table.labels.mean():.0%} ones" if len(values) == 2 else ""
        return f"{len(table.labels):,} rows, {len(table.names)} features, {labels}{ones}"


def _first_line(path: Path) -> str:
    """Return the first line that says something, as far as it can be read."""
    with path.open("rb") as file:
        for raw in file.readlines(1 << 16)[:20]:
            line = raw.decode("utf-8-sig", "replace").strip()
            if line:
                return line
    return ""
