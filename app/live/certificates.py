"""What LMV-a Lemmas 6.4 and 6.6 promise of a run's epochs, from what is measured on its chains as they end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.live.history import is_charted
from sampler.metrics import uniform_variance_bound
from sampler.theory import EpochCertificate, epoch_certificate

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
    """A certificate at each charted epoch (230 to the horizon), and after a knob has been turned; never in a frame."""

    def __init__(self) -> None:
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
        epoch = certified(state)
        if epoch is not None:
            self._due = False
            self._epochs.append(epoch)

    def truncate(self, t: int) -> None:
        """Forget everything after epoch t."""
        self._epochs = [epoch for epoch in self._epochs if epoch.t <= t]

    def until(self, t: int) -> CertifiedEpoch | None:
        """Return the latest up to epoch t."""
        return next((epoch for epoch in reversed(self._epochs) if epoch.t <= t), None)


def spread_over(chains: Sequence[int], most: int) -> list[int]:
    """Return at most so many of these chains, evenly spread; one at least."""
    n, last = max(1, min(len(chains), most)), len(chains) - 1
    return [chains[last if 0 < i and i == n - 1 else int(i * (last / max(n - 1, 1)))] for i in range(n)]


def certified(state: RunPosition) -> CertifiedEpoch | None:
    """Put the epoch that has just ended into the certificate, by the measured noise and by the ball's.

    None where a chain's metric has no length for every direction yet: nothing can be measured in it.
    """
    saga, settings, t, own = state.saga, state.saga.settings, state.t, state.preconditioned
    sound = state.sound_chains()
    chains = spread_over(sound, min(MOST_CHAINS, WORK // max(t * saga.dim, 1)))
    metrics = [state.metric_of(chain) if own else None for chain in chains]
    if own and any(metric is None for metric in metrics):
        return None
    smoothness = state.smoothness(metrics)
    smooth = smoothness is not None and math.isfinite(smoothness)
    distance = state.start_distance(chains if own else sound, metrics) if state.truth.ready else None
    name = "saga" if settings.variance_reduction else "sgld"
    noises = [getattr(state.gradient_variance(chain, metric), name)
              for chain, metric in zip(chains, metrics, strict=True)] if smooth else []
    variance = sum(noises) / len(noises) if smooth else None
    farthest, square = state.farthest(), state.escape_distance**2
    left = len([k for k in sound if farthest[k] > square]) / len(sound)

    def certificate(noise: float | None, exit_probability: float, measured: tuple[str, ...]) -> EpochCertificate:
        return epoch_certificate(saga.dim, state.step_size, settings.i_max, distance, noise, smoothness, exit_probability,
                                 settings.random_length, measured)
    return CertifiedEpoch(
        t, certificate(variance, 0.0, ("wasserstein", "variance")),
        certificate(_ball_variance(state) if smooth and not own else None, left,
                    ("wasserstein", "variance", "exit_probability")),
        distance, variance, len(chains), own)


def _ball_variance(state: RunPosition) -> float | None:
    """sigma_t^2 = 9 t L^2 (R + D)^2 / b of Lemma 6.2; None where the anchors are not what it is about."""
    settings, constants = state.saga.settings, state.constants
    if not (settings.variance_reduction and settings.refresh):
        return None
    return uniform_variance_bound(state.count, constants.meter.smoothness, state.config.escape_radius,
                                  constants.largest_drift(settings.offset), settings.batch_size)
