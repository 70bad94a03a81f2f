"""The knobs that Live opens with on the user's own data: advised from the curvature of their first rows."""

from __future__ import annotations

from app.user_data import Given
from sampler import Settings, advise
from sampler.tuning import Forecast

OWN = "given"
"""Key of the problem and of the stream."""
LOOKED_AT = 1024
"""Rows that the advice is made from: they take about a tenth of a second."""
REACH = 0.75
"""R as a part of C': as at the defaults of the built-in problems."""


def advised(given: Given, settings: Settings) -> tuple[Settings, float, str]:
    """Return settings, escape radius R and words for data given by the user.

    Data without advice (no mode, not convex) keep the `settings` given, and the words say why; else the words are "".
    """
    words, rows = "", min(given.t, LOOKED_AT)
    try:
        labels = None if given.labels is None else given.labels[:rows]
        forecast = (Forecast(given.problem, terms=rows) if given.features is None
                    else Forecast(given.problem, given.features[:rows], labels))
        settings = advise(forecast, settings).settings
    except ValueError as wrong:
        words = f"No step size could be advised for {given.label}, so the knobs stand as in the paper: {wrong}."
    return settings, float(f"{REACH * settings.acceptance_radius:.2g}"), words
