"""Where a row of the map is too cold, safe and too hot."""

from __future__ import annotations

from dataclasses import dataclass

from app.tune.picture import TunePicture

NEAR = 0.02
"""Below the ceiling by less than this is safe."""
REMEMBERED = 0.5


@dataclass(frozen=True)
class Band:
    """Columns ``first`` to ``last`` (one past it) of a row, and what is wrong or right with them."""

    kind: str  #: "cold", "safe" or "hot"
    first: int
    last: int
    title: str
    words: str


_SAID = {"cold": ("too cold", "an epoch is too short to forget"), "safe": ("safe", "within 0.02 of the ceiling"),
         "hot": ("too hot", "the cloud is wider than the target")}


def bands(picture: TunePicture, i_max: int, batch: int) -> list[Band]:
    """Return the bands of one row, from cold to hot; cells not run yet stand in with their forecast."""
    good, wide = [], []
    for eta0 in picture.config.etas:
        cell, said = picture.cell((eta0, i_max, batch)), picture.forecast((eta0, i_max, batch))
        if cell is not None:
            bad = cell.diverged is not None
            good.append(not bad and cell.accuracy >= cell.ceiling - NEAR and abs(cell.memory) <= REMEMBERED)
            wide.append(bad or (cell.width > 1.0 and cell.memory < REMEMBERED))
        else:
            good.append(said.stable and said.accuracy >= picture.foresight.ceiling - NEAR and said.memory <= REMEMBERED)
            wide.append(not said.stable or (said.width > 1.0 and said.memory < REMEMBERED))
    n = len(good)
    if any(good):
        first, last = good.index(True), n - good[::-1].index(True)
    else:  # no cell is safe: cold until the first that is too wide
        first = last = wide.index(True) if any(wide) else n
    parts = [("cold", 0, first), ("safe", first, last), ("hot", last, n)]
    return [Band(kind, a, b, *_SAID[kind]) for kind, a, b in parts if b > a]
