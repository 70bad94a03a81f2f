"""`Table`: an entire file as features and labels; `split_table`: its seeded split into training and test rows."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sampler.arguments import instance_of, shown, whole_number
from sampler.streams.category_columns import category_sentences, checked_levels, feature_names, levels_of
from sampler.streams.chunk import Chunk
from sampler.streams.column_choice import Choice, likely_response, too_many_classes
from sampler.streams.number_columns import distinct, in_order, text_share
from sampler.streams.row_cleaning import RowCleaner
from sampler.streams.source_error import CATEGORIES, SourceError
from sampler.streams.sources import open_source

LARGEST = 2 * 2**30
"""Maximum size of a table in bytes."""


@dataclass(frozen=True, eq=False)
class Table:
    """Data set in memory.

    Attributes
    ----------
    features : (n, d) float array
    labels : (n,) float array
        0 and 1 if the file has at most two label values, else as in the file.
    names : tuple of d str
    source : str
        Name or path of the source file.
    label_values : tuple of float or str
        Label values of the file in ascending order; empty if there are more than two. For one class against the
        others, "not CLASS" and CLASS.
    label : str
        Name of the label column.
    notes : tuple of str
        Sentences on the detected format, encoded categories and rows left out.
    """

    features: np.ndarray
    labels: np.ndarray
    names: tuple[str, ...]
    source: str
    label_values: tuple[float | str, ...] = ()
    label: str = ""
    notes: tuple[str, ...] = ()


def read_table(source: Any, label: str | int | None = None, categories: Sequence[str | int] = (),
               without: Sequence[str | int] = (), leave_out: bool = False, positive: str | float | None = None) -> Table:
    """Read an entire source into memory: any file supported by `DataStream`, or a pair of a file name and a path.

    Parameters
    ----------
    source : path, or (file name, path)
    label : str or int, optional
        Label column, by name or number from 0 (-1 is the last); None uses one named y, label, target, class,
        outcome or response, else the last.
    categories : sequence of str or int
        Columns, by name or number, to encode as 0/1 columns, one for each of 2 to 20 levels except the most frequent.
    without : sequence of str or int
        Columns to leave out.
    leave_out : bool
        Whether to leave out rows with a non-numeric cell and list them in ``notes``; otherwise such a row is an error.
    positive : str or float, optional
        Label that means 1; every other label means 0.

    Raises
    ------
    SourceError
        If the file is missing or cannot be read, a row cannot be used, a category has too many levels, or no label is
        ``positive``.
    """
    reader = open_source(source)
    place = source[0] if isinstance(source, tuple) else os.fspath(source)
    choice, chunks = _choose(reader, label, categories, without)
    response, decimal = str(choice.response), getattr(reader, "decimal", ".")
    columns = [chunk.columns[response] for chunk in chunks]
    values = distinct(columns, decimal, most=4)
    words = bool(values) and isinstance(values[0], str)
    classes: tuple[Any, ...] | None = None if positive is None else (f"not {positive}", str(positive))
    if positive is None and words and len(values) == 2:
        classes = tuple(values)
    elif positive is None and words and np.mean([text_share(column, decimal) for column in columns]) > 0.5:
        raise too_many_classes(response, values, f" of {Path(place).name!r}") if len(values) > 2 else SourceError(
            "label", f"column {response!r} of {Path(place).name!r} holds one word, {values[0]!r}", "choose another column")
    encoded = [name for name in choice.features if name in choice.left_out]
    rows = sum(chunk.n for chunk in chunks)
    levels = {name: checked_levels(name, levels_of([chunk.columns[name] for chunk in chunks], rows)) for name in encoded}
    cleaner = RowCleaner(choice, "linear" if classes is None else "logistic", classes, decimal, levels, positive)
    numbers = np.concatenate([cleaner.numbers(chunk) for chunk in chunks])
    dropped = cleaner.dropped()
    if dropped and not leave_out:
        reason, names = next(iter(cleaner.named.items()))
        raise SourceError("source", f"{names[0]} cannot be used: {reason}", "repair or delete that row")
    if not len(numbers):
        raise SourceError("source", f"{Path(place).name!r} has no row with a value in every column: {dropped[0]}",
                          "fill cells, or choose fewer columns")
    features, labels = np.ascontiguousarray(numbers[:, :-1]), numbers[:, -1]
    if positive is not None and not labels.any():
        some = ", ".join(map(repr, in_order(values)[:4])) + ", …" * (len(values) > 3)
        raise SourceError("", f"positive must be a value of the label, column {response!r} ({some}), got {shown(positive)}",
                          "choose one of them")
    if classes is None:
        labels, classes = _two_labels(labels)
    notes = (*getattr(reader, "notes", ()), *category_sentences(levels), *dropped)
    return Table(features, labels, feature_names(choice.features, levels)[0], place, classes, response, notes)


def _choose(reader: Any, label: Any, categories: Sequence[Any], without: Sequence[Any]) -> tuple[Choice, list[Chunk]]:
    """Return the columns in use, those to encode last and listed in ``left_out``; and their chunks."""
    names = tuple(reader.names)

    def name_of(argument: str, wanted: str | int) -> str:
        if isinstance(wanted, str) and wanted not in names:
            raise SourceError("", f"{argument} must be one of the columns {', '.join(names[:20])}, got {wanted!r}")
        return wanted if isinstance(wanted, str) else names[whole_number(argument, wanted, -len(names), len(names) - 1)]

    response = likely_response(names) or names[-1] if label is None else name_of("label", label)
    encoded, left_out = ([name_of(argument, name) for name in columns]
                         for argument, columns in (("categories", categories), ("without", without)))
    if response in (*encoded, *left_out):
        raise SourceError("", f"categories and without must not contain the label, {response!r}")
    features = (*(name for name in names if name not in (response, *encoded, *left_out)), *encoded)
    if not features:
        raise SourceError("", f"source has no numeric column except the label, {response!r}", "encode a text column "
                          "as 0/1 columns (categories), or choose another file", CATEGORIES)
    if 8 * len(features) * (getattr(reader, "rows", None) or 0) > LARGEST:
        raise SourceError("source", f"it would be a table of {reader.rows:,} x {len(features):,} numbers, beyond "
                          f"{LARGEST / 2**30:g} GiB", "keep fewer columns or rows")
    choice = Choice(response, features, dict.fromkeys(encoded, "encoded"))
    chunks = list(reader.chunks(choice.columns))
    if not any(chunk.read for chunk in chunks):
        raise SourceError("", "source has a header but no rows", "wait for data, or check the path")
    return choice, chunks


def _two_labels(labels: np.ndarray) -> tuple[np.ndarray, tuple[float | str, ...]]:
    """Encode labels of at most two values as 0 and 1 and return the values; return other labels unchanged."""
    values = np.unique(labels)
    if len(values) > 2:
        return labels, ()
    if len(values) == 2:
        labels = (labels == values[1]).astype(float)
    elif values[0] not in (0.0, 1.0):
        labels = np.ones(len(labels))
    return labels, tuple(values.tolist())


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows; shift and scale are estimated on the training rows only.

    Attributes
    ----------
    train_features, test_features : (n, d) arrays
        Optionally standardised without constant columns, and with a last column of ones.
    train_labels, test_labels : (n,) arrays
    names : tuple of d str
    """

    train_features: np.ndarray
    train_labels: np.ndarray
    test_features: np.ndarray
    test_labels: np.ndarray
    names: tuple[str, ...]


