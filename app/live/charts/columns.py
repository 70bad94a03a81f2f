"""A `Series` as the columns of the one source that all time panels share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.csv_text import MAKER
from sampler.version import MADE_WITH

if TYPE_CHECKING:
    from app.live.snapshot import Series

NAMES = ("t", "accuracy", "ceiling_low", "ceiling_high", "predicted", "tv", "median", "q95", "farthest",
         "memory", "saga", "sgld", "bound", "cost", "full")
"""Columns, each of the length of `Series.t`."""
JUDGED = ("accuracy", "ceiling_low", "ceiling_high", "predicted", "tv", "memory")
"""Columns that need to know the target: not a number until it is."""


def _onto(t: np.ndarray, measured_t: np.ndarray, values: np.ndarray | None) -> np.ndarray:
    if values is None or len(measured_t) == 0:
        return np.full(len(t), np.nan)
    logs = np.log(np.maximum(values, 1e-300))
    return np.exp(np.interp(np.log(t), np.log(measured_t), logs, left=np.nan))


def columns(series: Series) -> dict[str, np.ndarray]:
    """Return float32 columns; the gradient variance is interpolated (log, log) from its own epochs onto t."""
    found = {name: getattr(series, name) for name in NAMES if name not in ("saga", "sgld", "bound")}
    found |= {name: _onto(series.t, series.variance_t, getattr(series, name))
              for name in ("saga", "sgld", "bound")}
    known = series.t >= (np.inf if series.known_from is None else series.known_from)
    found |= {name: np.where(known, found[name], np.nan) for name in JUDGED}
    return {name: np.asarray(found[name], dtype=np.float32) for name in NAMES}


def empty() -> dict[str, np.ndarray]:
    """Return the columns with no rows."""
    return {name: np.empty(0, dtype=np.float32) for name in NAMES}


def to_csv(data: dict[str, np.ndarray], algorithm: str) -> str:
    """Return the columns as CSV text, a header of names, then a row an epoch with the algorithm's name and the release."""
    rows = [",".join((*NAMES, "algorithm", MAKER))]
    for values in zip(*(data[name] for name in NAMES), strict=True):
        cells = (f"{int(values[0])}" if i == 0 else "" if np.isnan(v) else f"{v:.6g}" for i, v in enumerate(values))
        rows.append(",".join((*cells, algorithm, MADE_WITH)))
    return "\n".join(rows) + "\n"
