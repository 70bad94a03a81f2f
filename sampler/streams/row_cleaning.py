"""`RowCleaner`: rows with a missing, infinite or text cell are left out, counted and named; none is ever filled in."""

from typing import Any

import numpy as np

from sampler.streams import label_column
from sampler.streams.bad_rows import BadRows
from sampler.streams.category_columns import UNKNOWN, Categories, one_hot
from sampler.streams.chunk import Chunk
from sampler.streams.column_choice import Choice
from sampler.streams.dropped_rows import NAMED, Dropped
from sampler.streams.number_column import GOOD, REASONS, as_numbers
from sampler.streams.python_cells import python_cell


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
        What is done where the model cannot take a response; it writes down all rows that are left out.

    Attributes
    ----------
    rows_read : int
    dropped : Dropped
    """

    def __init__(self, choice: Choice, model: str | None, classes: tuple[Any, ...] | None, decimal: str,
                 categories: Categories | None = None, positive: str | float | None = None,
                 bad_rows: BadRows | None = None) -> None:
        self.choice, self.model, self._decimal = choice, model, decimal
        self.classes: Any = classes  # two values where the model is logistic
        self._categories, self._positive = categories or {}, positive
        self.rows_read, self.dropped, self._bad = 0, Dropped(), bad_rows or BadRows()

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
        kept = np.flatnonzero(good)
        numbers = np.ascontiguousarray(numbers[kept])
        refused = self._refused(chunk, numbers, kept)
        return numbers if refused is None else np.ascontiguousarray(numbers[~refused])

    def _numbers_of(self, name: str, column: Any) -> tuple[np.ndarray, np.ndarray]:
        """Values of a column, (n,) or (n, levels - 1), and the reasons of its cells that are none."""
        if self.model == "logistic" and name == self.choice.response:
            if self._positive is not None:
                return label_column.one_against_others(column, self._positive, self._decimal)
            return label_column.class_labels(column, self.classes, self._decimal)
        if name in self._categories:
            return one_hot(column, self._categories[name])
        return as_numbers(column, self._decimal)

    def _note_dropped(self, chunk: Chunk, why: np.ndarray, good: np.ndarray) -> None:
        self.rows_read += chunk.n + len(chunk.skipped)
        for i, (row, words) in enumerate(chunk.skipped_names()):
            self.dropped.add(words, row)
            self._bad.write(row, words, chunk.contents[i] if chunk.contents else "")
        first_bad = np.where(good, -1, (why != GOOD).argmax(axis=1))
        for j, name in enumerate(self.choice.columns):
            for kind, words in {**REASONS, UNKNOWN: "a level that is not known"}.items():
                rows = np.flatnonzero((first_bad == j) & (why[:, j] == kind))
                if rows.size:
                    self.dropped.add_many(f"{words} in column {name!r}", [chunk.name(i) for i in rows[:NAMED]],
                                          rows.size)
                    self._write(chunk, rows, f"{words} in column {name!r}")

    def _write(self, chunk: Chunk, rows: np.ndarray, why: str) -> None:
        for at in rows if self._bad.path is not None else ():
            cells = {name: python_cell(column, int(at)) for name, column in chunk.columns.items()}
            self._bad.write(chunk.name(int(at)), why, cells)

    def _refused(self, chunk: Chunk, numbers: np.ndarray, kept: np.ndarray) -> np.ndarray | None:
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
        rows, must = kept[refused], f"column {self.choice.response!r} must be {wanted}"
        if self._bad.stops:
            cell = python_cell(chunk.columns[str(self.choice.response)], int(rows[0]))
            raise ValueError(f"response: {must}, {chunk.name(int(rows[0]))} has {cell!r}; choose another response or model, "
                             "or have such rows left out (on_bad_row)")
        self.dropped.add_many(must, [chunk.name(int(i)) for i in rows[:NAMED]], len(rows))
        self._write(chunk, rows, must)
        return refused
