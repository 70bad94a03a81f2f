"""A cell of the map as a Live run."""

from __future__ import annotations

from app.state.live import LiveState
from app.state.parameters.url_reader import written
from app.state.tune import CellKey
from app.tune.result import TuneResult


def live_query(result: TuneResult, key: CellKey) -> dict[str, str]:
    """Return URL parameters of the Live page: these rows, this setting."""
    settings, example, knobs = result.settings(key), result.stream.example, LiveState.knobs()
    query = {"eta0": written(settings.eta0), "b": str(settings.batch_size), "imax": str(settings.i_max),
             "C": written(knobs["acceptance_radius"].clamped(settings.acceptance_radius)), "c": written(settings.offset),
             "chains": str(knobs["chains"].clamped(result.config.chains)),
             **({} if key.algorithm == "saga-ld" else {"algorithm": key.algorithm})}
    if example is not None and example.live:
        return {"problem": example.live, "stream": example.stream, "seed": str(example.seed), **query}
    return {"problem": "given", **query}
