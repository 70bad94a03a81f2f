"""`run_gaussian`: background job of ZXG's Figures 1 and 2; exact W2 lines first, then simulated chains as points."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from app.jobs.background_job import JobHandle
from app.offline.race_samplers import Trace, check, label, make
from app.state.offline_races import GAUSSIAN_DIM, GaussianConfig
from sampler.algorithms import OfflineDivergenceError
from sampler.metrics import gaussian_wasserstein
from sampler.racing import WassersteinCurve, wasserstein_race
from sampler.theory import gaussian_experiment

SMALLEST_STEP = 1e-4
"""Smallest step size in the search for the best one."""
LINE = 121
POINTS = 9
MEMORY = 200_000_000
"""Maximum size of SAGA-LD's tables, bytes."""
STEPS = 20_000_000
"""Maximum number of steps of one sampler's chains: some ten seconds on one core."""
REPLICAS = 40
"""Number of draws of K chains for the band of a point."""


@dataclass(frozen=True, eq=False)
class BandedCurve(WassersteinCurve):
    """One sampler's curve with 95 % bands for the points of K chains of its exact law."""

    low: np.ndarray = field(default_factory=lambda: np.empty(0))  #: (Q,)
    high: np.ndarray = field(default_factory=lambda: np.empty(0))
    chains: int = 0  #: K; 0 before the simulation


@dataclass(frozen=True, eq=False)
class GaussianRace:
    """All curves so far, by the samplers' keys; names are those of the page."""

    config: GaussianConfig
    start: float  #: W2 distance of the start
    curves: dict[str, BandedCurve] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    unit: ClassVar[str] = "W₂"

    @property
    def n(self) -> int:
        """Number of terms."""
        return self.config.n

    @property
    def traces(self) -> list[Trace]:
        """Exact curves of the samplers."""
        return [Trace(key, curve.name, curve.passes, curve.exact) for key, curve in self.curves.items()]


def run_gaussian(config: GaussianConfig, handle: JobHandle) -> GaussianRace:
    """Compute the lines of all samplers, then simulate the points of one sampler after another."""
    check(config, config.n, "the number of data")
    experiment = gaussian_experiment(config.n, GAUSSIAN_DIM, config.seed)
    race = GaussianRace(config, gaussian_wasserstein(experiment.start, np.zeros((GAUSSIAN_DIM,) * 2),
                                                     *experiment.target))
    passes = grid(config)
    for i, key in enumerate(config.samplers):
        if handle.stopped:
            return race
        name, sampler = label(key, config, config.n), make(key, config, config.n)
        step = config.step_size if config.step == "common" else experiment.best_step_size(
            sampler, config.passes, SMALLEST_STEP)
        line = wasserstein_race(experiment, {name: replace(sampler, step_size=step)}, passes)[name]
        race = replace(race, curves=race.curves | {key: BandedCurve(**vars(line))})
        handle.publish(race, None if config.chains else (i + 1) / len(config.samplers), f"{name}: exact line.")
    if config.chains:
        race = _simulate(race, experiment, handle)
    return race


def grid(config: GaussianConfig) -> np.ndarray:
    """Return the passes of the lines, from max(2/n, 1/50), at most half of the race, to its end."""
    first = min(max(0.02, 2.0 / config.n), 0.5 * config.passes)
    return np.unique(np.concatenate([np.geomspace(first, config.passes, LINE), np.linspace(first, config.passes, LINE)]))


