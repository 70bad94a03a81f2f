"""A whole CSV or libsvm file as features and labels.

CSV: any separator, encoding and decimal mark that a `DataStream` takes; numbers in every column but the labels'; a first
line of names is understood. libsvm: as ``libsvm_rows`` has it. Two labels of any value (1 and 2, -1 and +1, no and yes)
become 0 and 1, the larger one 1.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sampler.arguments import shown, whole_number
from sampler.streams.category_columns import Categories, category_words, checked_levels, feature_names, levels_of, one_hot
from sampler.streams.column_choice import likely_response
from sampler.streams.dropped_rows import Dropped
from sampler.streams.label_column import in_order, one_against_others
from sampler.streams.libsvm_reader import looks_like_libsvm
from sampler.streams.libsvm_rows import sparse_rows
from sampler.streams.line_blocks import LineBlocks
from sampler.streams.number_column import GOOD, MISSING_WORDS
from sampler.streams.text_layout import layout_of, records

LARGEST = 2 * 2**30  # bytes of a dense table
MOST_UNPACKED = 200_000_000  # bytes of text in a packed file, which is read whole


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
    label_values : tuple of float or str
        What the file called the labels, in rising order; empty above two values. Of one class against the others "not"
        with that class, then the class.
    label : str
        Column of the labels, where the file has columns with names.
    said : tuple of str
        How the text was read, where that is worth a sentence.
    """

    features: np.ndarray
    labels: np.ndarray
    names: tuple[str, ...]
    source: str
    label_values: tuple[float | str, ...] = ()
    label: str = ""
    said: tuple[str, ...] = ()


def read_table(path: str | os.PathLike[str], label: str | int | None = None, categories: Sequence[str | int] = (),
               without: Sequence[str | int] = (), leave_out: bool = False, positive: str | float | None = None) -> Table:
    """Read a CSV or libsvm file, told apart by its first lines.

    Parameters
    ----------
    path : path of the file
    label : str or int, optional
        CSV only: the labels' column, by name or number (-1 is the last); None takes one called y, label, target, class,
        outcome or response, or the last.
    categories : sequence of str or int
        CSV only: columns of words, by name or number from 0, that become columns of 0 and 1, one for each of 2 to 20 levels
        but the most frequent.
    without : sequence of str or int
        CSV only: columns that are left out, whatever they hold.
    leave_out : bool
        CSV only: leave rows with a missing or infinite cell out, and say which in ``said``; else such a row is an error.
    positive : str or float, optional
        Label that means 1, where every other means 0: one class against the others.

    Raises
    ------
    ValueError
        When the file is missing, or a line is broken: the message has its number. For a category with too many levels, and
        where no label is ``positive``.
    """
    try:
        sparse = looks_like_libsvm(path, Path(path).name)
    except OSError as error:
        raise ValueError(f"path: {os.fspath(path)!r} cannot be read as text ({error}); check the file") from None
    if sparse:
        return read_libsvm(path, positive)
    return read_csv(path, label, categories, without, leave_out, positive)


def read_libsvm(path: str | os.PathLike[str], positive: str | float | None = None) -> Table:
    """Read a libsvm file whole, as a dense table, one label against the others or as it is; ValueError names the first
    broken line.
    """
    parts, line = [], 0
    try:
        for block in LineBlocks(path):
            rows = sparse_rows(block)
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
    names = tuple(f"x{j + 1}" for j in range(d))
    if positive is None:
        return _table(features, labels, names, path)
    of_label, called = _against_others(np.unique(labels).tolist(), positive, "label", ".")
    return Table(features, np.array([of_label[label] for label in labels]), names, os.fspath(path), called)


