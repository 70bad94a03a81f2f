"""What a race hands to the Live page."""

from __future__ import annotations

from app.state.compare import PROBLEMS, CompareConfig
from app.state.live import LiveState, default_config


def live_query(config: CompareConfig) -> dict[str, str]:
    """Return the Live page's URL parameters for the same problem, stream, seed, step and batch."""
    if config.problem not in PROBLEMS:
        return {}
    base = default_config(config.problem)
    knobs = LiveState.knobs()
    return LiveState.to_query(base.replace(
        stream=config.stream, seed=config.seed, eta0=knobs["eta0"].clamped(config.eta0),
        batch_size=knobs["batch_size"].clamped(config.batch_size), offset=PROBLEMS[config.problem].offset))
