"""`RowCleaner`: rows with a missing, infinite or text cell are left out, counted and named; none is ever filled in."""

from typing import Any

import numpy as np

from sampler.streams import label_column
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

    Attributes
    ----------
    rows_read : int
    dropped : Dropped
    """

    def __init__(self, choice: Choice, model: str | None, classes: tuple[Any, ...] | None, decimal: str,
                 categories: Categories | None = None, positive: str | float | None = None) -> None:
        self.choice, self.model, self._decimal = choice, model, decimal
        self.classes: Any = classes  # two values where the model is logistic
        self._categories, self._positive = categories or {}, positive
        self.rows_read, self.dropped = 0, Dropped()

    def numbers(self, chunk: Chunk) -> np.ndarray:
        """Return the rows that have all their numbers, (n, features and response), the response last.

        Raises
        ------
        ValueError
            A response that the model cannot take, with its row.
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
        self._check_response(chunk, numbers, kept)
        return numbers

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
        for row, words in chunk.skipped_names():
            self.dropped.add(words, row)
        first_bad = np.where(good, -1, (why != GOOD).argmax(axis=1))
        for j, name in enumerate(self.choice.columns):
            for kind, words in {**REASONS, UNKNOWN: "a level that is not known"}.items():
                rows = np.flatnonzero((first_bad == j) & (why[:, j] == kind))
                if rows.size:
                    self.dropped.add_many(f"{words} in column {name!r}", [chunk.name(i) for i in rows[:NAMED]],
                                          rows.size)

    def _check_response(self, chunk: Chunk, numbers: np.ndarray, kept: np.ndarray) -> None:
        if self.model == "logistic":
            bad = np.flatnonzero(np.isnan(numbers[:, -1]))
            wanted = f"{self.classes[0]!r} or {self.classes[1]!r} for logistic regression" if bad.size else ""
        elif self.model == "poisson":
            bad = np.flatnonzero((numbers[:, -1] < 0) | (numbers[:, -1] != np.floor(numbers[:, -1])))
            wanted = "a count 0, 1, 2, … for Poisson regression"
        else:
            return
        if bad.size:
            at = int(kept[bad[0]])
            cell = python_cell(chunk.columns[str(self.choice.response)], at)
            raise ValueError(f"response: column {self.choice.response!r} must be {wanted}, {chunk.name(at)} has "
                             f"{cell!r}; choose another response or model")
