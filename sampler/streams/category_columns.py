"""Categories: a column of words as columns of 0 and 1, one for each level but the first, the reference."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from sampler.streams.number_columns import GOOD, MISSING, distinct_words
from sampler.streams.source_error import SourceError

MOST_LEVELS = 20
"""Levels a category may have: one with more is no category, or wants to be grouped first."""
LEVELS_IN = 1000
"""Rows, from the first, whose words are the levels of a category: however many come at once."""
UNKNOWN = 4
"""Reason of a cell whose level is not among those of the category."""

Categories = dict[str, tuple[str, ...]]
"""Column -> its levels, the reference first."""

_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
"""A number as numbers are written: one with a zero before it, 007, is a code."""
_LONGEST = 20
"""Digits before or behind the point of a number that is written without an exponent."""


def are_numbers(words: Iterable[str]) -> bool:
    """Whether every word is a number: then 2 and 2.0 are one level."""
    return all(map(_NUMBER.fullmatch, words))


def as_level(word: str) -> str:
    """Return a number as the level it is: 2 for 2.0."""
    value = Decimal(word).normalize()
    return f"{value or abs(value):f}" if abs(value.adjusted()) <= _LONGEST else str(value)


def levels_of(columns: Sequence[Any], left: int = LEVELS_IN) -> tuple[str, ...]:
    """Levels in the first ``left`` cells of one column, which comes in parts: the most frequent first, then by name; up to
    ``MOST_LEVELS`` + 1 of them.
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
    """Columns that are categories, with their levels where those are given.

    Raises
    ------
    ValueError
        For levels that are fewer than two, more than ``MOST_LEVELS``, or twice the same.
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
    """Return levels that a category can have; ValueError for any others."""
    if not 2 <= len(levels) <= MOST_LEVELS:
        got = f"more than {MOST_LEVELS}" if len(levels) > MOST_LEVELS else f"{len(levels)}"
        few = f"{', '.join(levels[:4])}{', …' if len(levels) > 4 else ''}"
        raise SourceError("categories", f"column {name!r} must have 2 to {MOST_LEVELS} levels, got {got} ({few})",
                          "leave it out, or group its values first")
    different = {as_level(level) for level in levels} if are_numbers(levels) else set(levels)
    if len(different) != len(levels) or "" in levels:
        raise SourceError("categories", f"the levels of {name!r} must be different words, got "
                          f"{', '.join(map(repr, levels))}")
    return levels


def feature_names(features: Sequence[str], categories: Categories) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the features that columns give, ``colour=red`` for a level, and the column that each is made of."""
    pairs = []
    for name in features:
        pairs += [(f"{name}={level}", name) for level in categories[name][1:]] if name in categories else [(name, name)]
    return tuple(feature for feature, _ in pairs), tuple(name for _, name in pairs)


def one_hot(column: Any, levels: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Columns of 0 and 1.

    Returns
    -------
    values : (n, len(levels) - 1) float64
        A row of zeros is the reference; NaN where the cell is no level.
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


def category_words(categories: Categories) -> list[str]:
    """A sentence about each category."""
    return [f"column {name!r} is a category: a column of 0 and 1 each for {', '.join(levels[1:])}; all are 0 for the "
            f"reference, {levels[0]}" for name, levels in categories.items()]