def read_csv(path: str | os.PathLike[str], label: str | int | None = None, categories: Sequence[str | int] = (),
             without: Sequence[str | int] = (), leave_out: bool = False, positive: str | float | None = None) -> Table:
    """Read a CSV file of numbers whole, arguments as of `read_table`; ValueError names the first broken line and column."""
    text, beginning, said = _text(path)
    if not text.strip():
        raise ValueError(f"path: {os.fspath(path)!r} is empty; give a file with one row a line")
    layout = layout_of(beginning, Path(path).name)
    found = list(records(text, layout.separator))[layout.header:]
    width = len(layout.names)
    if not found or width < 2:
        raise ValueError(f"path: {os.fspath(path)!r} must hold rows of at least two columns, features and a label")
    names = layout.names if layout.header else tuple(f"x{j + 1}" for j in range(width))
    column = _column(label, names)
    encoded, left_out = ([_column(name, names, "categories") for name in categories],
                         [_column(name, names, "without") for name in without])
    if column in (*encoded, *left_out):
        raise ValueError(f"categories and without must be other columns than the label, {names[column]!r}")
    words = _words(found, column) if positive is None else {}
    called: tuple[float | str, ...] = tuple(words)
    if positive is not None:
        words, called = _against_others(_labels(found, column), positive, names[column], layout.decimal)
    elif not words:
        _refuse_classes(found, column, names[column], layout.decimal, Path(path).name)
    others = [j for j in range(width) if j not in (column, *encoded, *left_out)]
    if not others and not encoded:
        raise ValueError(f"path: {os.fspath(path)!r} has no column of numbers beside the label, {names[column]!r}; take one "
                         "of words as columns of 0 and 1 (categories), or another file")
    values, whole, dropped = np.empty((len(found), width)), np.ones(len(found), bool), Dropped()
    for i, (number, record) in enumerate(found):
        if len(record) != width + layout.trailing:
            raise _broken(path, number, f"expected {width + layout.trailing} columns, got {len(record)}")
        for j in (*others, column, *encoded):
            field = record[j]
            value = (words.get(field.strip()) if words and j == column else _number(field, layout.decimal)
                     ) if j not in encoded else None if field.strip() in MISSING_WORDS else 0.0
            if value is None and leave_out and (why := _why_left_out(field)):
                whole[i] = False
                dropped.add(f"{why} in column {names[j]!r}", f"row {i + 1:,} of {Path(path).name}")
                break
            if value is None and j in encoded:
                raise _broken(path, number, f"column {names[j]!r} has no value")
            if value is None:
                wanted = " or ".join(map(repr, called)) if words and j == column else "a finite number"
                raise _broken(path, number, f"column {names[j]!r} must be {wanted}, got {_said(field)}")
            values[i, j] = value
    if not whole.any():
        raise ValueError(f"path: {os.fspath(path)!r} has no row with a value in every column: {dropped.sentences()[0]}; "
                         "fill cells, or choose fewer columns")
    levels, columns = _encoded([found[i] for i in np.flatnonzero(whole)], [(j, names[j]) for j in encoded])
    values = values[whole]
    features = np.column_stack([values[:, others], *columns])
    named = feature_names([names[j] for j in (*others, *encoded)], levels)[0]
    table = _table(features, values[:, column], named, path)
    said = (*said, *(["read with decimal commas"] if layout.decimal == "," else []), *filter(None, [layout.said]),
            *category_words(levels), *dropped.sentences())
    return replace(table, label_values=called or table.label_values, label=names[column], said=said)


def _encoded(found: list[tuple[int, list[str]]], columns: list[tuple[int, str]]) -> tuple[Categories, list[np.ndarray]]:
    """Levels of columns of words, and their columns of 0 and 1."""
    levels: Categories = {}
    parts = []
    for j, name in columns:
        cells = [record[j] for _, record in found]
        levels[name] = checked_levels(name, levels_of([cells], len(cells)))
        parts.append(one_hot(cells, levels[name])[0])
    return levels, parts


def table_columns(path: str | os.PathLike[str]) -> tuple[tuple[str, ...], bool]:
    """Names of a CSV file's columns, and whether the file names them; none for a libsvm file.

    Parameters
    ----------
    path : path
        A CSV or libsvm file.
    """
    if looks_like_libsvm(path, Path(path).name):
        return (), False
    blocks = LineBlocks(path, name=Path(path).name, quoted=True)
    layout = layout_of(next(iter(blocks), b"").decode(), Path(path).name)
    return layout.names, layout.header


def _text(path: str | os.PathLike[str]) -> tuple[str, str, tuple[str, ...]]:
    """The whole text, its first rows up to a megabyte, and what was found about its encoding."""
    try:
        blocks = LineBlocks(path, name=Path(path).name, quoted=True)
        parts, size = [], 0
        for part in blocks:
            parts.append(part)
            size += len(part)
            if blocks.packed and size > MOST_UNPACKED:
                raise ValueError(f"path: {os.fspath(path)!r} unpacks to more than {MOST_UNPACKED:,} bytes; keep fewer rows")
        beginning = next((part for part in parts if part.strip()), b"")
        return b"".join(parts).decode(), beginning.decode(), blocks.said
    except OSError as error:
        raise ValueError(f"path: {os.fspath(path)!r} cannot be read as text ({error}); check the file") from None


