"""What LMV-a Lemmas 6.4 and 6.6 promise of a run's epochs, from what is measured on its chains as they end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.live.history import is_charted
from app.live.run_state import RunState
from sampler.metrics import measure_gradient_variance, uniform_variance_bound
from sampler.theory import (
    AssumptionMeter,
    EpochCertificate,
    coupling_distance,
    epoch_certificate,
    posterior_smoothness,
)

WORK = 200_000
"""Gradient coordinates evaluated to measure the noise of one epoch, at most: a few milliseconds."""
MOST_CHAINS = 8


@dataclass(frozen=True)
class CertifiedEpoch:
    """The promise of epoch t, twice, and what it stands on."""

    t: int
    measured: EpochCertificate  #: with the gradient's noise as measured wherever the chains were: no ball, no exit
    in_ball: EpochCertificate  #: with Lemma 6.2's noise in the ball R, and the share of chains that left it
    wasserstein: float | None  #: W2 at the epoch's start, coupled independently
    variance: float | None  #: sigma^2, the mean over ``chains`` chains
    chains: int  #: on which the noise was measured
    whitened: bool = False  #: whether all lengths are in each chain's own metric


class Certificates:
    """A certificate at each charted epoch (230 to the horizon), and after a knob has been turned; never in a frame."""

    def __init__(self) -> None:
        self._epochs: list[CertifiedEpoch] = []
        self._settings: object = None
        self._due = False

    def finish(self, state: RunState, meter: AssumptionMeter) -> None:
        """Take in the epoch that has just ended; one whose knobs were turned is not certified."""
        turned = state.saga.settings != self._settings
        self._settings, self._due = state.saga.settings, self._due or turned or is_charted(state.t)
        known = bool(self._epochs) and state.t <= self._epochs[-1].t  # a replay: certified when it was lived
        if turned or known or not self._due or state.halted:
            return
        epoch = certified(state, meter)
        if epoch is not None:
            self._due = False
            self._epochs.append(epoch)

    def truncate(self, t: int) -> None:
        """Forget everything after epoch t."""
        self._epochs = [epoch for epoch in self._epochs if epoch.t <= t]

    def until(self, t: int) -> CertifiedEpoch | None:
        """Return the latest up to epoch t."""
        return next((epoch for epoch in reversed(self._epochs) if epoch.t <= t), None)


def certified(state: RunState, meter: AssumptionMeter) -> CertifiedEpoch | None:
    """Put the epoch that has just ended into the certificate, by the measured noise and by the ball's.

    None where a chain's metric has no length for every direction yet: nothing can be measured in it.
    """
    saga, settings, t = state.saga, state.saga.settings, state.t
    sound = np.flatnonzero(~saga.diverged)
    chains = _spread_over(sound, t * saga.dim)
    metrics = _metrics(state, chains)
    if metrics is not None and any(metric is None for metric in metrics):
        return None
    metrics = None if metrics is None else np.array(metrics)
    smoothness = posterior_smoothness(saga.posterior, metrics)
    known = smoothness is not None and np.isfinite(smoothness)
    W2 = None if not state.truth.known else _start(state, sound) if metrics is None else _white_start(state, chains, metrics)
    variance = _variance(state, chains, metrics) if known else None
    left = float((saga.farthest[sound] > state.escape_distance**2).mean())
    given = {"dim": saga.dim, "step_size": state.step_size, "i_max": settings.i_max, "wasserstein": W2,
             "smoothness": smoothness, "random_length": settings.random_length}
    measured = epoch_certificate(**given, variance=variance, exit_probability=0.0, measured=("wasserstein", "variance"))
    in_ball = epoch_certificate(
        **given, variance=_ball_variance(state, meter) if known and metrics is None else None, exit_probability=left,
        measured=("wasserstein", "variance", "exit_probability"))
    return CertifiedEpoch(t, measured, in_ball, W2, variance, len(chains), metrics is not None)


def _starts(state: RunState) -> np.ndarray:
    saga = state.saga
    return np.where(saga.was_reset[:, None], saga.checkpoints, saga.warm_starts)


def _start(state: RunState, sound: np.ndarray) -> float:
    return coupling_distance(_starts(state)[sound], state.truth.mean, np.diag(state.truth.std**2))


def _white_start(state: RunState, chains: np.ndarray, metrics: np.ndarray) -> float:
    """The same, each chain in its own metric; the target's correlations are Laplace's."""
    away, laplace = _starts(state)[chains] - state.truth.mean, state.tracker.covariance
    scale = state.truth.std / np.sqrt(np.diagonal(laplace))
    covariance = np.outer(scale, scale) * laplace
    squares = np.einsum("ki,kij,kj->k", away, metrics, away) + np.einsum("kij,ji->k", metrics, covariance)
    return float(np.sqrt(squares.mean()))


def _metrics(state: RunState, chains: np.ndarray) -> list[np.ndarray | None] | None:
    """H of each chain, as `RunState.metric_of` says, where the chains are preconditioned."""
    return [state.metric_of(int(chain)) for chain in chains] if state.preconditioned else None


def _spread_over(chains: np.ndarray, size: int) -> np.ndarray:
    """Chains spread over these, as many as the work allows, one at least."""
    most = max(1, min(len(chains), MOST_CHAINS, WORK // max(size, 1)))
    return chains[np.unique(np.linspace(0, len(chains) - 1, most).astype(int))]


def _variance(state: RunState, chains: np.ndarray, metrics: np.ndarray | None) -> float:
    saga, found = state.saga, []
    for place, chain in enumerate(chains):
        scores = saga.cached_scores(chain)
        cached = saga.cached_gradients(chain) if scores is None else None
        found.append(measure_gradient_variance(
            saga.posterior, saga.positions[chain], saga.settings.batch_size, scores, cached, seed=state.t,
            metric=None if metrics is None else metrics[place]))
    return float(np.mean([one.saga if saga.settings.variance_reduction else one.sgld for one in found]))


def _ball_variance(state: RunState, meter: AssumptionMeter) -> float | None:
    """sigma_t^2 = 9 t L^2 (R + D)^2 / b of Lemma 6.2; None where the anchors are not what it is about."""
    settings = state.saga.settings
    if not (settings.variance_reduction and settings.refresh):
        return None
    meter.offset = settings.offset
    return uniform_variance_bound(
        state.t, meter.smoothness, state.config.escape_radius, meter.largest_drift, settings.batch_size)
