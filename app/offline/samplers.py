"""The samplers of the races: how each is made, named and drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from app.offline.config import RaceConfig
from sampler import CvULD, OfflineSGLD, SagaLD, SvrgLD


class Entry(NamedTuple):
    """One sampler. `make(race, n)` builds it for n terms."""

    label: str
    short: str  #: on a phone and at a line's end
    token: str
    mark: str  #: "line", "dash" or "dots"
    make: Callable[[RaceConfig, int], object]
    says: str  #: what it is, for the table


def _every(race: RaceConfig) -> dict:
    return {"batch_size": race.batch_size, "anchor_every": race.anchor_every}


def _plus(race: RaceConfig, n: int) -> SvrgLD:
    return SvrgLD(anchor_batch=race.anchor_batch, **_every(race))


SAMPLERS: dict[str, Entry] = {
    "sgld": Entry("SGLD", "SGLD", "sgld", "line", lambda race, n: OfflineSGLD(batch_size=race.batch_size),
                  "b gradients a step, nothing kept"),
    "saga": Entry("SAGA-LD", "SAGA-LD", "chain", "line", lambda race, n: SagaLD(batch_size=race.batch_size),
                  "a table of n gradients first, then b a step"),
    "svrg": Entry("SVRG-LD", "SVRG-LD", "acc", "line", lambda race, n: SvrgLD(**_every(race)),
                  "an anchor on all n, then 2b a step"),
    "plus": Entry("SVRG-LD+", "SVRG-LD+", "esc", "line", _plus, "an anchor on B of the n, then 2b a step"),
    "half": Entry("SVRG-LD+, B = n/2", "B = n/2", "esc", "dash",
                  lambda race, n: SvrgLD(anchor_batch=max(1, n // 2), **_every(race)),
                  "an anchor on half of the data"),
    "uld": Entry("CV-ULD", "CV-ULD", "bound", "line", lambda race, n: CvULD(**_every(race)),
                 "SVRG-LD's gradient in underdamped dynamics"),
    "ula": Entry("ULA (full gradient)", "ULA", "ref", "dash",
                 lambda race, n: SvrgLD(batch_size=1, anchor_every=1),
                 "all n gradients at each step"),
}
"""Key -> sampler, in the order of the list. ULA is SVRG-LD with an anchor at every step: n + 2 evaluations."""


def label(key: str, race: RaceConfig, n: int) -> str:
    """Return a sampler's name, SVRG-LD+ with its B."""
    if key != "plus":
        return SAMPLERS[key].label
    share = n / race.anchor_batch
    return f"SVRG-LD+, B = n/{share:.0f}" if share >= 2 and abs(share - round(share)) < 0.02 * share else (
        f"SVRG-LD+, B = {race.anchor_batch:,}")


def text_token(token: str) -> str:
    """Return the token for words of this colour."""
    return {"sgld": "sgldtx", "acc": "acctx", "esc": "esctx", "ref": "ink2"}.get(token, token)
