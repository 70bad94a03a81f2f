"""`BadRows`: policy for rows that cannot be used; `RowCleaner`: conversion of chunks to clean numeric rows."""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.atomic_file import disk_errors
from sampler.streams.category_columns import UNKNOWN, Categories, one_hot
from sampler.streams.chunk import Chunk, check_pair
from sampler.streams.column_choice import Choice
from sampler.streams.number_columns import GOOD, REASONS, as_numbers, cell_at, class_labels, one_against_others
from sampler.streams.source_error import SourceError

AT_ONCE = 8_192
"""Number of rows per check, which copies them."""

LONGEST = 2_000
"""Maximum number of characters of a row's content in the file of rejected rows."""


class BadRows:
    """Policy for rows that cannot be used: raise an error, skip them, or skip them and record them in a file.

    Parameters
    ----------
    choice : {"stop", "skip"} or path
        A path of a JSON Lines file to which ``row``, ``reason`` and ``content`` of each rejected row are appended. A row
        that is read again after a restart is written again.

    Attributes
    ----------
    stops : bool
    columns : tuple of str
        Columns required in every row: an item without one of them, even the first, is a bad row.
    """

    def __init__(self, choice: str | os.PathLike[str] = "stop", columns: tuple[str, ...] = ()) -> None:
        self.columns = columns
        self.choose(choice)

    def choose(self, choice: str | os.PathLike[str]) -> None:
        """Change the policy to ``choice``."""
        if not isinstance(choice, str | os.PathLike) or not os.fspath(choice):
            raise ValueError(f"on_bad_row must be 'stop', 'skip' or a path, got {shown(choice)}; rejected rows and "
                             "reasons are written to that path")
        self.stops, self.path = choice == "stop", None if choice in ("stop", "skip") else Path(choice)
        if self.path is not None:
            self._append("")  # fails before the first row if the path cannot be written

    def usable(self, batch: Any, encode: Callable[..., Any]) -> Any:
        """Return the rows of a batch that a problem's ``encode`` accepts; None if it accepts none.

        Raises
        ------
        ValueError
            At the first rejected row if the policy is "stop".
        """
        try:
            check_pair(batch)
            for first in range(0, len(batch[0]), AT_ONCE):
                encode(*(part[first:first + AT_ONCE] for part in batch if part is not None))
            return batch
        except (ValueError, TypeError) as error:
            if self.stops:
                raise
            if not isinstance(batch, tuple | list) or len(batch) != 2 or np.ndim(batch[0]) == 0:
                return self.write("a batch", str(error), batch)
        good = []
        for row in range(len(batch[0])):
            datum = [part[row:row + 1] for part in batch if part is not None]
            try:
                encode(*datum)
                good.append(row)
            except (ValueError, TypeError) as error:
                self.write(f"row {row + 1:,} of a batch", str(error), datum)
        return tuple(None if part is None else np.array([part[row] for row in good]) for part in batch) if good else None

    def write(self, row: str, reason: str, content: Any) -> None:
        """Append a rejected row to the file, if the policy has one."""
        if self.path is not None:
            content = content if isinstance(content, str) else repr(content)
            self._append(json.dumps({"row": row, "reason": reason, "content": content[:LONGEST]}) + "\n")

    def _append(self, line: str) -> None:
        assert self.path is not None  # checked by callers
        with disk_errors("on_bad_row", self.path, "choose another path, 'skip' or 'stop'"):
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(line)

    def sync(self) -> None:
        """Flush the file to the disk."""
        if self.path is not None:
            with open(self.path, "ab") as file:
                os.fsync(file.fileno())


NAMED = 5
"""Maximum number of rows listed per reason."""


def _short_names(rows: list[str]) -> list[str]:
    """Return the names with the file name only on the last of consecutive rows of one file."""
    names = []
    for row, following in zip(rows, [*rows[1:], ""], strict=True):
        short, _, place = row.partition(" of ")
        names.append(short if place and following.partition(" of ")[2] == place else row)
    return names


