"""`UserData`: the user's own data or gradient, as the pages take it, and the knobs that Live opens with on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler import Settings, advise
from sampler.tuning import Forecast

OWN = "given"
"""Key of the problem and of the stream."""
LOOKED_AT = 1024
"""Rows that the advice is made from: they take about a tenth of a second."""
REACH = 0.75
"""R as a part of C': as at the defaults of the built-in problems."""


@dataclass(frozen=True, eq=False)
class UserData:
    """A problem with its stream.

    A gradient given as a `GradientOracle` has no rows to show: `features` and `labels` are then None, and
    `length` says how many terms it knows.
    """

    label: str  #: what the page calls it, such as "stream.csv, 512 rows"
    problem: Any  #: a problem of the library
    features: np.ndarray | None = None  #: (t, d) rows in the order they arrive
    labels: np.ndarray | None = None  #: (t,)
    length: int | None = None  #: terms there are; None: as many rows as `features` has
    source: str = ""  #: where it came from, such as the file's name

    @property
    def t(self) -> int:
        """Terms there are."""
        if self.length is not None:
            return self.length
        return 0 if self.features is None else len(self.features)


def advised(user_data: UserData, settings: Settings) -> tuple[Settings, float, str]:
    """Return settings, escape radius R and a note for data given by the user.

    Data without advice (no mode, not convex) keep these `settings`, and the note says why; else it is "".
    """
    note, rows = "", min(user_data.t, LOOKED_AT)
    try:
        labels = None if user_data.labels is None else user_data.labels[:rows]
        forecast = (Forecast(user_data.problem, terms=rows) if user_data.features is None
                    else Forecast(user_data.problem, user_data.features[:rows], labels))
        settings = advise(forecast, settings).settings
    except ValueError as wrong:
        note = f"No step size could be advised for {user_data.label}, so the knobs stand as in the paper: {wrong}."
    return settings, float(f"{REACH * settings.acceptance_radius:.2g}"), note
