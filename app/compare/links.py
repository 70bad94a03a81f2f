"""What a race hands to the Live page."""

from __future__ import annotations

from app.compare.config import CompareConfig
from app.compare.problems import PROBLEMS
from app.live.config import LIMITS
from app.live.presets import default_config
from app.live.query import to_query


def live_query(config: CompareConfig) -> dict[str, str]:
    """Return the Live page's URL parameters for the same problem, stream, seed, step and batch."""
    if config.problem not in PROBLEMS:
        return {}
    base = default_config(config.problem)
    low, high = LIMITS["eta0"]
    settings = base.settings.replace(
        eta0=min(max(config.eta0, low), high), batch_size=min(config.batch_size, int(LIMITS["batch_size"][1])),
        offset=PROBLEMS[config.problem].offset)
    return to_query(base.replace(stream=config.stream, seed=config.seed, settings=settings))
