"""A cell of the map as a Live run."""

from __future__ import annotations

from app.live.config import LIMITS
from app.state.link import written
from app.tune.picture import Key, TunePicture
from app.tune.saving import settings_of


def live_query(picture: TunePicture, key: Key) -> dict[str, str]:
    """Return URL parameters of the Live page: these rows, this setting."""
    settings, loaded = settings_of(picture, key), picture.loaded
    example = loaded.example
    query = {"eta0": written(settings.eta0), "b": str(settings.batch_size), "imax": str(settings.i_max),
             "C": written(min(settings.acceptance_radius, LIMITS["acceptance_radius"][1])), "c": written(settings.offset),
             "chains": str(min(picture.config.chains, int(LIMITS["chains"][1])))}
    if example is not None and example.live:
        return {"problem": example.live, "stream": example.stream, "seed": str(example.seed), **query}
    return {"problem": "given", **query}
