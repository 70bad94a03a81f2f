"""Live on a person's own data: the defaults of its knobs, from the curvature of her first rows."""

from __future__ import annotations

import math

from app.live.config import LIMITS, PAPER_DEFAULTS, LiveConfig
from app.user_data import Given
from sampler import advise
from sampler.tuning import Forecast

OWN = "given"
"""Key of the problem and of the stream."""
LOOKED_AT = 1024
"""Rows that the advice is made from: they take about a tenth of a second."""
REACH = 0.75
"""R as a part of C': as at the defaults of the built-in problems."""


def own_default(given: Given) -> tuple[LiveConfig, str]:
    """Return a configuration for data given by a person; knobs that the page cannot show are clamped.

    Data without advice (no mode, not convex) get the paper's knobs, and words that say why; else the words are "".
    """
    settings, words = PAPER_DEFAULTS, ""
    rows = min(given.t, LOOKED_AT)
    try:
        labels = None if given.labels is None else given.labels[:rows]
        forecast = (Forecast(given.problem, terms=rows) if given.features is None
                    else Forecast(given.problem, given.features[:rows], labels))
        settings = advise(forecast, settings).settings
    except ValueError as wrong:
        words = f"No step size could be advised for {given.label}, so the knobs stand as in the paper: {wrong}."
    names = ("eta0", "batch_size", "i_max", "acceptance_radius")
    settings = settings.replace(**{name: clamped(name, getattr(settings, name)) for name in names})
    radius = float(f"{REACH * settings.acceptance_radius:.2g}")
    config = LiveConfig(problem=OWN, stream=OWN, settings=settings, given=given,
                        escape_radius=clamped("escape_radius", radius))
    return config, words


def clamped(name: str, value: float) -> float:
    """Return a knob's value inside its range."""
    low, high = LIMITS[name]
    value = low if math.isnan(value) else min(max(value, low), high)
    return int(value) if isinstance(low, int) else float(value)
