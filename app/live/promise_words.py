"""What the page says of the latest certificate: promised, so, and which numbers were measured."""

from __future__ import annotations

import math

from app.live.certificates import CertifiedEpoch
from app.live.history import History
from app.live.snapshot import Promise
from app.number_words import short
from sampler.theory import EpochCertificate

SYMBOLS = (("eta0", "η₀"), ("eta", "η"), ("sigma^2", "σ²"), ("i_max", "iₘₐₓ"), ("<=", "≤"))


def promise_of(epoch: CertifiedEpoch | None, history: History, t: int,
               ceiling: tuple[float | None, float]) -> Promise | None:
    """Put the certificate beside the measured distance; None before the first epoch.

    Parameters
    ----------
    ceiling : mean and standard deviation of the accuracy that exact draws would score
    """
    if epoch is None:
        return None
    distance, (most, deviation) = history.latest("tv", t), ceiling
    if distance is None or most is None:
        fact, basis = "…", "The target is not known yet, so nothing is measured."
    else:
        fact = f"TV {distance:.3f}"
        basis = (f"Mean total variation of the marginals over the last 16 epochs, one minus the accuracy; as many exact"
                 f" draws would score {1 - most:.3f} ± {deviation:.3f}. At most the joint one, up to that noise.")
    return Promise((
        ("promised, noise as measured", _value(epoch.measured), _measured_help(epoch)),
        ("promised, noise of the ball", _value(epoch.in_ball), _ball_help(epoch)),
        ("what is so", fact, basis)), _note(epoch))


def _value(certificate: EpochCertificate) -> str:
    return f"TV ≤ {math.ceil(certificate.value * 100 - 1e-9) / 100:g}"


def _measured_help(epoch: CertifiedEpoch) -> str:
    certificate = epoch.measured
    if certificate.conditions:
        return f"Epoch {epoch.t:,}: {_tidy(certificate.words)}"
    return (f"Epoch {epoch.t:,}, in KL: start {short(certificate.start)}, step size {short(certificate.step)}, noise"
            f" {short(certificate.noise)}. W₂ = {short(epoch.wasserstein)} is measured from where the chains started, σ² ="
            f" {short(epoch.variance)} on {epoch.chains} of them wherever they ended, so that there is no ball to leave."
            f"{' All lengths are in each chain’s own metric.' if epoch.whitened else ''}")


def _ball_help(epoch: CertifiedEpoch) -> str:
    certificate = epoch.in_ball
    if certificate.conditions:
        return f"Epoch {epoch.t:,}: {_ball_condition(epoch)}"
    return (f"Epoch {epoch.t:,} as the theorem goes: Lemma 6.2 bounds the noise in the ball of radius R, with D as measured"
            f" (noise {short(certificate.noise)} in KL), and {100 * certificate.exit:.2g} % of the chains left it."
            f" {_tidy(certificate.words)}")


def _ball_condition(epoch: CertifiedEpoch) -> str:
    words = epoch.in_ball.words
    if words.startswith("variance"):
        return "Lemma 6.2 bounds the noise of refreshed, cached gradients only, and not in a metric."
    return _tidy(words)


def _note(epoch: CertifiedEpoch) -> str:
    return _tidy(epoch.measured.words) or "Measured: W₂, σ². Certified: η, L."


def _tidy(words: str) -> str:
    if words.startswith("smoothness"):
        return "The terms have no finite smoothness L, or none that is known: the theorem promises nothing."
    if words.startswith("wasserstein"):
        return "The target is not known yet, so the start’s distance W₂ is not: nothing is promised."
    for plain, symbol in SYMBOLS:
        words = words.replace(plain, symbol)
    return words
