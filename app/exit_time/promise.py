"""Statements of the theorems on the page's epoch: exponential process, good events, bound and measured law of its sample."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.exit_time.bound_curves import BoundCurves
from app.exit_time.simulated_chains import Crowd
from app.exit_time.target_and_start import ExitSetup
from app.live.run_handover import LiveHandover
from sampler import LogisticRegression
from sampler.reference import GridReference
from sampler.theory import (
    EpochCertificate,
    bowl_levels,
    coupling_distance,
    epoch_certificate,
    exit_process,
    reset_point_event,
)

BINS = 20
STOPS = 40

Levels = Callable[[np.ndarray], np.ndarray]
"""Displacements (K, d) -> levels (K, q) of the statistics in their laws under the posterior."""


def stops_of(steps: int) -> np.ndarray:
    """Return at most STOPS steps from 1 to n at which the chains are recorded."""
    return np.unique(np.linspace(0, steps, STOPS + 1).round().astype(int))[1:]


class EpochLaw:
    """Histograms of the chains at each stop; ``has_statistic`` is False if the posterior has no exact statistic.

    The sample of an epoch is X at a step uniform on 1..n, so its law is the mean of the laws of the steps, which are
    recorded at some forty steps. The compared statistic has an exact law under the posterior: the squared distance in the
    bowl's own metric (chi-square), or each coordinate on an exact grid. A statistic can only lose distance, so the
    measured distance is at most the total variation, up to the noise of its bins.

    Parameters
    ----------
    setup
        Setup of the simulation.
    levels
        Levels of the statistics; None if the posterior has no exact statistic.
    """

    def __init__(self, setup: ExitSetup, levels: Levels | None) -> None:
        self._levels = levels
        self.has_statistic = levels is not None
        self.stops = stops_of(setup.config.steps)
        #: expected distance of K exact draws: half the sum of E|X/K - p| over bins of p = 1/BINS
        self.floor = math.sqrt((BINS - 1) / (2.0 * math.pi * setup.chains))
        self._shares: list[np.ndarray] = []

    def record(self, simulation: Any) -> None:
        """Record the histograms of the chains at the next stop."""
        levels = self._levels(simulation.displacements)
        cells = np.clip((np.nan_to_num(levels, nan=1.0) * BINS).astype(int), 0, BINS - 1)
        self._shares.append(np.stack([np.bincount(column, minlength=BINS) for column in cells.T]) / len(cells))

    @property
    def distance(self) -> np.ndarray:
        """Distance of the mean of the laws up to each stop from the posterior, (stops,); largest over the statistics."""
        lengths = np.diff(self.stops, prepend=0).astype(float)
        sums = np.cumsum(np.array(self._shares) * lengths[:, None, None], axis=0)
        gaps = np.abs(sums / self.stops[:, None, None] - 1.0 / BINS)
        return 0.5 * gaps.sum(axis=2).max(axis=1)


MOST_PATHS = 40


@dataclass(frozen=True, eq=False)
class Process:
    """The exponential process of some chains."""

    steps: np.ndarray  #: (p,)
    shares: np.ndarray  #: (k, p) process over its level, NaN after the exit
    exits: np.ndarray  #: (k,) exit steps, 0 for none
    start: float  #: initial value over the level: a bound on its later means and on P(exit)
    reach: float  #: theta r^2 at the last step: increase of the logarithm from the mode to the escape line
    chains: int  #: number of all chains
    left: int  #: number of chains that left


def process_of(setup: ExitSetup, crowd: Crowd) -> Process | None:
    """Return the process, or None if no theta gives a bound or the chains start at several distances."""
    config = setup.config
    if setup.distances.size > 1:
        return None
    martingale = exit_process(config.dim, config.step_size, config.steps, config.radius, float(setup.distances[0]),
                              crowd.path_steps, config.noise, setup.smoothness, setup.curvature)
    if martingale is None:
        return None
    squares = crowd.paths[:MOST_PATHS].astype(float) * crowd.radius**2
    reach = float(martingale.exponent[-1] * crowd.radius**2)
    return Process(crowd.path_steps, np.exp(martingale.log_share(squares)), crowd.path_exits[:MOST_PATHS],
                   martingale.bound, reach, crowd.chains, crowd.left)


POINTS = 200


@dataclass(frozen=True, eq=False)
class GoodEventsSoFar:
    """Shares of chains in the events G_t and H_t."""

    epochs: np.ndarray  #: (p,) increasing, 1 to t
    escape: np.ndarray  #: (p,) share with G_s
    reset_epochs: np.ndarray  #: (q,) powers of two
    reset: np.ndarray | None  #: (q,) share with H_s; None if C1 <= 0 for this C'
    words: str  #: caption, HTML


def good_events(state: LiveHandover) -> GoodEventsSoFar:
    """Return the shares of both events from the records of a Live run."""
    t, chains = state.t, len(state.first_exit)
    epochs = np.unique(np.geomspace(1, t, POINTS).round().astype(int)) if t > 1 else np.array([1])
    left = np.sort(state.first_exit[state.first_exit > 0])
    escape = 1.0 - np.searchsorted(left, epochs, side="right") / chains
    c1 = state.settings.acceptance_radius / 2.5 - state.drift
    reset = None
    if c1 > 0 and len(state.reset_epochs):
        reset = reset_point_event(state.reset_distances, state.reset_epochs, c1, state.settings.offset).share
    words = (
        f"<b>The induction, measured.</b> G<sub>t</sub> (LMV-a eq. 42): no step so far left the escape ball, R/√(t + c), R ="
        f" {state.escape_radius:g}; {chains - left.size} of {chains} chains stayed in it for all {t:,} epochs.")
    if reset is not None:
        words += (f" H<sub>t</sub> (eq. 43): X<sup>s</sup> at s = 1, 2, 4, … is within C<sub>1</sub>/√(s + c) of the"
                  f" mode, C<sub>1</sub> = C′/2.5 − D = {c1:.2g} (Lemma 6.6); true for {round(reset[-1] * chains)} of"
                  f" {chains} chains. A chain that leaves an event never returns to it.")
    else:
        words += (" H<sub>t</sub> (eq. 43) requires C<sub>1</sub> = C′/2.5 − D above 0; with"
                  f" C′ = {state.settings.acceptance_radius:g} and D = {state.drift:.2g} it is not.")
    if state.preconditioned:
        words += " Live ran preconditioned, so C′ is plain SAGA-LD’s default."
    return GoodEventsSoFar(epochs, escape, state.reset_epochs, reset, words)


@dataclass(frozen=True, eq=False)
class Promise:
    """Bounds on the total variation for each number of steps, and the measured distance."""

    steps: np.ndarray  #: (j,) i_max
    promised: np.ndarray  #: (j,) bound on the total variation
    lemma: np.ndarray  #: (j,) the same with the constants of Lemma 6.4 as printed
    measured: np.ndarray | None  #: (j,) distance of the chains' law, at most the total variation up to noise
    floor: float  #: measured distance of the same number of exact draws
    last: EpochCertificate  #: certificate at the last step
    wasserstein: float  #: W2 at the epoch's start, or a bound
    how_start: str  #: source of `wasserstein`


Start = tuple[float, str, tuple[str, ...]]
"""W2 from the start to the posterior, or a bound; its source; names of measured inputs."""


def promise_of(setup: ExitSetup, bounds: BoundCurves, law: EpochLaw) -> Promise | None:
    """Return the certificates for the page's epoch, or None for a flat F, which has no posterior."""
    config, target, steps = setup.config, setup.target, law.stops
    if target.name == "flat" or (target.name == "quadratic" and not np.all(target.precision > 0.0)):
        return None
    exits = bounds.exits["local"]
    # The sample is taken at a random step i <= n: use the mean of P(exit by i), bounded by a right-hand sum.
    spent = np.cumsum(exits[1:] * np.diff(bounds.steps))
    leave = np.minimum(np.interp(steps, bounds.steps[1:], spent / bounds.steps[1:]), 1.0)
    W2, how, measured = _start(setup)
    largest = setup.largest_curvature
    certificates = [epoch_certificate(config.dim, config.step_size, int(n), W2, config.noise**2, largest, float(p),
                                      measured=measured) for n, p in zip(steps, leave, strict=True)]
    return Promise(steps, np.array([c.value for c in certificates]), np.array([c.lemma for c in certificates]),
                   law.distance if law.has_statistic else None, law.floor, certificates[-1], W2, how)