class RowCleaner:
    """Converter of a reader's chunks to numeric rows; missing values are never imputed.

    Parameters
    ----------
    choice : Choice
        Columns in use; a row is kept if all its cells in them can be converted.
    model : str
    classes : pair or None
        The two response values of a logistic model.
    decimal : {".", ","}
    categories : dict, optional
        Levels of each column to encode as 0/1 columns.
    positive : optional
        Response value encoded as 1; every other value is 0.
    bad_rows : BadRows, optional
        Policy for responses that the model rejects; it also records every row left out.

    Attributes
    ----------
    rows_read : int
    named : dict of str to list of str
        Names of the first few rows left out, by reason.
    """

    def __init__(self, choice: Choice, model: str | None, classes: tuple[Any, ...] | None, decimal: str,
                 categories: Categories | None = None, positive: str | float | None = None,
                 bad_rows: BadRows | None = None) -> None:
        self.choice, self.model, self._decimal = choice, model, decimal
        self.classes: Any = classes  # two values for a logistic model
        self._categories, self._positive = categories or {}, positive
        self.rows_read, self._bad = 0, bad_rows or BadRows()
        self._counts, self.named = Counter[str](), defaultdict[str, list[str]](list)

    def numbers(self, chunk: Chunk) -> np.ndarray:
        """Return the clean rows of a chunk, (n, features and response), the response last.

        Raises
        ------
        ValueError
            If the model rejects a response and bad rows stop the stream; the message names the row.
        """
        parts, why = [], np.zeros((chunk.n, len(self.choice.columns)), np.uint8)
        for j, name in enumerate(self.choice.columns):
            values, why[:, j] = self._numbers_of(name, chunk.columns[name])
            parts.append(values)
        numbers = np.column_stack(parts) if parts else np.empty((chunk.n, 0))
        good = (why == GOOD).all(axis=1)
        self._note_dropped(chunk, why, good)
        usable = np.flatnonzero(good)
        numbers = np.ascontiguousarray(numbers[usable])
        refused = self._refused(chunk, numbers, usable)
        return numbers if refused is None else np.ascontiguousarray(numbers[~refused])

    def _numbers_of(self, name: str, column: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of a column, (n,) or (n, levels - 1), and a reason code per cell."""
        if self.model == "logistic" and name == self.choice.response:
            if self._positive is not None:
                return one_against_others(column, self._positive, self._decimal)
            return class_labels(column, self.classes, self._decimal)
        if name in self._categories:
            return one_hot(column, self._categories[name])
        return as_numbers(column, self._decimal)

    def _note_dropped(self, chunk: Chunk, why: np.ndarray, good: np.ndarray) -> None:
        self.rows_read += chunk.n + len(chunk.skipped)
        for row, words, held in chunk.skipped_names():
            self._count(words, [row], 1)
            self._bad.write(row, words, held)
        first_bad = np.where(good, -1, (why != GOOD).argmax(axis=1))
        for j, name in enumerate(self.choice.columns):
            for kind, words in {**REASONS, UNKNOWN: "unknown level"}.items():
                rows = np.flatnonzero((first_bad == j) & (why[:, j] == kind))
                if rows.size:
                    self._drop(chunk, rows, f"{words} in column {name!r}")

    def _count(self, why: str, first: list[str], n: int) -> None:
        """Count ``n`` rows left out for one reason, and record the names of the ``first`` few."""
        self._counts[why] += n
        self.named[why] += first[:NAMED - len(self.named[why])]

    def dropped(self) -> list[str]:
        """Return one sentence per reason for leaving out rows, the most frequent first."""
        lines = []
        for reason, n in self._counts.most_common():
            more = ", …" if n > len(self.named[reason]) else ""
            rows = "1 row" if n == 1 else f"{n:,} rows"
            lines.append(f"{rows} left out, {reason}: {', '.join(_short_names(self.named[reason]))}{more}")
        return lines

    def _drop(self, chunk: Chunk, rows: np.ndarray, why: str) -> None:
        """Count rows at positions of the chunk, record the first names, and write the rows to the file if there is one."""
        self._count(why, [chunk.name(int(at)) for at in rows[:NAMED]], len(rows))
        for at in rows if self._bad.path is not None else ():
            cells = {name: cell_at(column, int(at)) for name, column in chunk.columns.items()}
            self._bad.write(chunk.name(int(at)), why, cells)

    def _refused(self, chunk: Chunk, numbers: np.ndarray, usable: np.ndarray) -> np.ndarray | None:
        """Return a mask of rows with a response that the model rejects; None if there are none."""
        if self.model == "logistic":
            refused = np.isnan(numbers[:, -1])
            wanted = f"{self.classes[0]!r} or {self.classes[1]!r} for logistic regression" if refused.any() else ""
        elif self.model == "poisson":
            refused = (numbers[:, -1] < 0) | (numbers[:, -1] != np.floor(numbers[:, -1]))
            wanted = "a count 0, 1, 2, … for Poisson regression"
        else:
            return None
        if not refused.any():
            return None
        rows, must = usable[refused], f"column {self.choice.response!r} must be {wanted}"
        if self._bad.stops:
            cell = cell_at(chunk.columns[str(self.choice.response)], int(rows[0]))
            raise SourceError("response", f"{must}, {chunk.name(int(rows[0]))} has {cell!r}", "choose another response or "
                              "model, or skip such rows (on_bad_row)")
        self._drop(chunk, rows, must)
        return refused
