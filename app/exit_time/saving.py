"""The survival curves as CSV text."""

from __future__ import annotations

import numpy as np

from app.exit_time.bound_curves import CURVES
from app.exit_time.result import ExitResult


def survival_csv(result: ExitResult | None) -> str:
    """Return one row a step: share inside, its band, the comparison walk, what each bound bounds."""
    if result is None or result.crowd is None:
        return ""
    crowd, bounds = result.crowd, result.bounds
    columns = {"step": crowd.steps, "inside": crowd.stay, "band_low": crowd.low, "band_high": crowd.high}
    if crowd.free is not None:
        columns["free_walk"] = crowd.free
    if bounds is not None:
        for name in CURVES:
            known = bounds.stays(name)
            if known is not None:
                columns[name] = np.interp(crowd.steps, bounds.steps, known)
    rows = [",".join(columns)]
    rows += [",".join(f"{value:.10g}" for value in values) for values in zip(*columns.values(), strict=True)]
    return "\n".join(rows) + "\n"