def bowl_start(setup: ExitSetup) -> Start:
    """Return W2 from a start at one distance to the posterior of an isotropic bowl.

    The coupling is monotone in the radius and keeps directions. The mean radius is sqrt(2/m) Gamma((d + 1)/2) / Gamma(d/2).
    """
    m, start, d = setup.curvature, setup.start, setup.config.dim
    ratio = 1.0 / math.sqrt(math.pi)  # Gamma((d + 1)/2) / Gamma(d/2) for d = 1
    for k in range(1, d):
        ratio = 0.5 * k / ratio
    square = start**2 - 2.0 * start * math.sqrt(2.0 / m) * ratio + d / m
    return math.sqrt(max(square, 0.0)), "exact", ()


def _start(setup: ExitSetup) -> Start:
    target, start = setup.target, setup.start
    covariance = np.linalg.inv(target.hessian) if target.name == "logistic" else np.diag(1.0 / target.precision)
    laplace = (" (posterior moments by Laplace)", ("wasserstein",)) if target.name == "logistic" else ("", ())
    if np.ndim(start) > 0:
        distance = coupling_distance(start, np.zeros(target.dim), covariance)
        return distance, "measured on Live’s chains, coupled independently" + laplace[0], ("wasserstein",)
    if np.ptp(target.precision) == 0.0 and target.name == "quadratic":
        return bowl_start(setup)
    return math.sqrt(start**2 + np.trace(covariance)), "the root of ρ₀² + tr Σ" + laplace[0], laplace[1]


def levels_of(setup: ExitSetup, grid: Callable[[Any], Any]) -> Levels | None:
    """Return the levels of statistics with an exact law under the posterior, or None if there are none.

    ``grid(target)`` returns an exact reference of a logistic posterior with d <= 2, as `grid_of`.
    """
    target = setup.target
    if target.name == "quadratic" and np.all(target.precision > 0.0):
        return lambda away: bowl_levels(away, target.precision)
    if target.name != "logistic" or target.dim > 2:
        return None
    reference = grid(target)
    return lambda away: reference.cdf(np.nan_to_num(away) + target.mode)


def grid_of(target: Any) -> GridReference:
    """Return the grid reference of a logistic target in one or two dimensions."""
    reference = GridReference(LogisticRegression(target.dim, target.precision))
    for row, label in zip(target.rows, target.labels, strict=True):
        reference.add(row, label)
    return reference
