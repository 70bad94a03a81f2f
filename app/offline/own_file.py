"""`OwnFile`: a file of the user's own, read once for each label column, in the worker."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from app.jobs.background_job import JobHandle
from app.own_data.columns import FileColumns, page_words
from sampler.streams import LARGEST_UPLOAD, Table, read_table

LARGEST = LARGEST_UPLOAD // 2
"""Bytes a file may have here: as a table it takes some ten times as much memory."""
BEYOND = ("In a notebook split_table(read_table(path)) and likelihood_race run on a file of any size that fits in"
          " memory; python -m sampler reads any size as a stream.")


@dataclass(eq=False)
class OwnFile:
    """A file and what is chosen of it; `table` is None until it has been read."""

    path: Path
    label: str = ""  #: column of the labels; empty: one called y, label, ..., or the last
    categories: tuple[str, ...] = ()  #: columns of words that are columns of 0 and 1
    positive: str = ""  #: label that means 1, where all others mean 0; empty: as the file has them
    table: Table | None = field(default=None, init=False)
    fresh: bool = field(default=True, init=False)  #: B has still to be fitted to the file's size

    def read(self, handle: JobHandle) -> Table:
        """Return the table, reading it if need be; ValueError names a row that cannot be used."""
        if self.table is None:
            handle.publish(None, None, f"Reading {self.path.name}.")
            encoded = [name for name in self.words_columns if name in self.categories]
            without = [name for name in self.words_columns if name not in self.categories]
            try:
                self.table = read_table((self.path.name, self.path), self.label or None, encoded, without, leave_out=True,
                                        positive=self.positive or None)
            except ValueError as error:
                raise ValueError(page_words(error, self.classes)) from None
        return self.table

    def choose(self, **changes: object) -> OwnFile:
        """Return the same file with another label, other categories or another class that means 1."""
        return replace(self, **changes)

    @cached_property
    def columns(self) -> FileColumns | None:
        """What may be chosen; None of a file that cannot be read, which is said when it is."""
        try:
            return FileColumns((self.path.name, self.path), self.label or None)
        except ValueError:
            return None

    @property
    def words_columns(self) -> dict[str, int]:
        """Column of words but the label -> number of its levels; 0: too many for a category."""
        return self.columns.words if self.columns else {}

    @property
    def classes(self) -> tuple[str, ...]:
        """Values of the label of which one may mean 1, in their order; none where there is no choice."""
        try:
            return self.columns.classes if self.columns else ()
        except ValueError:  # said when the file is read
            return ()

    def labels(self) -> dict[str, str]:
        """Return words -> name of each column that can be the label."""
        names = self.columns.names if self.columns else ()
        return {f"{name} (last)" if name == names[-1] else name: name for name in names}

    def words(self) -> str:
        """What the file holds, in words."""
        table = self.table
        if table is None:
            return ""
        values = table.label_values
        listed = " and ".join(v if isinstance(v, str) else f"{v:g}" for v in values)
        labels = f"labels {listed}" if values else "more than two labels"
        ones = f", {table.labels.mean():.0%} ones" if len(values) == 2 else ""
        left = [name for name in self.words_columns if name not in self.categories]
        out = (f"left out, since they hold words: {', '.join(left[:8])}{', …' if len(left) > 8 else ''}",) if left else ()
        return "; ".join((f"{len(table.labels):,} rows, {len(table.names)} features, {labels}{ones}", *table.notes, *out))
