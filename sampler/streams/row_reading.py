"""How a stream makes numbers of a row, kept for rows to come: columns, levels, decimal mark, scale, intercept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.arguments import shown
from sampler.streams.category_columns import Categories, feature_names, one_hot
from sampler.streams.column_values import as_numbers, cell_at
from sampler.streams.feature_scaling import RunningScale
from sampler.streams.source_error import SourceError

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