def _simulate(race: GaussianRace, experiment: object, handle: JobHandle) -> GaussianRace:
    config = race.config
    first = min(max(0.1, 20.0 / config.n), 0.5 * config.passes)
    at = np.geomspace(first, config.passes, POINTS)
    total = len(race.curves)
    for i, (key, curve) in enumerate(race.curves.items()):
        if handle.stopped:
            break
        chains, words = chains_of(config, key)
        notes = race.notes if words is None else (*race.notes, words)
        sampler = replace(make(key, config, config.n), step_size=curve.step_size)

        def progress(_: str, share: float, i: int = i, name: str = curve.name, shown: GaussianRace = race) -> None:
            handle.publish(shown, (i + min(1.0, share)) / total, f"{name}: chains.")

        try:
            simulated = wasserstein_race(
                experiment, {curve.name: sampler}, [], chains=chains, point_passes=at, seed=config.seed,
                progress=progress, stop=lambda: handle.stopped)[curve.name]
        except OfflineDivergenceError:
            race = replace(race, notes=(*notes, f"{curve.name}: η = {curve.step_size:.3g} is too long, its chains"
                                        " diverged. Lower η, or raise b."))
            continue
        low, high = _bands(experiment, sampler, simulated.point_passes, chains, config.seed, lambda: handle.stopped)
        count = len(low)
        new = replace(curve, point_passes=simulated.point_passes[:count], points=simulated.points[:count], low=low,
                      high=high, floor=simulated.floor, chains=chains)
        race = replace(race, curves=race.curves | {key: new}, notes=notes)
        handle.publish(race, (i + 1) / total, f"{curve.name} has finished.")
    return race


def chains_of(config: GaussianConfig, key: str) -> tuple[int, str | None]:
    """Return a sampler's number of chains within MEMORY and STEPS, and a note if it is reduced, else None."""
    table = MEMORY // (8 * config.n * GAUSSIAN_DIM) if key == "saga" else config.chains
    steps = int(STEPS // max(1.0, config.passes * config.n / config.batch_size))
    most = max(GAUSSIAN_DIM + 10, min(table, steps))
    if config.chains <= most:
        return config.chains, None
    why = "it stores a table of n vectors per chain" if table < steps else "more would take too long"
    return most, f"{label(key, config, config.n)}: {most:,} chains instead of {config.chains:,}, {why}."


def _bands(experiment: object, sampler: object, at: np.ndarray, chains: int, seed: int,
           stop: Callable[[], bool]) -> tuple[np.ndarray, np.ndarray]:
    """Return 95 % bands, two (Q,) arrays, of the W2 of K chains of the exact Gaussian law, from REPLICAS draws."""
    rng = np.random.default_rng([seed, 7])
    bands = []
    for p in at:
        if stop():
            break
        mean, covariance = experiment.moments(sampler, p)
        if not np.isfinite(covariance).all():
            bands.append(np.full(2, np.nan))
            continue
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws = (mean + rng.standard_normal((chains, mean.size)) @ root.T for _ in range(REPLICAS))
        scores = [gaussian_wasserstein(one.mean(axis=0), np.cov(one, rowvar=False), *experiment.target) for one in draws]
        logs = np.log(np.maximum(scores, 1e-12))
        bands.append(np.exp(logs.mean() + np.array([-1.96, 1.96]) * logs.std(ddof=1)))
    return tuple(np.reshape(bands, (-1, 2)).T)


TABLE_PASSES = (1, 2, 5, 10)
TABLE_SIZES = (500, 50_000)
TABLE_SAMPLERS = ("sgld", "saga", "svrg", "half", "plus", "uld", "ula")


def best_steps() -> dict[tuple[str, int, int], tuple[float, float]]:
    """Return (sampler, n, passes) -> exact W2 with the best step size of that cell, and this step size.

    b = 1, B = n/5 and n/2, on the experiment's data. It depends on no knob: the page displays the shipped table.
    """
    cells = {}
    for n in TABLE_SIZES:
        experiment, race = gaussian_experiment(n, GAUSSIAN_DIM), GaussianConfig(n=n).with_batch(n // 5)
        for key in TABLE_SAMPLERS:
            for passes in TABLE_PASSES:
                sampler = make(key, race, n)
                step = experiment.best_step_size(sampler, passes, SMALLEST_STEP)
                cells[key, n, passes] = experiment.wasserstein(replace(sampler, step_size=step), passes), step
    return cells
