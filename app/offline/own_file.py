"""`OwnFile`: a file of the user's own, read once for each label column, in the worker."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from app.background_job import JobHandle
from app.file_columns import class_values, page_words
from sampler.streams import LARGEST_UPLOAD, Peek, Table, likely_response, peek, read_table, table_columns

LARGEST = LARGEST_UPLOAD // 2
"""Bytes a file may have here: as a table it takes some ten times as much memory."""
BEYOND = ("In a notebook split_table(read_table(path)) and likelihood_race run on a file of any size that fits in"
          " memory; python -m sampler reads any size as a stream.")


class OwnFile:
    """What is known of the file; `table` is None until it has been read."""

    def __init__(self, path: Path, label: str | int = -1, categories: tuple[str, ...] = (), positive: str = "") -> None:
        self.path, self.label, self.categories, self.positive = path, label, categories, positive
        self.table: Table | None = None
        self.fresh = True  #: whether B has still to be fitted to the file's size

    def read(self, handle: JobHandle) -> Table:
        """Return the table, reading it if need be; ValueError names a broken line."""
        if self.table is None:
            handle.publish(None, None, f"Reading {self.path.name}.")
            words, names = self.word_columns(), self.names
            encoded = [names.index(name) for name in words if name in self.categories]
            try:
                self.table = read_table(self.path, self.label, encoded,
                                        [names.index(name) for name in words if name not in self.categories],
                                        leave_out=True, positive=self.positive or None)
            except ValueError as wrong:  # where the server keeps the file is nobody's business
                said = str(wrong).replace(repr(str(self.path)), repr(self.path.name))
                raise ValueError(page_words(said, self.classes())) from None
        return self.table

    def relabelled(self, label: str | int) -> OwnFile:
        """Return the same file with another label column, none of its classes set against the others."""
        return OwnFile(self.path, label, self.categories)

    def encoding(self, categories: tuple[str, ...]) -> OwnFile:
        """Return the same file with these columns of words as columns of 0 and 1."""
        return OwnFile(self.path, self.label, categories, self.positive)

    def against_others(self, positive: str) -> OwnFile:
        """Return the same file with one class of the label as 1 and all others as 0; empty: as the label has them."""
        return OwnFile(self.path, self.label, self.categories, positive)

    def word_columns(self) -> dict[str, int]:
        """Return name -> number of levels of each column of words but the label; 0: too many for a category."""
        found, names = self._beginning, self.names
        label = self.names[self.label] if isinstance(self.label, int) and names else self.label
        return {name: len(found.words[own]) for name, own in zip(names, found.names, strict=True)
                if own in found.words and name != label} if found and names else {}

    def classes(self) -> tuple[str, ...]:
        """Return values of the label of which one may mean 1, in their order; none where there is no choice."""
        if self._beginning is None:
            return ()
        label = self._beginning.names[self.label] if isinstance(self.label, int) else self.label
        try:
            return class_values(self.path, self._beginning, label)
        except ValueError:  # said when the file is read
            return ()

    @cached_property
    def _beginning(self) -> Peek | None:
        """First rows; None of a file that cannot be read, which is said when it is."""
        try:
            return peek(self.path)
        except ValueError:
            return None

    @property
    def names(self) -> list[str]:
        """Columns, as the page calls them."""
        return [name.removesuffix(" (last)") for name in self.columns()]

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
        names = self.names
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
        left = [name for name in self.word_columns() if name not in self.categories]
        out = (f"left out, since they hold words: {', '.join(left[:8])}{', …' if len(left) > 8 else ''}",) if left else ()
        return "; ".join((f"{len(table.labels):,} rows, {len(table.names)} features, {labels}{ones}", *table.said, *out))

