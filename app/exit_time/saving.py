"""The survival curves as CSV text."""

from __future__ import annotations

import numpy as np

from app.exit_time.picture import ExitPicture
from app.exit_time.promises import CURVES


def survival_csv(picture: ExitPicture | None) -> str:
    """Return one row a step: share inside, its band, the comparison walk, what each bound promises."""
    if picture is None or picture.crowd is None:
        return ""
    crowd, promises = picture.crowd, picture.promises
    columns = {"step": crowd.steps, "inside": crowd.stay, "band_low": crowd.low, "band_high": crowd.high}
    if crowd.free is not None:
        columns["free_walk"] = crowd.free
    if promises is not None:
        for name in CURVES:
            known = promises.stays(name)
            if known is not None:
                columns[name] = np.interp(crowd.steps, promises.steps, known)
    rows = [",".join(columns)]
    rows += [",".join(f"{value:.10g}" for value in values) for values in zip(*columns.values(), strict=True)]
    return "\n".join(rows) + "\n"
