"""`UserData`: the user's data or gradient for the pages, and the initial knobs of Live on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler import Settings, advise
from sampler.tuning import Forecast

OWN = "given"
"""Key of the problem and of the stream."""
ADVICE_ROWS = 1024
"""Maximum number of rows used for the advice, which takes about 0.1 s."""
REACH = 0.75
"""Ratio of R to C', about that of the built-in problems' defaults."""


@dataclass(frozen=True, eq=False)
class UserData:
    """A problem with its stream.

    A `GradientOracle` has no rows: `features` and `labels` are then None, and `length` is its number of terms.
    """

    label: str  #: display name, such as "stream.csv, 512 rows"
    problem: Any  #: a problem of the library
    features: np.ndarray | None = None  #: (t, d) rows in order of arrival
    labels: np.ndarray | None = None  #: (t,)
    length: int | None = None  #: number of terms; None: number of rows of `features`
    source: str = ""  #: origin, such as the file's name

    @property
    def t(self) -> int:
        """Number of terms."""
        if self.length is not None:
            return self.length
        return 0 if self.features is None else len(self.features)


def advised(user_data: UserData, settings: Settings) -> tuple[Settings, float, str]:
    """Return settings, escape radius R and a note for user-supplied data.

    If no advice is possible (no mode, not convex), `settings` are returned with a note of the reason; else the note is "".
    """
    note, rows = "", min(user_data.t, ADVICE_ROWS)
    try:
        labels = None if user_data.labels is None else user_data.labels[:rows]
        forecast = (Forecast(user_data.problem, terms=rows) if user_data.features is None
                    else Forecast(user_data.problem, user_data.features[:rows], labels))
        settings = advise(forecast, settings).settings
    except ValueError as wrong:
        note = f"No step size could be advised for {user_data.label}, so the knobs keep the paper’s values: {wrong}."
    return settings, float(f"{REACH * settings.acceptance_radius:.2g}"), note
