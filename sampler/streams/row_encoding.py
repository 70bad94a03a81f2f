"""How a stream makes numbers of a row, kept for rows to come: columns, levels, decimal mark, scale, intercept.

The scale is standardisation as features arrive, never with a row to come.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.arguments import SMALLEST, check_size, real_array, shown
from sampler.streams.category_columns import Categories, feature_names, one_hot
from sampler.streams.number_columns import as_numbers, cell_at
from sampler.streams.source_error import SourceError

SETTLED = 1000
UNEQUAL = 10.0
"""Ratio of the spreads of two columns above which no single step size suits both."""


class RunningScale:
    """Row k becomes ``(x_k - mean_k) / sd_k`` with the mean and standard deviation of rows 1..k, row k included.

    A row's numbers never change afterwards: it is a term of the posterior from then on. Because row k is
    included, no number is ever above sqrt(k - 1), and the first row is all zeros. From row ``settle`` on the
    mean and sd stay as they are, so that a coefficient keeps its meaning; None never stops.
    A feature that has not varied yet becomes 0.

    Parameters
    ----------
    dim : int
    settle : int >= 2, or None
    """

    def __init__(self, dim: int, settle: int | None = SETTLED) -> None:
        if settle is not None and (isinstance(settle, bool) or int(settle) != settle or settle < 2):
            raise ValueError(f"settle must be a whole number, 2 or more, or None, got {settle!r}; 1000 is usual")
        self.settle = settle
        self.rows, self.mean, self.squares = 0, np.zeros(dim), np.zeros(dim)

    @property
    def sd(self) -> np.ndarray:
        """Standard deviation so far, (dim,); 0 where the feature has not varied."""
        return np.sqrt(self.squares / max(self.rows, 1))

    def add(self, features: np.ndarray) -> np.ndarray:
        """Take in rows (n, dim) and return them standardised; batches make no difference."""
        out = np.empty_like(features)
        n = len(features)
        growing = n if self.settle is None else min(n, max(0, self.settle - self.rows))
        for i in range(growing):  # Welford's update: one row at a time, so that batches cannot matter
            self.rows += 1
            gap = features[i] - self.mean
            self.mean = self.mean + gap / self.rows
            self.squares = self.squares + gap * (features[i] - self.mean)
            out[i] = self.apply(features[i])
        out[growing:] = self.apply(features[growing:])
        return out

    def apply(self, features: np.ndarray) -> np.ndarray:
        """Standardise with the current mean and deviation, without an update."""
        sd = self.sd
        varied = sd > 1e-12 * (np.abs(self.mean) + np.finfo(float).tiny)  # by more than rounding
        return np.divide(features - self.mean, sd, out=np.zeros_like(features), where=varied)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; ``from_dict`` goes on bit for bit."""
        return {"settle": self.settle, "rows": self.rows, "mean": self.mean.tolist(),
                "squares": self.squares.tolist()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "RunningScale":
        """Put back what ``to_dict`` gave."""
        scale = cls(len(values["mean"]), values["settle"])
        scale.rows, scale.mean = values["rows"], np.array(values["mean"], float)
        scale.squares = np.array(values["squares"], float)
        return scale


def spread_ratio(features: np.ndarray) -> float:
    """How many times as far the widest of the columns that vary spreads as the narrowest; 1 where fewer than two vary.

    The smaller of two ratios, of standard deviations and of largest absolute values: a column far from zero with
    little spread is not taken for a wide one.

    Parameters
    ----------
    features : (n, d) array

    Raises
    ------
    ValueError
        For another shape than (n, d), and values that are not finite.
    """
    features = real_array("features", features, "numbers of shape (n, d)")
    if features.ndim != 2:
        raise ValueError(f"features must have shape (n, d), got {features.shape}; one row a datum")
    check_size("features", features, "drop or repair that row")
    if not features.size:
        return 1.0
    varied = np.ptp(features, axis=0) > 1e-12 * np.abs(features).max(axis=0)  # by more than rounding
    moving = features[:, varied & (features.std(axis=0) >= SMALLEST)]
    if moving.shape[1] < 2:
        return 1.0
    spread, size = moving.std(axis=0), np.abs(moving).max(axis=0)
    return min(float(spread.max() / spread.min()), float(size.max() / size.min()))


INTERCEPT = "intercept"


@dataclass(frozen=True)
class RowReading:
    """Reading of new rows exactly as those of the `DataStream` whose ``reading`` it is.

    Attributes
    ----------
    columns : tuple of str
        Columns of the source that features are made of.
    categories : dict of str to tuple of str
        Levels of the columns of words, the reference first.
    decimal : {".", ","}
    intercept : bool
    scale : RunningScale or None
        As it stood then; from row ``settle`` on it is what it stays.
    classes : pair or None
        Values of the response that mean 0 and 1.
    """

    columns: tuple[str, ...]
    categories: Categories
    decimal: str
    intercept: bool
    scale: RunningScale | None
    classes: tuple[Any, ...] | None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coefficients, ``column=level`` for a level, the intercept last."""
        return (*feature_names(self.columns, self.categories)[0], *([INTERCEPT] if self.intercept else []))

    def encode(self, x: Any) -> Any:
        """Features (m, dim) of rows ``x``: a data frame, a dict, a list of dicts. Anything else is returned as it is.

        Raises
        ------
        SourceError
            A ValueError, for a missing column and the first cell that cannot be used; no row is left out.
        """
        rows = [x] if isinstance(x, Mapping) else x
        if isinstance(rows, list | tuple) and rows and all(isinstance(row, Mapping) for row in rows):
            cells = {name: [row.get(name) for row in rows] for name in self.columns if any(name in row for row in rows)}
        elif hasattr(x, "columns") and hasattr(x, "to_numpy"):
            cells = {str(name): x[name].to_numpy() for name in x.columns}
        else:
            return x
        features = np.column_stack([self._numbers(name, cells) for name in self.columns])
        features = features if self.scale is None else self.scale.apply(features)
        return np.column_stack([features, np.ones(len(features))]) if self.intercept else features

    def _numbers(self, name: str, cells: dict[str, Any]) -> np.ndarray:
        if name not in cells:
            raise SourceError("x", f"there is no column {name!r}", f"give those of the file: {', '.join(self.columns)}")
        levels = self.categories.get(name)
        values, why = as_numbers(cells[name], self.decimal) if levels is None else one_hot(cells[name], levels)
        if (bad := np.flatnonzero(why)).size:
            wanted = "a finite number" if levels is None else f"one of {', '.join(levels)}"
            cell = cell_at(cells[name], int(bad[0]))
            raise SourceError("x", f"column {name!r} must be {wanted}, row {bad[0] + 1:,} has "
                              f"{shown(getattr(cell, 'item', lambda: cell)())}", "repair that row, or leave it out")
        return values

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a checkpoint; ``from_dict`` puts them back."""
        return {**vars(self), "scale": None if self.scale is None else self.scale.to_dict()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "RowReading":
        """Reading of which ``to_dict`` gave ``values``, from JSON too."""
        return cls(**{**values, "scale": None if values["scale"] is None else RunningScale.from_dict(values["scale"])})
