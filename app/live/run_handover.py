"""A Live run as another page wants it: rows, chains, gradient noise, constants, good events; for the lab in one file too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.live.certificates import spread_over
from app.state.live_handover import LiveHandover
from sampler.theory import batch_noise

if TYPE_CHECKING:
    from app.live.run import Run

WORK = 2_000_000
"""Gradient coordinates evaluated to measure the noise, at most: some 50 ms."""


def hand_over(run: Run, fresh: bool = False) -> LiveHandover | None:
    """Return the state at the end of the epoch under way (which is finished first); None before the first."""
    state = run.state
    if state.halted or (state.t == 0 and state.done):
        return None
    if not state.done:
        run.go(state.longest)
    if state.halted:
        return None
    saga, t, dim = state.saga, state.count, state.saga.dim
    settings = state.plain_settings.replace(offset=saga.settings.offset) if state.preconditioned else saga.settings
    first_exit, epochs, distances = run.good.until(state.t)
    features, labels, prior_precision = state.rows_so_far()
    visited = spread_over(range(saga.chains), WORK // max(t * dim, 1))
    noises = [batch_noise(*state.terms(chain, settings.variance_reduction), settings.batch_size) for chain in visited]
    return LiveHandover(
        problem=state.data.label, kind=state.data.kind, t=t, settings=settings, preconditioned=state.preconditioned,
        escape_radius=state.config.escape_radius, features=features, labels=labels, prior_precision=prior_precision,
        mode=np.array(state.tracker.mode), hessian=np.array(state.tracker.hessian).reshape(dim, dim),
        positions=saga.positions, variance_trace=max(n.variance_trace for n in noises),
        variance_max=max(n.variance_max for n in noises),
        increment_bound=max(n.increment_bound for n in noises), visited=len(noises),
        smoothness=state.constants.meter.smoothness,
        drift=state.constants.meter.largest_drift, first_exit=first_exit, reset_epochs=epochs,
        reset_distances=distances, fresh=fresh)
