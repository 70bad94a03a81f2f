"""What LMV-a Lemmas 6.4 and 6.6 promise of a run's epochs, from what is measured on its chains as they end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.live.history import is_charted
from app.live.run_state import RunState, spread_over
from sampler.metrics import uniform_variance_bound
from sampler.theory import (
    EpochCertificate,
    coupling_distance,
    epoch_certificate,
    posterior_smoothness,
)

if TYPE_CHECKING:
    from app.live.run_position import RunPosition
    from sampler import Settings

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
    """A certificate at each charted epoch (230 to the horizon), and after a knob has been turned; never in a frame.

    ``certified`` makes one of a state at the end of an epoch, as the function `certified`.
    """

    def __init__(self, certified: Callable[[RunPosition], CertifiedEpoch | None]) -> None:
        self._certified = certified
        self._epochs: list[CertifiedEpoch] = []
        self._settings: Settings | None = None
        self._due = False

    def finish(self, state: RunPosition) -> None:
        """Take in the epoch that has just ended; one whose knobs were turned is not certified."""
        turned = state.saga.settings != self._settings
        self._settings, self._due = state.saga.settings, self._due or turned or is_charted(state.t)
        replayed = bool(self._epochs) and state.t <= self._epochs[-1].t  # certified the first time
        if turned or replayed or not self._due or state.halted:
            return
        epoch = self._certified(state)
        if epoch is not None:
            self._due = False
            self._epochs.append(epoch)

    def truncate(self, t: int) -> None:
        """Forget everything after epoch t."""
        self._epochs = [epoch for epoch in self._epochs if epoch.t <= t]

    def until(self, t: int) -> CertifiedEpoch | None:
        """Return the latest up to epoch t."""
        return next((epoch for epoch in reversed(self._epochs) if epoch.t <= t), None)


def certified(state: RunState) -> CertifiedEpoch | None:
    """Put the epoch that has just ended into the certificate, by the measured noise and by the ball's.

    None where a chain's metric has no length for every direction yet: nothing can be measured in it.
    """
    saga, settings, t = state.saga, state.saga.settings, state.t
    sound = np.flatnonzero(~saga.diverged)
    chains = spread_over(sound, min(MOST_CHAINS, WORK // max(t * saga.dim, 1)))
    metrics = None
    if state.preconditioned:
        metrics = [state.metric_of(int(chain)) for chain in chains]
        if any(metric is None for metric in metrics):
            return None
        metrics = np.array(metrics)
    smoothness = posterior_smoothness(saga.posterior, metrics)
    smooth = smoothness is not None and np.isfinite(smoothness)
    W2 = None if not state.truth.known else _start(state, sound) if metrics is None else _white_start(state, chains, metrics)
    variance = _variance(state, chains, metrics) if smooth else None
    left = float((saga.farthest[sound] > state.escape_distance**2).mean())
    inputs = {"dim": saga.dim, "step_size": state.step_size, "i_max": settings.i_max, "wasserstein": W2,
             "smoothness": smoothness, "random_length": settings.random_length}
    measured = epoch_certificate(**inputs, variance=variance, exit_probability=0.0, measured=("wasserstein", "variance"))
    in_ball = epoch_certificate(
        **inputs, variance=_ball_variance(state) if smooth and metrics is None else None, exit_probability=left,
        measured=("wasserstein", "variance", "exit_probability"))
    return CertifiedEpoch(t, measured, in_ball, W2, variance, len(chains), metrics is not None)


def _start(state: RunState, sound: np.ndarray) -> float:
    return coupling_distance(state.starts[sound], state.truth.mean, np.diag(state.truth.std**2))


def _white_start(state: RunState, chains: np.ndarray, metrics: np.ndarray) -> float:
    """The same, each chain in its own metric; the target's correlations are Laplace's."""
    away, laplace = state.starts[chains] - state.truth.mean, state.tracker.covariance
    scale = state.truth.std / np.sqrt(np.diagonal(laplace))
    covariance = np.outer(scale, scale) * laplace
    squares = np.einsum("ki,kij,kj->k", away, metrics, away) + np.einsum("kij,ji->k", metrics, covariance)
    return float(np.sqrt(squares.mean()))


def _variance(state: RunState, chains: np.ndarray, metrics: np.ndarray | None) -> float:
    """Mean over chains, with the cached gradients where they are used."""
    name = "saga" if state.saga.settings.variance_reduction else "sgld"
    each = [state.gradient_variance(int(chain), None if metrics is None else metrics[place])
            for place, chain in enumerate(chains)]
    return float(np.mean([getattr(variance, name) for variance in each]))


def _ball_variance(state: RunState) -> float | None:
    """sigma_t^2 = 9 t L^2 (R + D)^2 / b of Lemma 6.2; None where the anchors are not what it is about."""
    settings, constants = state.saga.settings, state.constants
    if not (settings.variance_reduction and settings.refresh):
        return None
    return uniform_variance_bound(state.t, constants.meter.smoothness, state.config.escape_radius,
                                  constants.largest_drift(settings.offset), settings.batch_size)
