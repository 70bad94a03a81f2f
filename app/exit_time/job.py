"""`run_exits`: background job of one configuration: a first block of chains, the bounds, then all chains."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.exit_time.bound_curves import CURVES, QUICK, BoundCurves, bound_curves, with_batches, with_mixture
from app.exit_time.promise import EpochLaw, Process, Promise, grid_of, levels_of, process_of, promise_of
from app.exit_time.simulated_chains import Crowd, SplitChain, choose, crowd_of, split
from app.exit_time.target_and_start import ExitSetup, default_handover, prepare_exits
from app.jobs.background_job import JobHandle
from app.live.run_handover import LiveHandover
from app.state.exit_time import ExitConfig
from sampler import ExitSimulation


@dataclass(frozen=True, eq=False)
class ExitResult:
    """Result of one configuration so far; it is not displayed before there are chains."""

    config: ExitConfig  #: computed configuration, with the values fixed by Live
    bounds: BoundCurves
    crowd: Crowd | None = None  #: None until the first chains have run
    sums: SplitChain | None = None
    too_long: bool = False  #: whether the path is too long to be decomposed
    notes: tuple[str, ...] = ()
    live: LiveHandover | None = None
    process: Process | None = None  #: set when complete; None if it gives no bound
    promise: Promise | None = None  #: set when complete; None for a flat F
    complete: bool = False  #: whether all chains have made all steps
    seconds: float = 0.0  #: duration of the simulation of all chains


def filled(result: ExitResult, simulation: ExitSimulation) -> ExitResult:
    """Return a result with the values of a simulation; the sums are computed after the last step."""
    crowd = crowd_of(simulation)
    result = replace(result, crowd=crowd)
    if simulation.steps_done < simulation.steps:
        return result
    exits = simulation.exit_steps
    chain = choose(exits, len(crowd.paths), result.config.chain)
    sums = result.sums
    if sums is None or sums.chain != chain:
        sums = split(simulation, chain)
    return replace(result, sums=sums, too_long=sums is None)


BLOCK = 2048
"""Coordinates in one block of chains: fewer chains take the same time."""
PATHS = 80
EVERY = 0.15
"""Seconds between two results of the same run."""


class Superseded(Exception):
    """Raised when a newer request has replaced the running one."""


def run_exits(config: ExitConfig, live: LiveHandover | None, handle: JobHandle) -> ExitResult | None:
    """Compute one configuration and publish partial results; return None if a newer request replaces it.

    The handle stores the chains for the page's next job: a new cut-off or another chain needs no simulation.

    Parameters
    ----------
    config
        Configuration to compute.
    live
        Run handed over by the Live page, if any. If one is needed without it, Live's default is run once.
    """
    try:
        return _run(config, live_or_default(live, handle) if config.needs_live else None, handle)
    except Superseded:
        return None


def live_or_default(left: LiveHandover | None, handle: JobHandle) -> LiveHandover | None:
    """Return the run handed over by Live, else a run of its default; None if the job was stopped."""
    if left is None and handle.kept.get("default") is None:
        handle.kept["default"] = default_handover(handle)
    return handle.kept["default"] if left is None else left


def _run(config: ExitConfig, live: LiveHandover | None, handle: JobHandle) -> ExitResult:
    def publish(result: ExitResult) -> ExitResult:
        handle.publish(result)
        if handle.stopped:
            raise Superseded
        return result

    if handle.stopped:
        raise Superseded
    setup = prepare_exits(config, live)
    config, key = setup.config, _key(setup)
    quick = config.noise == 0.0 or config.steps <= 1000
    result = ExitResult(config, bounds=bound_curves(setup, CURVES if quick else QUICK), notes=setup.notes, live=live)
    if handle.kept.get("key") == key:
        result = filled(result, handle.kept["crowd"][0])
    else:
        handle.kept.update(key=None, crowd=None)
        for sketch in _sketch(setup, handle):
            result = publish(filled(result, sketch))
    if not quick:
        result = publish(replace(result, bounds=bound_curves(setup)))
    if live is not None:
        result = publish(replace(result, bounds=with_batches(setup, result.bounds)))
    result = replace(result, bounds=with_mixture(setup, result.bounds))
    if handle.kept["key"] != key:
        handle.kept.update(crowd=_simulate(setup, result, handle), key=key)
    simulation, law, seconds = handle.kept["crowd"]
    result = filled(result, simulation)
    return replace(result, process=process_of(setup, result.crowd), promise=promise_of(setup, result.bounds, law),
                   complete=True, seconds=seconds)


def _sketch(setup: ExitSetup, handle: JobHandle) -> Iterator[ExitSimulation]:
    """Yield a simulation of one block of chains, for display before all chains have run."""
    lanes = max(16, BLOCK // setup.config.dim // 8 * 8)
    simulation = simulation_of(setup, min(lanes, setup.chains))
    began = shown = time.monotonic()
    slices = max(1, simulation.steps // 50)
    while not simulation.advance(slices):
        if handle.stopped and time.monotonic() - began > EVERY:  # a moving slider still displays a result
            raise Superseded
        if time.monotonic() - shown > EVERY:
            yield simulation
            shown = time.monotonic()
    yield simulation


def _simulate(setup: ExitSetup, result: ExitResult, handle: JobHandle) -> tuple[ExitSimulation, EpochLaw, float]:
    simulation, law = simulation_of(setup, setup.chains), EpochLaw(setup, levels_of(setup, grid_of))
    began = shown = time.monotonic()

    def progress(fraction: float) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown > EVERY and now - began > 0.5:
            shown = now
            handle.publish(result, fraction, f"running {setup.chains:,} chains")

    for stop in law.stops if law.has_statistic else [simulation.steps]:
        if not simulation.run(progress, lambda: handle.stopped, int(stop)):
            raise Superseded
        if law.has_statistic:
            law.record(simulation)
    return simulation, law, time.monotonic() - began


def simulation_of(setup: ExitSetup, chains: int) -> ExitSimulation:
    """Return a simulation of the first `chains` chains of a setup, at step 0."""
    config, start = setup.config, setup.start
    if not isinstance(start, float):
        start = start[:chains]
    return ExitSimulation(
        setup.target, config.step_size, config.steps, config.radius, start, chains, config.noise,
        walk_free=setup.walks_free, paths=PATHS, path_points=200, push_bins=24)


def _key(setup: ExitSetup) -> tuple:
    """Return everything that determines the simulation."""
    plain = setup.config.replace(truncation=0.0, chain=None)
    return plain, setup.chains, setup.live.key if setup.config.needs_live else None
