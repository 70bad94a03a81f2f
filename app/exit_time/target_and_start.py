"""`ExitSetup`: target, start and constants of the bounds for a configuration; `default_handover`: Live's default run.

Apart from that run, plain Python and arrays, translated to JavaScript for the single-file lab.
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
"""Maximum number of coordinate-steps of one request: about half a minute on one core."""
FEWEST = 100
BINS = 6
"""Maximum number of groups of starting distances, with one bound each."""


@dataclass(frozen=True, eq=False)
class ExitSetup:
    """Input of a job: a configuration with the values from Live."""

    config: ExitConfig  #: with the values fixed by Live
    target: object  #: ExitTarget
    start: float | np.ndarray  #: rho_0, or (K, d) displacements from the mode
    distances: np.ndarray  #: (g,) starting distances of the bounds, increasing
    weights: np.ndarray  #: (g,) share of the chains that start at most at each distance and beyond the previous one
    curvature: float  #: m, in the ball
    smoothness: float  #: L_F, in the ball
    chains: int  #: number of chains, limited by WORK
    notes: tuple[str, ...]
    live: LiveHandover | None

    @property
    def largest_curvature(self) -> float:
        """Certified upper bound on the curvature of F everywhere."""
        return self.target.smoothness

    @property
    def walks_free(self) -> bool:
        """Whether the comparison walk is informative: no noise and a stable step size."""
        return self.config.noise == 0.0 and self.config.step_size * self.smoothness <= 2.0


def adopted(config: ExitConfig, state: LiveHandover) -> ExitConfig:
    """Return the configuration with r, eta, d, i_max and S of the Live run."""
    return config.replace(
        adopt=False, dim=state.dim, radius=_clamp("radius", state.escape_distance),
        step_size=_clamp("step_size", state.step_size),
        steps=int(_clamp("steps", state.settings.i_max)),
        noise=_clamp("noise", math.sqrt(state.variance_trace)))


def prepare_exits(config: ExitConfig, state: LiveHandover | None) -> ExitSetup:
    """Return the setup of a configuration; unavailable values are replaced, with a note."""
    notes: list[str] = []
    if config.adopt and state is not None:
        config = adopted(config, state)
        if state.preconditioned:
            notes.append("Live's chains were preconditioned, with steps in another metric: η, steps and noise here are"
                         " those of plain SAGA-LD at this problem's defaults.")
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
    axes = axes * np.where(np.sqrt(np.arange(1.0, state.dim + 1)) @ axes < 0, -1.0, 1.0)  # sign convention
    if state.kind == "poisson":
        notes.append("A Poisson posterior has no bounded curvature, so its quadratic at the mode replaces it.")
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
        notes.append("All chains of Live are outside this ball: they start at the mode instead. Raise r.")
        return config.replace(start="mode"), 0.0
    if not inside.all():
        count = int((~inside).sum())
        verb = "is" if count == 1 else "are"
        notes.append(f"{count} of Live's {len(inside)} chains {verb} outside this ball and {verb} left out.")
    away = away[inside]
    return config, away[np.arange(chains) % len(away)]


def affordable(config: ExitConfig, rows: int, notes: list[str]) -> int:
    """Return the number of chains within WORK; add a note if it is below the requested number."""
    one = config.steps * config.dim * (1 + rows)
    most = max(FEWEST, int(WORK // one))
    if config.chains > most:
        notes.append(f"{most:,} chains instead of {config.chains:,}: more chains of {config.steps:,} steps take too long.")
    return min(config.chains, most)


def _groups(start: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the upper ends of at most BINS groups of starting distances, and their shares; bounds increase in rho_0."""
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
    """Round to four digits, the precision displayed by a knob."""
    return float(f"{value:.4g}")


EPOCH = 256


def default_handover(handle: JobHandle) -> LiveHandover | None:
    """Run the Live page's default to epoch `EPOCH`; return None if the job is stopped."""
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
