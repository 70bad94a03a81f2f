"""One-hot encoding of a text column: one 0/1 column per level except the first, the reference."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from sampler.streams.number_columns import GOOD, MISSING, distinct_words
from sampler.streams.source_error import SourceError

MOST_LEVELS = 20
"""Maximum number of levels of a category; group the values of a column with more."""
LEVELS_IN = 1000
"""Number of leading rows that define the levels of a category, independent of the batch size."""
UNKNOWN = 4
"""Reason code of a cell that holds none of the levels of its category."""

Categories = dict[str, tuple[str, ...]]
"""Column -> its levels, the reference first."""

_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
"""A number in the usual notation; one with a leading zero, such as 007, is a code."""
_MAX_EXPONENT = 20
"""Largest decimal exponent, in absolute value, of a number written without an exponent."""


def are_numbers(words: Iterable[str]) -> bool:
    """Return whether every word is a number; 2 and 2.0 are then the same level."""
    return all(map(_NUMBER.fullmatch, words))


def as_level(word: str) -> str:
    """Return the canonical text of a number: 2 for 2.0."""
    value = Decimal(word).normalize()
    return f"{value or abs(value):f}" if abs(value.adjusted()) <= _MAX_EXPONENT else str(value)


def levels_of(columns: Sequence[Any], left: int = LEVELS_IN) -> tuple[str, ...]:
    """Return the levels in the first ``left`` cells of a column supplied in parts: the most frequent level, then the others
    sorted by name; at most ``MOST_LEVELS`` + 1 levels.
    """
    counts: Counter[str] = Counter()
    for column in columns:
        words, at = distinct_words(column[:left])
        for word, n in zip(words, np.bincount(at, minlength=len(words)).tolist(), strict=True):
            counts[word] += n
        left -= len(at)
    counts = +Counter({word: n for word, n in counts.items() if word})
    if not counts:
        return ()
    if are_numbers(counts):
        spelt, counts = counts, Counter()
        for word, n in spelt.items():
            counts[as_level(word)] += n
    reference = min(counts, key=lambda word: (-counts[word], word))
    return (reference, *sorted(set(counts) - {reference})[:MOST_LEVELS])


def chosen_levels(categories: Mapping[str, Any] | Sequence[Any] | None) -> dict[str, tuple[str, ...] | None]:
    """Return the categorical columns, each with its levels, or None if the levels were not supplied.

    Raises
    ------
    ValueError
        If a column has fewer than two levels, more than ``MOST_LEVELS``, or duplicates.
    """
    if categories is None:
        return {}
    if isinstance(categories, str):
        categories = [part.strip() for part in categories.split(",") if part.strip()]
    if not isinstance(categories, Mapping):
        return {str(name): None for name in categories}
    return {str(name): None if levels is None else checked_levels(str(name), tuple(map(str, levels)))
            for name, levels in categories.items()}


def checked_levels(name: str, levels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the levels of a category; raise a SourceError if they are invalid."""
    if not 2 <= len(levels) <= MOST_LEVELS:
        got = f"more than {MOST_LEVELS}" if len(levels) > MOST_LEVELS else f"{len(levels)}"
        few = f"{', '.join(levels[:4])}{', …' if len(levels) > 4 else ''}"
        raise SourceError("categories", f"column {name!r} must have 2 to {MOST_LEVELS} levels, got {got} ({few})",
                          "leave it out, or group its values first")
    different = {as_level(level) for level in levels} if are_numbers(levels) else set(levels)
    if len(different) != len(levels) or "" in levels:
        raise SourceError("categories", f"the levels of {name!r} must be distinct and not empty, got "
                          f"{', '.join(map(repr, levels))}")
    return levels


def feature_names(features: Sequence[str], categories: Categories) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the name of each feature, ``colour=red`` for a level, and the column it is derived from."""
    pairs = []
    for name in features:
        pairs += [(f"{name}={level}", name) for level in categories[name][1:]] if name in categories else [(name, name)]
    return tuple(feature for feature, _ in pairs), tuple(name for _, name in pairs)


def one_hot(column: Any, levels: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Encode a categorical column as 0/1 columns.

    Returns
    -------
    values : (n, len(levels) - 1) float64
        A row of zeros is the reference; NaN where the cell is not a level.
    reasons : (n,) uint8: GOOD, MISSING or UNKNOWN
    """
    words, at = distinct_words(column)
    numbers = are_numbers(levels)
    level_of = {word: as_level(word) if numbers and _NUMBER.fullmatch(word) else word for word in {*words, *levels}}
    place = {level_of[level]: number for number, level in enumerate(levels)}
    places = np.array([place.get(level_of[word], -1) for word in words], int)
    values = (places[:, None] == np.arange(1, len(levels))).astype(float)
    values[places < 0] = np.nan
    empty = np.array([not word for word in words], bool)
    reasons = np.where(empty, MISSING, np.where(places < 0, UNKNOWN, GOOD)).astype(np.uint8)
    return values[at], reasons[at]


def category_sentences(categories: Categories) -> list[str]:
    """Return one sentence per category on its encoding."""
    return [f"column {name!r} is a category: one 0/1 column each for {', '.join(levels[1:])}; all are 0 for the "
            f"reference, {levels[0]}" for name, levels in categories.items()]
