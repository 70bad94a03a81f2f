"""A Live run as another page wants it: rows, chains, gradient noise, constants, good events."""

from __future__ import annotations

import numpy as np

from app.handover import LiveHandover
from app.live.certificates import spread_over
from app.live.run import LiveRun
from app.live.run_state import RunState
from app.state.live import default_config
from app.state.problem_menu import choice_of
from sampler import Settings
from sampler.theory import batch_noise, concentration_constant

WORK = 2_000_000
"""Gradient coordinates evaluated to measure the noise, at most: some 50 ms."""


def hand_over(run: LiveRun, fresh: bool = False) -> LiveHandover | None:
    """Return the state at the end of the epoch under way (which is finished first); None before the first."""
    state = run.state
    if state.halted or (state.t == 0 and state.done):
        return None
    if not state.done:
        run.go(state.longest)
    if state.halted:
        return None
    saga, tracker, t, config = state.saga, state.tracker, state.t, state.config
    settings, offset = saga.settings, saga.settings.offset
    if state.preconditioned:
        settings = default_config(config.problem, config.user_data).settings.replace(offset=offset)
    mode, covariance = tracker.mode.copy(), tracker.covariance
    mean = state.truth.mean if state.truth.known else mode
    first_exit, epochs, distances = run.good.until(t)
    posterior = saga.posterior
    visited = spread_over(range(saga.chains), WORK // max(t * saga.dim, 1))
    noises = [_noise(state, chain, settings) for chain in visited]
    return LiveHandover(
        problem=choice_of(config.problem, config.user_data).label, kind=state.data.kind, t=t, settings=settings,
        preconditioned=state.preconditioned,
        escape_radius=config.escape_radius, features=posterior.features, labels=posterior.labels,
        prior_precision=np.array(getattr(state.data.problem, "prior_precision", np.zeros(saga.dim)), float),
        mode=mode, hessian=tracker.hessian,
        positions=saga.positions, variance_trace=max(n.variance_trace for n in noises),
        variance_max=max(n.variance_max for n in noises),
        increment_bound=max(n.increment_bound for n in noises), visited=len(noises),
        smoothness=state.constants.meter.smoothness,
        concentration=concentration_constant(t, offset, covariance, mean, mode),
        drift=state.constants.meter.largest_drift, first_exit=first_exit, reset_epochs=epochs,
        reset_distances=distances, fresh=fresh)


def _noise(state: RunState, chain: int, settings: Settings):
    saga = state.saga
    fresh = saga.posterior.term_gradients(saga.positions[chain])
    cached = saga.cached_gradients(chain) if settings.variance_reduction else None
    return batch_noise(fresh, cached, settings.batch_size)
