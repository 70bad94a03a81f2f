"""Rows of libsvm text, ``label index:value index:value ...``: indices from 1, rising; what is not named is zero.

``# ...`` is a comment. Plain text is parsed in one go; only where that fails is each line looked at, to say what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

PAIR = r"(?:qid|\d+):\S*"
"""An index and its value, well written or not; ``qid`` belongs to ranking and is refused in words."""
_PLAIN = re.compile(rb"(?:[ \t]*(?:[^\s:#]+(?:[ \t]+\d+:[^\s:#]+)*)?[ \t]*\r?\n)*")


class SparseRows(NamedTuple):
    """Some rows; n of them are whole, with m values other than zero."""

    labels: np.ndarray  #: (n,)
    lengths: np.ndarray  #: (n,) values of each row
    places: np.ndarray  #: (m,) column of each value, from 0
    values: np.ndarray  #: (m,)
    broken: tuple[tuple[int, int, str], ...]  #: of each row that is not whole: its row and its line, from 1, and why

    def dense(self, columns: Sequence[int] | np.ndarray, width: int) -> np.ndarray:
        """(len(columns), n) values of the columns named by number, of ``width`` that there are."""
        slot = np.full(width, -1)
        slot[columns] = np.arange(len(columns))
        at = slot[self.places]
        found = np.zeros((len(columns), len(self.labels)))
        rows = np.repeat(np.arange(len(self.labels)), self.lengths)
        found[at[at >= 0], rows[at >= 0]] = self.values[at >= 0]
        return found


def is_libsvm(lines: list[str]) -> bool:
    """Whether the first lines of a file look like libsvm: a number, then pairs alone, in most lines that have pairs."""
    rows = [fields for line in lines if len(fields := line.partition("#")[0].split()) > 1]
    like = [bool(re.fullmatch(r"[-+.\deE]+", fields[0])) and all(re.fullmatch(PAIR, field) for field in fields[1:])
            for fields in rows]
    return 2 * sum(like) > len(rows)


def sparse_rows(block: bytes, most: int | None = None) -> SparseRows:
    """Parse whole lines.

    Parameters
    ----------
    block : bytes
    most : int, optional
        Largest index that is taken; a row with a larger one is broken.
    """
    text = block if block.endswith(b"\n") else block + b"\n"
    return _at_once(text, most) or _line_by_line(text, most)


def _at_once(text: bytes, most: int | None) -> SparseRows | None:
    """All rows of plain text; None where there is anything to be said."""
    if not _PLAIN.fullmatch(text):
        return None
    lengths = np.array([line.count(b":") for line in text.split(b"\n") if line.strip()], int)
    try:
        numbers = np.array(text.replace(b":", b" ").split(), dtype=bytes).astype(float)
    except ValueError:
        return None
    labels = np.cumsum(1 + 2 * lengths) - 1 - 2 * lengths  # where each row starts
    pairs = np.delete(numbers, labels)
    indices, values = pairs[::2], pairs[1::2]
    if not np.isfinite(numbers).all() or (indices.size and most is not None and indices.max() > most):
        return None
    rows = np.repeat(np.arange(len(lengths)), lengths)
    first = np.diff(rows, prepend=-1) > 0
    if (np.diff(indices, prepend=0.0)[~first] <= 0).any() or (indices < 1).any():
        return None
    return SparseRows(numbers[labels], lengths, indices.astype(int) - 1, values, ())


def _line_by_line(text: bytes, most: int | None) -> SparseRows:
    labels, lengths, places, values, broken, row = [], [], [], [], [], 0
    for line, words in enumerate(text.decode("utf-8", "replace").split("\n"), 1):
        fields = words.partition("#")[0].split()
        if not fields:
            continue
        row += 1
        try:
            label, at, found = _row(fields, most)
        except ValueError as error:
            broken.append((row, line, str(error)))
            continue
        labels.append(label)
        lengths.append(len(at))
        places += at
        values += found
    return SparseRows(np.array(labels, float), np.array(lengths, int), np.array(places, int), np.array(values, float),
                      tuple(broken))


def _row(fields: list[str], most: int | None) -> tuple[float, list[int], list[float]]:
    label = _number(fields[0])
    if label is None:
        raise ValueError(f"the label must be a finite number, got {fields[0]!r}")
    places: list[int] = []
    values: list[float] = []
    last = 0
    for field in fields[1:]:
        place, colon, cell = field.partition(":")
        value = _number(cell)
        if not colon or not place.isascii() or not place.isdigit() or value is None:
            raise ValueError(f"expected index:value, got {field!r}")
        if int(place) <= last:
            raise ValueError(f"indices must rise from 1, got {place} after {last}")
        if most is not None and int(place) > most:
            raise ValueError(f"index {place} is beyond the {most:,} columns that the file had when it was opened")
        last = int(place)
        places.append(last - 1)
        values.append(value)
    return label, places, values


def _number(field: str) -> float | None:
    try:
        value = float(field)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