def _said(field: str) -> str:
    return repr(field.strip()) if field.strip() else "an empty cell"


def _labels(found: list[tuple[int, list[str]]], column: int) -> set[str]:
    """Different labels as they are written, but for what is missing."""
    return {record[column].strip() for _, record in found if len(record) > column} - set(MISSING_WORDS)


def _against_others(labels: Iterable[Any], positive: str | float, name: str, decimal: str,
                    ) -> tuple[dict[Any, float], tuple[str, str]]:
    """Each label -> 1 where it is ``positive``, else 0, and what 0 and 1 are called; ValueError where none is."""
    labels = in_order(labels)
    values, reasons = one_against_others(labels, positive, decimal)
    if not values.any():
        some = ", ".join(map(repr, labels[:4])) + ", …" * (len(labels) > 4)
        raise ValueError(f"positive must be a value of the label, column {name!r} ({some}), got {shown(positive)}; "
                         "choose one of them")
    of_label = {label: float(value) for label, value, why in zip(labels, values, reasons, strict=True) if why == GOOD}
    return of_label, (f"not {positive}", str(positive))


def _words(found: list[tuple[int, list[str]]], column: int) -> dict[str, float]:
    """Two words that the labels are made of -> 0 and 1; empty where they are numbers, or more than two."""
    cells = _labels(found, column)
    two = len(cells) == 2 and None in map(_number, cells)
    return dict(zip(in_order(cells), (0.0, 1.0), strict=True)) if two else {}


def _refuse_classes(found: list[tuple[int, list[str]]], column: int, name: str, decimal: str, where: str) -> None:
    """A ValueError where most labels are words, and not two."""
    cells = [record[column].strip() for _, record in found if len(record) > column]
    text = [cell for cell in cells if cell not in MISSING_WORDS and _number(cell, decimal) is None and not _infinite(cell)]
    if 2 * len(text) > len(cells):
        classes = in_order(set(text))
        some = ", ".join(map(repr, classes[:4])) + ", …" * (len(classes) > 4)
        one = (f"; choose another column, or pass positive={classes[0]!r} to have that one against all others"
               if len(classes) > 1 else "; choose another column")
        raise ValueError(f"label: column {name!r} of {where!r} must hold numbers or two words, got {len(classes)} "
                         f"{'word' if len(classes) == 1 else 'words'} ({some}){one}")


def _why_left_out(field: str) -> str:
    """Why a row with this cell may be left out; empty where the cell is wrong rather than missing."""
    return "missing or NaN" if field.strip() in MISSING_WORDS else "infinite" if _infinite(field) else ""


def _infinite(field: str) -> bool:
    return field.strip().lstrip("+-").lower() in ("inf", "infinity")


def _number(field: str, decimal: str = ".") -> float | None:
    try:
        value = float(field.replace(decimal, ".") if decimal != "." else field)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _broken(path: str | os.PathLike[str], number: int, what: str) -> ValueError:
    return ValueError(f"line {number} of {Path(path).name!r} is broken: {what}; repair or delete that line")


def _column(label: str | int | None, names: tuple[str, ...], argument: str = "label") -> int:
    if label is None:
        return names.index(likely_response(names) or names[-1])
    if isinstance(label, str):
        if label not in names:
            raise ValueError(f"{argument} must be one of the columns {', '.join(names[:20])}, got {label!r}")
        return names.index(label)
    return whole_number("label", label, -len(names), len(names) - 1) % len(names)


def _table(features: Any, labels: np.ndarray, names: Any, path: str | os.PathLike[str]) -> Table:
    values = np.unique(labels)
    if len(values) > 2:
        return Table(features, labels, names, os.fspath(path))
    if len(values) == 2:
        labels = (labels == values[1]).astype(float)
    elif values[0] not in (0.0, 1.0):
        labels = np.ones(len(labels))
    return Table(features, labels, names, os.fspath(path), tuple(values.tolist()))
