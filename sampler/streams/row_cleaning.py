"""Rows that cannot be used: `BadRows` stops, skips or writes down; `RowCleaner` leaves out, counts and names."""

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
from sampler.streams.chunk import Chunk, refuse_no_pair
from sampler.streams.column_choice import Choice
from sampler.streams.number_columns import GOOD, REASONS, as_numbers, cell_at, class_labels, one_against_others
from sampler.streams.source_error import SourceError

AT_ONCE = 8_192
"""Rows checked at once: the check makes a copy of them."""

LONGEST = 2_000
"""Characters of a row's content in the file of rejected rows."""


class BadRows:
    """Policy for rows that cannot be used: raise, leave out, or leave out and write to a file with the reason.

    Parameters
    ----------
    choice : {"stop", "skip"} or path
        A path is that of a file of JSON lines, each with ``row``, ``reason`` and ``content``; lines are appended. A row
        that is read again after a restart is written again.

    Attributes
    ----------
    stops : bool
    columns : tuple of str
        Columns that every row must have: an item without one of them is a bad row, the first item too.
    """

    def __init__(self, choice: str | os.PathLike[str] = "stop", columns: tuple[str, ...] = ()) -> None:
        self.columns = columns
        self.choose(choice)

    def choose(self, choice: str | os.PathLike[str]) -> None:
        """Change the policy to ``choice``."""
        if not isinstance(choice, str | os.PathLike) or not os.fspath(choice):
            raise ValueError(f"on_bad_row must be 'stop', 'skip' or a path, got {shown(choice)}; a file there takes "
                             "rejected rows with reasons")
        self.stops, self.path = choice == "stop", None if choice in ("stop", "skip") else Path(choice)
        if self.path is not None:
            self._append("")  # a path that cannot be written is refused before the first row

    def usable(self, batch: Any, encode: Callable[..., Any]) -> Any:
        """Return the rows of a batch that a problem's ``encode`` accepts; None where it accepts none.

        Raises
        ------
        ValueError
            At the first row that it refuses, where the policy is to stop.
        """
        try:
            refuse_no_pair(batch)
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
        """Append a rejected row to the file, where there is one."""
        if self.path is not None:
            content = content if isinstance(content, str) else repr(content)
            self._append(json.dumps({"row": row, "reason": reason, "content": content[:LONGEST]}) + "\n")

    def _append(self, line: str) -> None:
        assert self.path is not None  # asked before
        with disk_errors("on_bad_row", self.path, "give another path, 'skip' or 'stop'"):
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(line)

    def sync(self) -> None:
        """Flush the file to the disk."""
        if self.path is not None:
            with open(self.path, "ab") as file:
                os.fsync(file.fileno())


NAMED = 5
"""Rows of each reason that are named."""


def _short_names(rows: list[str]) -> list[str]:
    """The same names, the file's only after the last of its rows that follow one another."""
    names = []
    for row, following in zip(rows, [*rows[1:], ""], strict=True):
        short, _, place = row.partition(" of ")
        names.append(short if place and following.partition(" of ")[2] == place else row)
    return names


class RowCleaner:
    """Turns the chunks of a reader into numbers.

    Parameters
    ----------
    choice : Choice
        Columns in use; a row is kept if each of its cells in them is a number.
    model : str
    classes : pair or None
        The two response values of a logistic model.
    decimal : {".", ","}
    categories : dict, optional
        Column -> levels of those that become columns of 0 and 1.
    positive : optional
        The response value that is 1 where every other is 0.
    bad_rows : BadRows, optional
        Policy for responses that the model refuses; it also records every row that is left out.

    Attributes
    ----------
    rows_read : int
    named : dict of str to list of str
        Rows left out, by reason, the first few. Nothing is ever filled in.
    """

    def __init__(self, choice: Choice, model: str | None, classes: tuple[Any, ...] | None, decimal: str,
                 categories: Categories | None = None, positive: str | float | None = None,
                 bad_rows: BadRows | None = None) -> None:
        self.choice, self.model, self._decimal = choice, model, decimal
        self.classes: Any = classes  # two values where the model is logistic
        self._categories, self._positive = categories or {}, positive
        self.rows_read, self._bad = 0, bad_rows or BadRows()
        self._counts, self.named = Counter[str](), defaultdict[str, list[str]](list)

    def numbers(self, chunk: Chunk) -> np.ndarray:
        """Return the rows that have all their numbers, (n, features and response), the response last.

        Raises
        ------
        ValueError
            A response that the model cannot take, with its row, where such a row is to stop the stream.
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
        """Values of a column, (n,) or (n, levels - 1), and the reasons of its cells that are none."""
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
            for kind, words in {**REASONS, UNKNOWN: "a level that is not known"}.items():
                rows = np.flatnonzero((first_bad == j) & (why[:, j] == kind))
                if rows.size:
                    self._drop(chunk, rows, f"{words} in column {name!r}")

    def _count(self, why: str, first: list[str], n: int) -> None:
        """``n`` more rows are left out for one reason; the ``first`` few of them are named."""
        self._counts[why] += n
        self.named[why] += first[:NAMED - len(self.named[why])]

    def dropped(self) -> list[str]:
        """One sentence a reason rows were left out for, the most frequent first."""
        lines = []
        for reason, n in self._counts.most_common():
            more = ", …" if n > len(self.named[reason]) else ""
            rows = "1 row" if n == 1 else f"{n:,} rows"
            lines.append(f"{rows} left out, {reason}: {', '.join(_short_names(self.named[reason]))}{more}")
        return lines

    def _drop(self, chunk: Chunk, rows: np.ndarray, why: str) -> None:
        """Count and name rows at positions of the chunk, and write them down where that is asked for."""
        self._count(why, [chunk.name(int(at)) for at in rows[:NAMED]], len(rows))
        for at in rows if self._bad.path is not None else ():
            cells = {name: cell_at(column, int(at)) for name, column in chunk.columns.items()}
            self._bad.write(chunk.name(int(at)), why, cells)

    def _refused(self, chunk: Chunk, numbers: np.ndarray, usable: np.ndarray) -> np.ndarray | None:
        """Rows whose response the model cannot take; None where it takes all."""
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
                              "model, or have such rows left out (on_bad_row)")
        self._drop(chunk, rows, must)
        return refused
