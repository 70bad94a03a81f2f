"""A whole CSV or libsvm file as features and labels.

CSV: comma, semicolon or tab; numbers in every column; a first line of names is understood. libsvm: as
``libsvm_rows`` has it. Two labels of any value (1 and 2, -1 and +1) become 0 and 1, the larger one 1.
"""

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sampler.arguments import whole_number
from sampler.streams.libsvm_reader import looks_like_libsvm
from sampler.streams.libsvm_rows import sparse_rows
from sampler.streams.line_blocks import LineBlocks

LARGEST = 2 * 2**30  # bytes of a dense table


@dataclass(frozen=True, eq=False)
class Table:
    """A data set.

    Attributes
    ----------
    features : (n, d) float array
    labels : (n,) float array
        0 and 1 when the file has two values, else as in the file.
    names : tuple of d str
    source : str
        File it came from.
    label_values : tuple of float
        What the file called the labels, in rising order; empty above two values.
    """

    features: np.ndarray
    labels: np.ndarray
    names: tuple[str, ...]
    source: str
    label_values: tuple[float, ...] = ()


def read_table(path: str | os.PathLike, label: str | int = -1) -> Table:
    """Read a CSV or libsvm file, told apart by its first lines.

    Parameters
    ----------
    path : path of the file
    label : str or int
        CSV only: the labels' column, by name or number (-1 is the last).

    Raises
    ------
    ValueError
        When the file is missing, or a line is broken: the message has its number.
    """
    try:
        sparse = looks_like_libsvm(path)
    except OSError as error:
        raise ValueError(f"path: {os.fspath(path)!r} cannot be read as text ({error}); check the file") from None
    if sparse:
        return read_libsvm(path)
    return read_csv(path, label)


def read_libsvm(path: str | os.PathLike) -> Table:
    """Read a libsvm file whole, as a dense table; ValueError names the first broken line."""
    parts, line = [], 0
    try:
        for block in LineBlocks(path):
            rows = sparse_rows(block.removeprefix(b"\xef\xbb\xbf"))
            if rows.broken:
                _, at, why = rows.broken[0]
                raise _broken(path, line + at, why)
            parts.append(rows)
            line += block.count(b"\n")
    except OSError as error:
        raise ValueError(f"path: {os.fspath(path)!r} cannot be read as text ({error}); check the file") from None
    n = sum(len(rows.labels) for rows in parts)
    d = 1 + max((int(rows.places.max()) for rows in parts if rows.places.size), default=-1)
    if not d:
        raise ValueError(f"path: {os.fspath(path)!r} holds no libsvm line with features; check the file")
    if 8 * d * n > LARGEST:
        raise ValueError(f"path: {os.fspath(path)!r} would be a dense table of {n} x {d} numbers, beyond "
                         f"{LARGEST / 2**30:g} GiB; keep fewer columns or rows")
    features = np.concatenate([rows.dense(np.arange(d), d).T for rows in parts])
    labels = np.concatenate([rows.labels for rows in parts])
    return _table(features, labels, tuple(f"x{j + 1}" for j in range(d)), path)


def read_csv(path: str | os.PathLike, label: str | int = -1) -> Table:
    """Read a CSV file of numbers whole; ValueError names the first broken line and column."""
    lines = _lines(path)
    kept = [(number, text) for number, text in lines if text.strip()]
    if not kept:
        raise ValueError(f"path: {os.fspath(path)!r} is empty; give a file with one row a line")
    delimiter = max(",;\t", key=kept[0][1].count)
    numbers = [number for number, _ in kept]
    records = list(csv.reader([text for _, text in kept], delimiter=delimiter))
    if len(records) != len(kept):
        raise ValueError(f"path: {os.fspath(path)!r} has quoted fields that span lines; write one row a line")
    names = None
    if all(_number(field) is None for field in records[0]):
        names = tuple(field.strip() for field in records[0])
        records, numbers = records[1:], numbers[1:]
    width = len(names) if names else len(records[0])
    if not records or width < 2:
        raise ValueError(f"path: {os.fspath(path)!r} must hold rows of at least two columns, features and a label")
    names = names or tuple(f"x{j + 1}" for j in range(width))
    column = _column(label, names)
    values = np.empty((len(records), width))
    for i, (number, record) in enumerate(zip(numbers, records, strict=True)):
        if len(record) != width:
            raise _broken(path, number, f"expected {width} columns, got {len(record)}")
        for j, field in enumerate(record):
            value = _number(field)
            if value is None:
                raise _broken(path, number, f"column {names[j]!r} must be a finite number, got {field.strip()!r}")
            values[i, j] = value
    others = [j for j in range(width) if j != column]
    return _table(values[:, others], values[:, column], tuple(names[j] for j in others), path)


def _lines(path) -> list[tuple[int, str]]:
    """Numbered lines, from 1."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"path: {os.fspath(path)!r} cannot be read as text ({error}); check the file") from None
    return list(enumerate(text.splitlines(), 1))


def _number(field: str) -> float | None:
    try:
        value = float(field)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _broken(path, number: int, what: str) -> ValueError:
    return ValueError(f"line {number} of {Path(path).name!r} is broken: {what}; repair or delete that line")


def _column(label: str | int, names: tuple[str, ...]) -> int:
    if isinstance(label, str):
        if label not in names:
            raise ValueError(f"label must be one of the columns {', '.join(names[:20])}, got {label!r}")
        return names.index(label)
    return whole_number("label", label, -len(names), len(names) - 1) % len(names)


def _table(features, labels, names, path) -> Table:
    values = np.unique(labels)
    if len(values) > 2:
        return Table(features, labels, names, os.fspath(path))
    if len(values) == 2:
        labels = (labels == values[1]).astype(float)
    elif values[0] not in (0.0, 1.0):
        labels = np.ones(len(labels))
    return Table(features, labels, names, os.fspath(path), tuple(values.tolist()))
