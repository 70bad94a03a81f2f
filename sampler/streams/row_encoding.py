"""`RowReading`: the conversion of a stream's rows to features, for new rows; `RunningScale`: online standardisation.

The scale depends only on rows up to the current one.
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
"""Ratio of the spreads of two columns above which no common step size suits both."""


class RunningScale:
    """Online standardisation: row k becomes ``(x_k - mean_k) / sd_k`` with mean and standard deviation of rows 1..k.

    A standardised row is a term of the posterior and does not change afterwards. Because row k is
    included, absolute values are at most sqrt(k - 1), and the first row is zero. From row ``settle`` on
    mean and sd are fixed, so that coefficients keep their meaning; with None they are updated with every row.
    A feature that has not varied yet becomes 0.

    Parameters
    ----------
    dim : int
    settle : int >= 2, or None
    """

    def __init__(self, dim: int, settle: int | None = SETTLED) -> None:
        if settle is not None and (isinstance(settle, bool) or int(settle) != settle or settle < 2):
            raise ValueError(f"settle must be a whole number, 2 or more, or None, got {settle!r}; 1000 is the default")
        self.settle = settle
        self.rows, self.mean, self.squares = 0, np.zeros(dim), np.zeros(dim)

    @property
    def sd(self) -> np.ndarray:
        """Standard deviation of the rows so far, (dim,); 0 for a feature that has not varied."""
        return np.sqrt(self.squares / max(self.rows, 1))

    def add(self, features: np.ndarray) -> np.ndarray:
        """Update with rows (n, dim) and return them standardised; the result is independent of batching."""
        out = np.empty_like(features)
        n = len(features)
        growing = n if self.settle is None else min(n, max(0, self.settle - self.rows))
        for i in range(growing):  # Welford's update row by row, so that the result is independent of batching
            self.rows += 1
            gap = features[i] - self.mean
            self.mean = self.mean + gap / self.rows
            self.squares = self.squares + gap * (features[i] - self.mean)
            out[i] = self.apply(features[i])
        out[growing:] = self.apply(features[growing:])
        return out

    def apply(self, features: np.ndarray) -> np.ndarray:
        """Standardise with the current mean and standard deviation, without an update."""
        sd = self.sd
        varied = sd > 1e-12 * (np.abs(self.mean) + np.finfo(float).tiny)  # by more than rounding
        return np.divide(features - self.mean, sd, out=np.zeros_like(features), where=varied)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values from which ``from_dict`` restores the scale bit for bit."""
        return {"settle": self.settle, "rows": self.rows, "mean": self.mean.tolist(),
                "squares": self.squares.tolist()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "RunningScale":
        """Restore a scale from the values of ``to_dict``."""
        scale = cls(len(values["mean"]), values["settle"])
        scale.rows, scale.mean = values["rows"], np.array(values["mean"], float)
        scale.squares = np.array(values["squares"], float)
        return scale


def spread_ratio(features: np.ndarray) -> float:
    """Return the ratio of the largest to the smallest spread among columns that vary; 1 if fewer than two vary.

    This is the smaller of the ratios of standard deviations and of maximum absolute values, so that a column far
    from zero with little spread does not count as wide.

    Parameters
    ----------
    features : (n, d) array

    Raises
    ------
    ValueError
        If the shape is not (n, d) or a value is not finite.
    """
    features = real_array("features", features, "numbers of shape (n, d)")
    if features.ndim != 2:
        raise ValueError(f"features must have shape (n, d), got {features.shape}; pass one row per datum")
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
    """Conversion of new rows to features, identical to that of the `DataStream` it was taken from.

    Attributes
    ----------
    columns : tuple of str
        Source columns of the features.
    categories : dict of str to tuple of str
        Levels of the categorical columns, the reference first.
    decimal : {".", ","}
    intercept : bool
    scale : RunningScale or None
        Scale at the time of the reading; fixed from row ``settle`` on.
    classes : pair or None
        Response values that mean 0 and 1.
    """

    columns: tuple[str, ...]
    categories: Categories
    decimal: str
    intercept: bool
    scale: RunningScale | None
    classes: tuple[Any, ...] | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients, ``column=level`` for a level, the intercept last."""
        return (*feature_names(self.columns, self.categories)[0], *([INTERCEPT] if self.intercept else []))

    def encode(self, x: Any) -> Any:
        """Return the features (m, dim) of rows ``x``, a data frame, dict or list of dicts; return other types unchanged.

        Raises
        ------
        SourceError
            If a column is missing or a cell cannot be used; no row is left out. A ValueError.
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
            raise SourceError("x", f"there is no column {name!r}", f"pass the file's columns: {', '.join(self.columns)}")
        levels = self.categories.get(name)
        values, why = as_numbers(cells[name], self.decimal) if levels is None else one_hot(cells[name], levels)
        if (bad := np.flatnonzero(why)).size:
            wanted = "a finite number" if levels is None else f"one of {', '.join(levels)}"
            cell = cell_at(cells[name], int(bad[0]))
            raise SourceError("x", f"column {name!r} must be {wanted}, row {bad[0] + 1:,} has "
                              f"{shown(getattr(cell, 'item', lambda: cell)())}", "repair that row, or leave it out")
        return values

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a checkpoint; ``from_dict`` restores them."""
        return {**vars(self), "scale": None if self.scale is None else self.scale.to_dict()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "RowReading":
        """Restore a reading from the ``values`` of ``to_dict``, also after a JSON round trip."""
        return cls(**{**values, "scale": None if values["scale"] is None else RunningScale.from_dict(values["scale"])})
