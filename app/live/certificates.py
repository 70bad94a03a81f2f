"""`Certificates`: bounds of LMV-a Lemmas 6.4 and 6.6 for a run's epochs from measurements on its chains, and their texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.live.history import History, is_charted
from app.live.snapshot import Promise
from app.number_words import short
from sampler.metrics import uniform_variance_bound
from sampler.theory import EpochCertificate, epoch_certificate

if TYPE_CHECKING:
    from app.live.run_position import RunPosition
    from sampler import Settings

WORK = 200_000
"""Maximum number of gradient coordinates evaluated to measure the noise of one epoch, a few milliseconds."""
MOST_CHAINS = 8


@dataclass(frozen=True)
class CertifiedEpoch:
    """Two certificates of epoch t, and their inputs."""

    t: int
    measured: EpochCertificate  #: with the gradient noise measured at the chains, without ball and exits
    in_ball: EpochCertificate  #: with Lemma 6.2's noise in the ball R, and the fraction of chains that left it
    wasserstein: float | None  #: W2 at the epoch's start, coupled independently
    variance: float | None  #: sigma^2, the mean over ``chains`` chains
    chains: int  #: number of chains on which the noise was measured
    whitened: bool = False  #: whether all lengths are in each chain's own metric


class Certificates:
    """Certificates of the charted epochs (230 up to the horizon), and of an epoch after a change of the settings."""

    def __init__(self) -> None:
        self._epochs: list[CertifiedEpoch] = []
        self._settings: Settings | None = None
        self._due = False

    def finish(self, state: RunPosition) -> None:
        """Certify the epoch that has just ended, if due; one with changed settings is skipped."""
        turned = state.saga.settings != self._settings
        self._settings, self._due = state.saga.settings, self._due or turned or is_charted(state.t)
        replayed = bool(self._epochs) and state.t <= self._epochs[-1].t  # already certified
        if turned or replayed or not self._due or state.halted:
            return
        epoch = certified(state)
        if epoch is not None:
            self._due = False
            self._epochs.append(epoch)

    def truncate(self, t: int) -> None:
        """Remove everything after epoch t."""
        self._epochs = [epoch for epoch in self._epochs if epoch.t <= t]

    def until(self, t: int) -> CertifiedEpoch | None:
        """Return the latest certified epoch up to epoch t; None if there is none."""
        return next((epoch for epoch in reversed(self._epochs) if epoch.t <= t), None)


def spread_over(chains: Sequence[int], most: int) -> list[int]:
    """Return at most `most` of these chains, evenly spaced; at least one."""
    n, last = max(1, min(len(chains), most)), len(chains) - 1
    return [chains[last if 0 < i and i == n - 1 else int(i * (last / max(n - 1, 1)))] for i in range(n)]


def certified(state: RunPosition) -> CertifiedEpoch | None:
    """Compute the certificates of the epoch that has just ended, with the measured noise and with the ball's.

    None if a chain's metric is not positive definite yet.
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
    """Return sigma_t^2 = 9 t L^2 (R + D)^2 / b of Lemma 6.2; None without variance reduction or refresh."""
    settings, constants = state.saga.settings, state.constants
    if not (settings.variance_reduction and settings.refresh):
        return None
    return uniform_variance_bound(state.count, constants.meter.smoothness, state.config.escape_radius,
                                  constants.largest_drift(settings.offset), settings.batch_size)


SYMBOLS = (("eta0", "η₀"), ("eta", "η"), ("sigma^2", "σ²"), ("i_max", "iₘₐₓ"), ("<=", "≤"))


def promise_of(epoch: CertifiedEpoch | None, history: History, t: int,
               ceiling: tuple[float | None, float]) -> Promise | None:
    """Return the certificates and the measured distance as text; None before the first certified epoch.

    Parameters
    ----------
    ceiling : mean and standard deviation of the accuracy of exact draws
    """
    if epoch is None:
        return None
    distance, (most, deviation) = history.latest("tv", t), ceiling
    if distance is None or most is None:
        fact, basis = "…", "The target is not available yet, so nothing is measured."
    else:
        fact = f"TV {distance:.3f}"
        basis = (f"Mean total variation of the marginals over the last 16 epochs, one minus the accuracy; as many exact"
                 f" draws score {1 - most:.3f} ± {deviation:.3f}. At most the joint total variation, up to this noise.")
    return Promise((
        ("promised, noise as measured", _value(epoch.measured), _measured_help(epoch)),
        ("promised, noise of the ball", _value(epoch.in_ball), _ball_help(epoch)),
        ("measured distance", fact, basis)), _with_symbols(epoch.measured.words) or "Measured: W₂, σ². Certified: η, L.")


def _value(certificate: EpochCertificate) -> str:
    return f"TV ≤ {math.ceil(certificate.value * 100 - 1e-9) / 100:g}"


def _measured_help(epoch: CertifiedEpoch) -> str:
    certificate = epoch.measured
    if certificate.conditions:
        return f"Epoch {epoch.t:,}: {_with_symbols(certificate.words)}"
    return (f"Epoch {epoch.t:,}, in KL: start {short(certificate.start)}, step size {short(certificate.step)}, noise"
            f" {short(certificate.noise)}. W₂ = {short(epoch.wasserstein)} is measured from where the chains started, σ² ="
            f" {short(epoch.variance)} on {epoch.chains} of them at their ends, so no ball is needed."
            f"{' All lengths are in each chain’s own metric.' if epoch.whitened else ''}")


def _ball_help(epoch: CertifiedEpoch) -> str:
    certificate = epoch.in_ball
    if certificate.words.startswith("variance"):
        return f"Epoch {epoch.t:,}: Lemma 6.2 bounds the noise of refreshed, cached gradients only, and not in a metric."
    if certificate.conditions:
        return f"Epoch {epoch.t:,}: {_with_symbols(certificate.words)}"
    return (f"Epoch {epoch.t:,} as in the theorem: Lemma 6.2 bounds the noise in the ball of radius R, with the measured D"
            f" (noise {short(certificate.noise)} in KL), and {100 * certificate.exit:.2g} % of the chains left it."
            f" {_with_symbols(certificate.words)}")


def _with_symbols(words: str) -> str:
    if words.startswith("smoothness"):
        return "The terms have no finite smoothness L, or it is unknown: the theorem promises nothing."
    if words.startswith("wasserstein"):
        return "The target is not available yet, nor the start’s distance W₂: nothing is promised."
    for plain, symbol in SYMBOLS:
        words = words.replace(plain, symbol)
    return words
