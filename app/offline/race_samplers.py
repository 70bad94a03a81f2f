"""The samplers of the races: how each is made and named; how it looks is in `app.plots.sampler_looks`."""

from __future__ import annotations

from collections.abc import Callable

from app.glossary import known
from app.plots.sampler_looks import look_of
from app.state.offline_races import SAMPLERS, RaceConfig
from sampler import CvULD, OfflineSGLD, SagaLD, SvrgLD

NAMES = {"sgld": "SGLD", "saga": "SAGA-LD", "svrg": "SVRG-LD", "plus": "SVRG-LD+", "half": "SVRG-LD+, B = n/2",
         "uld": "CV-ULD", "ula": "ULA (full gradient)"}

_MAKERS: dict[str, Callable[[RaceConfig, int], object]] = {
    "sgld": lambda race, n: OfflineSGLD(batch_size=race.batch_size),
    "saga": lambda race, n: SagaLD(batch_size=race.batch_size),
    "svrg": lambda race, n: SvrgLD(batch_size=race.batch_size, anchor_every=race.own_every),
    "plus": lambda race, n: SvrgLD(batch_size=race.batch_size, anchor_every=race.own_every, anchor_batch=race.anchor_batch),
    "half": lambda race, n: SvrgLD(batch_size=race.batch_size, anchor_every=race.own_every, anchor_batch=max(1, n // 2)),
    "uld": lambda race, n: CvULD(batch_size=race.batch_size, anchor_every=race.own_every),
    "ula": lambda race, n: SvrgLD(batch_size=1, anchor_every=1),  # an anchor at every step: n + 2 evaluations
}


def make(key: str, race: RaceConfig, n: int) -> object:
    """Return a sampler for n terms."""
    return _MAKERS[key](race, n)


def label(key: str, race: RaceConfig, n: int) -> str:
    """Return a sampler's name, SVRG-LD+ with its B."""
    if key != "plus":
        return NAMES[key]
    share = n / race.anchor_batch
    return f"SVRG-LD+, B = n/{share:.0f}" if share >= 2 and abs(share - round(share)) < 0.02 * share else (
        f"SVRG-LD+, B = {race.anchor_batch:,}")


def mark_and_token(key: str) -> tuple[str, str]:
    """Return how a list or a table marks a sampler: as its line in the figures."""
    look = look_of(key)
    return {"dashdot": "dots"}.get(look.mark, look.mark), look.token


def switch_rows() -> list[list[str]]:
    """Rows of the list of samplers."""
    return [[key, NAMES[key], *mark_and_token(key), "", "", known(NAMES[key])] for key in SAMPLERS]
