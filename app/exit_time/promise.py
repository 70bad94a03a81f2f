"""What LMV Lemmas 6.4 and 6.6 promise of the epoch that the page shows, beside what its chains did."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from app.exit_time.bound_curves import BoundCurves
from app.exit_time.epoch_law import EpochLaw
from app.exit_time.setup import ExitSetup
from sampler.theory import EpochCertificate, coupling_distance, epoch_certificate


@dataclass(frozen=True, eq=False)
class Promise:
    """The promise for each number of steps, and the distance that was measured."""

    steps: np.ndarray  #: (j,) i_max
    promised: np.ndarray  #: (j,) bound on the total variation
    lemma: np.ndarray  #: (j,) the same with the constants of Lemma 6.4 as printed
    measured: np.ndarray | None  #: (j,) distance of the chains' law, at most the total variation up to noise
    floor: float  #: what as many exact draws would measure
    last: EpochCertificate  #: at the last step
    wasserstein: float  #: W2 at the epoch's start, or a bound
    how_start: str  #: where that comes from


def promise_of(setup: ExitSetup, bounds: BoundCurves, law: EpochLaw | None) -> Promise | None:
    """Put the page's numbers into the certificate; None for a flat F, which has no posterior."""
    config, target = setup.config, setup.target
    if target.name == "flat" or (target.name == "quadratic" and not np.all(target.precision > 0.0)):
        return None
    steps = law.stops
    exits = bounds.exits["local"]
    # The sample is taken at a random step i <= n: the mean of P(exit by i) serves, by its right-hand values a bound.
    spent = np.cumsum(exits[1:] * np.diff(bounds.steps))
    leave = np.minimum(np.interp(steps, bounds.steps[1:], spent / bounds.steps[1:]), 1.0)
    W2, how, measured = _start(setup)
    found = [epoch_certificate(config.dim, config.step_size, int(n), W2, config.noise**2, target.smoothness, float(p),
                               measured=measured) for n, p in zip(steps, leave, strict=True)]
    return Promise(steps, np.array([c.value for c in found]), np.array([c.lemma for c in found]),
                   law.distance if law.known else None, law.floor, found[-1], W2, how)


def _start(setup: ExitSetup) -> tuple[float, str, tuple[str, ...]]:
    """W2 from the start to the posterior, or a bound; where it comes from; whether it was measured."""
    target, start, m = setup.target, setup.start, setup.curvature
    covariance = np.linalg.inv(target.hessian) if target.name == "logistic" else np.diag(1.0 / target.precision)
    laplace = (" (posterior moments by Laplace)", ("wasserstein",)) if target.name == "logistic" else ("", ())
    if np.ndim(start) > 0:
        distance = coupling_distance(start, np.zeros(target.dim), covariance)
        return distance, "measured on Live’s chains, coupled independently" + laplace[0], ("wasserstein",)
    if np.ptp(target.precision) == 0.0 and target.name == "quadratic":
        mean = math.sqrt(2.0 / m) * math.exp(gammaln((target.dim + 1) / 2) - gammaln(target.dim / 2))
        square = start**2 - 2.0 * start * mean + target.dim / m  # radii are coupled in order, directions as they are
        return math.sqrt(max(square, 0.0)), "exact", ()
    return math.sqrt(start**2 + np.trace(covariance)), "the root of ρ₀² + tr Σ" + laplace[0], laplace[1]
