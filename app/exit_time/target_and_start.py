"""`ExitSetup`: the target of a configuration, where its chains start, what the bounds may assume; and Live's default run.

But for that run plain Python and arrays, also for the lab in one file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from app.jobs.background_job import JobHandle
from app.live.run import LiveRun
from app.live.run_handover import LiveHandover, hand_over
from app.state.exit_time import ExitConfig, ExitState
from app.state.live import default_config
from sampler.theory import flat_target, logistic_target, quadratic_target

WORK = 3_000_000_000
"""Coordinate-steps of one request, at most: about half a minute on one core."""
FEWEST = 100
BINS = 6
"""Groups of starting distances for which a bound is computed."""


@dataclass(frozen=True, eq=False)
class ExitSetup:
    """What a job computes."""

    config: ExitConfig  #: with what Live fixes filled in
    target: object  #: ExitTarget
    start: float | np.ndarray  #: rho_0, or (K, d) displacements from the mode
    distances: np.ndarray  #: (g,) starting distances the bounds are computed for
    weights: np.ndarray  #: (g,) share of the chains that start no farther than each, and beyond the last
    curvature: float  #: m, in the ball
    smoothness: float  #: L_F, in the ball
    chains: int  #: as many as the work allows
    notes: tuple[str, ...]
    live: LiveHandover | None

    @property
    def largest_curvature(self) -> float:
        """Of F anywhere, certified."""
        return self.target.smoothness

    @property
    def walks_free(self) -> bool:
        """Whether the comparison walk says something: without noise, at a stable step."""
        return self.config.noise == 0.0 and self.config.step_size * self.smoothness <= 2.0


def adopted(config: ExitConfig, state: LiveHandover) -> ExitConfig:
    """Return the configuration with r, eta, d, i_max and S as the Live run has them."""
    return config.replace(
        adopt=False, dim=state.dim, radius=_clamp("radius", state.escape_distance),
        step_size=_clamp("step_size", state.step_size),
        steps=int(_clamp("steps", state.settings.i_max)),
        noise=_clamp("noise", math.sqrt(state.variance_trace)))


def prepare_exits(config: ExitConfig, state: LiveHandover | None) -> ExitSetup:
    """Make a configuration concrete; what cannot be had is replaced, with a note."""
    notes: list[str] = []
    if config.adopt and state is not None:
        config = adopted(config, state)
        if state.preconditioned:
            notes.append("Live's chains were preconditioned, with steps in a metric of their own: η, steps and noise here"
                         " are those of plain SAGA-LD at this problem's defaults.")
    if config.target == "live" and state is not None:
        config = config.replace(dim=state.dim)
        target, axes = _live_target(state, notes)
        m, smoothness = target.curvature(config.radius)
        config = config.replace(curvature=_round(m))
    else:
        axes = None
        target = quadratic_target(config.curvature, config.dim) if config.curvature > 0 else flat_target(config.dim)
        m = smoothness = config.curvature
    chains = affordable(config, len(target.rows), notes)
    start = config.start_distance
    if config.start == "live" and state is not None:
        config, start = _live_start(config, state, axes, chains, notes)
    distances, weights = _groups(start)
    return ExitSetup(config, target, start, distances, weights, m, smoothness, chains, tuple(notes), state)


def _live_target(state: LiveHandover, notes: list[str]) -> tuple[object, np.ndarray | None]:
    """Return the posterior, or its quadratic in the Hessian's axes."""
    if state.kind == "logistic":
        return logistic_target(state.features, state.labels, state.prior_precision), None
    values, axes = np.linalg.eigh(state.hessian)
    axes = axes * np.where(np.sqrt(np.arange(1.0, state.dim + 1)) @ axes < 0, -1.0, 1.0)  # of two signs the same anywhere
    if state.kind == "poisson":
        notes.append("A Poisson posterior has no bounded curvature, so its quadratic at the mode stands in for it.")
    return quadratic_target(np.maximum(values, 0.0)), axes


def _live_start(config: ExitConfig, state: LiveHandover, axes: np.ndarray | None, chains: int,
                notes: list[str]) -> tuple[ExitConfig, float | np.ndarray]:
    if config.dim != state.dim:
        notes.append(f"Live's chains have d = {state.dim}, these d = {config.dim}: they start at the mode instead.")
        return config.replace(start="mode"), 0.0
    away = state.positions - state.mode
    if axes is not None:
        away = away @ axes
    inside = np.linalg.norm(away, axis=1) < config.radius * (1 - 1e-9)
    if not inside.any():
        notes.append("Every chain of Live stands outside this ball: they start at the mode instead. Raise r.")
        return config.replace(start="mode"), 0.0
    if not inside.all():
        count = int((~inside).sum())
        notes.append(f"{count} of Live's {len(inside)} chains stand{'s' if count == 1 else ''} outside this ball and"
                     f" {'is' if count == 1 else 'are'} left out.")
    away = away[inside]
    return config, away[np.arange(chains) % len(away)]


def affordable(config: ExitConfig, rows: int, notes: list[str]) -> int:
    """Return how many chains are run, with a note where there are fewer than asked for."""
    one = config.steps * config.dim * (1 + rows)
    most = max(FEWEST, int(WORK // one))
    if config.chains > most:
        notes.append(f"{config.chains:,} chains of {config.steps:,} steps would take long: {most:,} are run.")
    return min(config.chains, most)


def _groups(start: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Upper ends of at most BINS groups of starting distances, and their shares; each bound grows in rho_0."""
    if np.ndim(start) == 0:
        return np.array([float(start)]), np.ones(1)
    distances = np.sort(np.linalg.norm(start, axis=1))
    ends = np.unique(distances[np.ceil(np.linspace(0, 1, BINS + 1)[1:] * len(distances)).astype(int) - 1])
    counts = np.diff(np.searchsorted(distances, ends, side="right"), prepend=0)
    return ends, counts / len(distances)


RANGES = {name: (knob.low, knob.high) for name, knob in ExitState.knobs().items()}


def _clamp(name: str, value: float) -> float:
    low, high = RANGES[name]
    return float(min(max(_round(value), low), high))


def _round(value: float) -> float:
    """Four digits: what a knob shows is what is run."""
    return float(f"{value:.4g}")


EPOCH = 256


def default_handover(handle: JobHandle) -> LiveHandover | None:
    """Run the Live page's default to epoch `EPOCH`; None when the job is stopped on the way."""
    handle.publish(None, None, f"running Live's default to epoch {EPOCH}")
    run = LiveRun(default_config())
    try:
        while run.state.t < EPOCH or not run.state.done:
            if handle.stopped:
                return None
            run.go(run.state.longest if not run.state.done else 1)
        return hand_over(run, fresh=True)
    finally:
        run.close()