def split_table(table: Table, train: float | int = 0.75, seed: int = 0, standardize: bool = True,
                intercept: bool = True) -> Split:
    """Shuffle the rows and split them.

    Parameters
    ----------
    table : Table
    train : float in (0, 1), or int
        Share, or number, of training rows.
    seed : int >= 0
        Seed of the shuffle.
    standardize : bool
        Scale columns to mean 0 and standard deviation 1 on the training rows; drop constant columns.
    intercept : bool
        Add a last column of ones.

    Raises
    ------
    ValueError
        If ``train`` leaves one part empty.
    """
    instance_of("table", table, Table, "read one with read_table")
    n = len(table.labels)
    seed = whole_number("seed", seed, 0, 2**63 - 1)
    whole = isinstance(train, int | np.integer) and not isinstance(train, bool)
    share = isinstance(train, float | np.floating) and 0 < train < 1
    count = int(train) if whole else round(float(train) * n) if share else 0
    if not 0 < count < n:
        raise ValueError(f"train must be a share in (0, 1) or a number of rows in [1, {n - 1}], got {shown(train)}; "
                         "both parts need a row")
    order = np.random.default_rng(seed).permutation(n)
    train_rows, test_rows = order[:count], order[count:]
    return _split((table.features[train_rows], table.features[test_rows]),
                  (table.labels[train_rows], table.labels[test_rows]), table.names, standardize, intercept)


def split_tables(train: Table, test: Table, standardize: bool = True, intercept: bool = True) -> Split:
    """Build a split from separate training and test files of one data set.

    A libsvm file may lack the last columns of the other; they are zero.

    Parameters
    ----------
    train : Table
    test : Table
        Table with the labels and columns of ``train``.
    standardize, intercept : bool
        As for `split_table`.

    Raises
    ------
    ValueError
        If the two files differ in labels or columns.
    """
    instance_of("train", train, Table, "read it with read_table")
    instance_of("test", test, Table, "read it with read_table")
    if train.label_values != test.label_values:
        raise ValueError(f"test must have the labels of train, {_listed(train.label_values)}, got "
                         f"{_listed(test.label_values)}; pass two files of the same data set")
    width = max(len(train.names), len(test.names))
    names = train.names if len(train.names) == width else test.names
    if any(table.names != names[:len(table.names)] for table in (train, test)):
        raise ValueError("test must have the columns of train, in the same order; pass two files of the same data set")
    features = tuple(np.pad(table.features, ((0, 0), (0, width - len(table.names)))) for table in (train, test))
    return _split(features, (train.labels, test.labels), names, standardize, intercept)


def _split(features: Any, labels: Any, names: tuple[str, ...], standardize: bool, intercept: bool) -> Split:
    if standardize:
        mean, deviation = features[0].mean(axis=0), features[0].std(axis=0)
        varies = deviation > 1e-12 * np.maximum(1.0, np.abs(mean))
        features = tuple((part[:, varies] - mean[varies]) / deviation[varies] for part in features)
        names = tuple(name for name, keep in zip(names, varies, strict=True) if keep)
    if intercept:
        features = tuple(np.column_stack([part, np.ones(len(part))]) for part in features)
        names = (*names, "intercept")
    return Split(features[0], labels[0], features[1], labels[1], names)


def _listed(values: tuple[Any, ...]) -> str:
    return " and ".join(f"{value:g}" for value in values) or "more than two"
