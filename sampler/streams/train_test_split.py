"""A seeded split of a table into training and test rows, for held-out likelihoods."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.arguments import instance_of, shown, whole_number
from sampler.streams.tabular_file import Table


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows; the shift and scale were learnt on the training rows alone.

    Attributes
    ----------
    train_features, test_features : (n, d) arrays
        Standardised, constant columns left out, the intercept's ones last, as asked for.
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
        Same seed, same split.
    standardize : bool
        Shift and scale columns to mean 0 and deviation 1 on the training rows; constant ones are left out.
    intercept : bool
        Add a last column of ones.

    Raises
    ------
    ValueError
        For a share or a number of rows that leaves one part empty.
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
    """Take the training and the test rows from two files of one data set; arguments as for ``split_table``.

    Of libsvm files one may lack the last columns, which are zero there.

    Parameters
    ----------
    train : Table
    test : Table
        Has the labels and columns of ``train``.
    standardize, intercept : bool
        As for `split_table`.

    Raises
    ------
    ValueError
        When the two files differ in labels or columns.
    """
    instance_of("train", train, Table, "read it with read_table")
    instance_of("test", test, Table, "read it with read_table")
    if train.label_values != test.label_values:
        raise ValueError(f"test must have the labels of train, {_listed(train.label_values)}, got "
                         f"{_listed(test.label_values)}; give the two files of one data set")
    width = max(len(train.names), len(test.names))
    names = train.names if len(train.names) == width else test.names
    if any(table.names != names[:len(table.names)] for table in (train, test)):
        raise ValueError("test must have the columns of train, in the same order; give the two files of one data set")
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
