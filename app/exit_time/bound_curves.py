"""`BoundCurves`: the five bounds by step, their conditions, and the bound for the sampler's own batches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from app.exit_time.target_and_start import ExitSetup
from sampler import exit_bounds
from sampler.theory import Leg, anytime_bound, conditional_variance_bound

POINTS = 81
"""Maximum number of steps from 0 to n at which bounds are computed."""
QUICK = ("printed", "corrected")
CURVES = ("printed", "corrected", "sharp", "local", "rotation")
MOST_MIXED = 100_000
"""Maximum number of steps for the mixture's bound, which then takes at most a second."""
MOST_GROUPS = 3
"""Maximum number of groups of starting distances for the conditional-variance bound, which is slow."""


@dataclass(frozen=True, eq=False)
class BoundCurves:
    """Bounds on P(exit by n) at some steps; `exits` has only the curves computed so far."""

    steps: np.ndarray  #: (j,) from 0 to n
    exits: dict[str, np.ndarray] = field(default_factory=dict)  #: name -> (j,) in [0, 1]
    vacuous: str = ""  #: reason why every valid bound is 1; empty otherwise
    conditions: tuple[str, ...] = ()  #: violated conditions of all bounds except Azuma's
    azuma: str = ""  #: reason why the printed and corrected bounds are 1
    batch: float | None = None  #: conditional-variance bound on P(exit by n) of the sampler itself
    batch_sbar: float = 0.0  #: largest ||zeta|| covered by `batch`
    batch_added: float = 0.0  #: share of `batch` for the probability that some ||zeta|| is larger
    loose: float | None = None  #: the same with Hoeffding's step and S = B
    mixed: float | None = None  #: curved bound on P(exit by n) by one mixture over all exponents instead of blocks

    def stays(self, name: str) -> np.ndarray | None:
        """Return a curve's lower bound on the share that stays, or None if it has not been computed."""
        exits = self.exits.get(name)
        return None if exits is None else 1.0 - exits

    def last(self, name: str) -> float | None:
        """Return a curve's bound on P(exit by n), or None if it has not been computed."""
        exits = self.exits.get(name)
        return None if exits is None else float(exits[-1])


def bound_curves(setup: ExitSetup, names: tuple[str, ...] = CURVES) -> BoundCurves:
    """Compute the named curves, each as a mean over the groups of starting distances."""
    steps = np.unique(np.linspace(0, setup.config.steps, POINTS).round().astype(int))
    bounds = [_bounds(setup, rho) for rho in setup.distances]
    exits = {name: _whole(sum(w * b.curve(name, steps) for w, b in zip(setup.weights, bounds, strict=True)))
             for name in names}
    farthest = bounds[-1]
    complete = all(name in names for name in CURVES)
    vacuous = farthest.words if complete and min(exits[n][-1] for n in CURVES[1:]) >= 0.9999 else ""
    return BoundCurves(steps, exits, vacuous, tuple(farthest.conditions), farthest.azuma_condition)


def with_batches(setup: ExitSetup, curves: BoundCurves) -> BoundCurves:
    """Add the bound for the sampler's own batches, with their noise measured on states visited by Live."""
    live, config = setup.live, setup.config
    if live is None or config.target != "live":
        return curves
    groups = np.array_split(np.arange(setup.distances.size), min(MOST_GROUPS, setup.distances.size))
    value = loose = 0.0
    for group in groups:
        rho, weight = setup.distances[group[-1]], setup.weights[group].sum()
        bound = conditional_variance_bound(
            config.dim, config.step_size, config.steps, config.radius, rho, live.settings.batch_size,
            live.variance_trace, live.variance_max, live.increment_bound, setup.curvature, setup.smoothness)
        value += weight * bound.value
        loose += weight * exit_bounds(
            config.dim, config.step_size, config.steps, config.radius, rho, live.increment_bound,
            setup.smoothness, setup.curvature).local
    return replace(curves, batch=min(value, 1.0), batch_sbar=bound.sbar, batch_added=bound.added,
                   loose=min(loose, 1.0))


def with_mixture(setup: ExitSetup, curves: BoundCurves) -> BoundCurves:
    """Add the mixture's bound if there is one starting distance, a positive curvature and a curved bound below 1."""
    config = setup.config
    if setup.distances.size > 1 or setup.curvature <= 0.0 or config.steps > MOST_MIXED or curves.last("local") >= 1.0:
        return curves
    leg = Leg(config.step_size, config.steps, config.radius, None, config.noise, setup.smoothness, setup.curvature)
    mixed = anytime_bound(config.dim, [leg], float(setup.distances[0]), resets=False).total[0]
    return replace(curves, mixed=min(float(mixed), curves.last("local")))


def _bounds(setup: ExitSetup, rho: float):
    config = setup.config
    return exit_bounds(config.dim, config.step_size, config.steps, config.radius, float(rho), config.noise,
                       setup.smoothness, setup.curvature, config.cutoff)


def _whole(exits: np.ndarray) -> np.ndarray:
    """Round values within 1e-12 of 1 to 1."""
    return np.where(exits > 1.0 - 1e-12, 1.0, exits)
