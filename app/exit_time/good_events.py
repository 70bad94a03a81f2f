"""The good events of the paper's induction on a Live run: how many chains have kept to them so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.handover import LiveHandover
from sampler.theory import reset_point_event

POINTS = 200


@dataclass(frozen=True, eq=False)
class GoodEventsSoFar:
    """Shares of chains for which G_t and H_t still hold."""

    epochs: np.ndarray  #: (p,) increasing, 1 to t
    escape: np.ndarray  #: (p,) share with G_s
    reset_epochs: np.ndarray  #: (q,) powers of two
    reset: np.ndarray | None  #: (q,) share with H_s; None when C' leaves no room for C1
    radius: float  #: C1 = C'/2.5 - D
    words: str  #: HTML


def good_events(state: LiveHandover) -> GoodEventsSoFar:
    """Read both events out of what Live recorded."""
    t, chains = state.t, len(state.first_exit)
    epochs = np.unique(np.geomspace(1, t, POINTS).round().astype(int)) if t > 1 else np.array([1])
    left = np.sort(state.first_exit[state.first_exit > 0])
    escape = 1.0 - np.searchsorted(left, epochs, side="right") / chains
    c1 = state.settings.acceptance_radius / 2.5 - state.drift
    reset = None
    if c1 > 0 and len(state.reset_epochs):
        reset = reset_point_event(state.reset_distances, state.reset_epochs, c1, state.settings.offset).share
    kept = chains - left.size
    words = (
        f"<b>The induction, measured.</b> G<sub>t</sub> (LMV-a eq. 42): no step so far left the escape ball, R/√(t + c), R ="
        f" {state.escape_radius:g}; {kept} of {chains} chains have kept to it for all {t:,} epochs.")
    if reset is not None:
        words += (f" H<sub>t</sub> (eq. 43): X<sup>s</sup> at s = 1, 2, 4, … lay within C<sub>1</sub>/√(s + c) of the"
                  f" mode, C<sub>1</sub> = C′/2.5 − D = {c1:.2g} (Lemma 6.6); {round(reset[-1] * chains)} of {chains}"
                  " have. Once broken, broken for good.")
    else:
        words += (" H<sub>t</sub> (eq. 43) needs C<sub>1</sub> = C′/2.5 − D above 0; with"
                  f" C′ = {state.settings.acceptance_radius:g} and D = {state.drift:.2g} it is not.")
    if state.preconditioned:
        words += " Live ran preconditioned, so C′ is plain SAGA-LD’s default."
    return GoodEventsSoFar(epochs, escape, state.reset_epochs, reset, c1, words)
