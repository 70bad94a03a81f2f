"""The survival curves as CSV text."""

from __future__ import annotations

import numpy as np

from app.csv_text import result_columns
from app.exit_time.bound_curves import CURVES
from app.exit_time.result import ExitResult


def survival_csv(result: ExitResult | None) -> str:
    """Return one row a step: share inside, its band, the comparison walk, what each bound bounds."""
    if result is None or result.crowd is None:
        return ""
    crowd, bounds = result.crowd, result.bounds
    inside = crowd.inside
    columns = {"step": inside.steps, "inside": inside.share, "band_low": inside.low, "band_high": inside.high}
    if crowd.free is not None:
        columns["free_walk"] = crowd.free.share
    if bounds is not None:
        for name in CURVES:
            known = bounds.stays(name)
            if known is not None:
                columns[name] = np.interp(inside.steps, bounds.steps, known)
    return result_columns(columns)
