"""The response column as the model takes it: two classes as 0 and 1, counts, or numbers."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sampler.streams.category_columns import words_of
from sampler.streams.number_column import GOOD, TEXT, as_numbers
from sampler.streams.python_cells import python_cells

MODELS = ("logistic", "linear", "poisson", "gaussian_mean")


def distinct(columns: Sequence[Any], decimal: str, most: int = 3) -> list[Any]:
    """Up to ``most`` different values of a column that comes in parts, sorted: strings where any holds text."""
    read = [(column, *as_numbers(column, decimal)) for column in columns]
    if any((reasons == TEXT).any() for _, _, reasons in read):
        found = {str(cell).strip() for column, _, reasons in read
                 for cell, why in zip(python_cells(column), reasons, strict=True) if why in (TEXT, GOOD)}
    else:
        found = {value for _, values, reasons in read for value in np.unique(values[reasons == GOOD]).tolist()}
    return in_order(found)[:most]


def in_order(values: Iterable[Any]) -> list[Any]:
    """Sort values; texts whatever their case, so that of "Yes" and "no" the second, which a model takes for 1, is "Yes"."""
    return sorted(values, key=lambda value: (value.casefold(), value) if isinstance(value, str) else value)


def infer_model(values: list[Any], response: str, rows: int) -> str:
    """``logistic`` for a response of two values in ``rows`` rows; otherwise a ValueError that says what to pass."""
    if len(values) == 2:
        return "logistic"
    if len(values) < 2:
        seen = f"only the value {values[0]!r}" if values else "no number"
        where = "the only row there is" if rows == 1 else f"its first {rows:,} rows"
        raise ValueError(f"model must be given: the response {response!r} has {seen} in {where}; pass one of "
                         f"{', '.join(MODELS[:3])}")
    if isinstance(values[0], str):
        raise ValueError(f"response: column {response!r} holds text of three values or more ({', '.join(values)}, …); "
                         f"logistic regression needs two: pass positive={values[0]!r} (--positive in a command) to have "
                         "that one against all others")
    raise ValueError(f"model must be given: the response {response!r} has more than two values; pass 'linear', "
                     "'poisson' for counts (--model on the command line), or choose another response")


def class_labels(column: Any, classes: tuple[Any, ...], decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """A two-valued response as 0 and 1.

    Returns
    -------
    labels : (n,) float64 of 0 and 1, NaN where the cell is neither class
    reasons : (n,) uint8 as in ``as_numbers``; a third value is GOOD with a NaN label
    """
    values, reasons = as_numbers(column, decimal)
    if isinstance(classes[0], str):
        names = np.array(["" if cell is None else str(cell).strip() for cell in python_cells(column)])
        reasons = np.where((reasons == TEXT) | np.isin(names, classes), GOOD, reasons).astype(np.uint8)
        labels = np.where(names == classes[1], 1.0, np.where(names == classes[0], 0.0, np.nan))
        return labels, reasons
    return np.where(values == classes[1], 1.0, np.where(values == classes[0], 0.0, np.nan)), reasons


def one_against_others(column: Any, positive: str | float, decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """A response of any number of values as 1 where it is ``positive`` and 0 where it is another.

    Returns
    -------
    labels, reasons : as of ``class_labels``; no cell that holds something is left out
    """
    values, reasons = as_numbers(column, decimal)
    words = np.array(words_of(column))
    try:
        number = float(str(positive).replace(decimal, "."))
    except ValueError:
        number = np.nan
    labels = ((words == str(positive).strip()) | (values == number)).astype(float)
    return labels, np.where(reasons == TEXT, GOOD, reasons).astype(np.uint8)
