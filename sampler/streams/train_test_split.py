"""A seeded split of a table into training and test rows, for held-out likelihoods."""

from dataclasses import dataclass

import numpy as np

from sampler.arguments import whole_number
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
    """
    n = len(table.labels)
    seed = whole_number("seed", seed, 0, 2**63 - 1)
    whole = isinstance(train, int | np.integer) and not isinstance(train, bool)
    count = int(train) if whole else round(float(train) * n)
    if not (0 < count < n) or (not whole and not 0 < train < 1):
        raise ValueError(f"train must be a share in (0, 1) or a number of rows in [1, {n - 1}], got {train!r}; "
                         "both parts need a row")
    order = np.random.default_rng(seed).permutation(n)
    features, names = table.features, table.names
    if standardize:
        mean, deviation = features[order[:count]].mean(axis=0), features[order[:count]].std(axis=0)
        varies = deviation > 1e-12 * np.maximum(1.0, np.abs(mean))
        features = (features[:, varies] - mean[varies]) / deviation[varies]
        names = tuple(name for name, keep in zip(names, varies, strict=True) if keep)
    if intercept:
        features, names = np.column_stack([features, np.ones(n)]), (*names, "intercept")
    parts = order[:count], order[count:]
    return Split(features[parts[0]], table.labels[parts[0]], features[parts[1]], table.labels[parts[1]], names)
