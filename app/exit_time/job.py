"""`ExitJobs`: the work behind one configuration, a first block of chains at once, the bounds, then the whole crowd."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from app.background_job import JobHandle
from app.exit_time.bound_curves import CURVES, QUICK, bound_curves, with_batches, with_mixture
from app.exit_time.crowd import crowd_of
from app.exit_time.epoch_law import EpochLaw
from app.exit_time.process import process_of
from app.exit_time.promise import promise_of
from app.exit_time.result import ExitResult
from app.exit_time.running_sums import choose, order, split
from app.exit_time.setup import ExitSetup, prepare_exits
from app.handover import LiveHandover
from app.state.exit_time import ExitConfig
from sampler import ExitSimulation

BLOCK = 2048
"""Numbers of one block of chains: fewer chains take as long."""
PATHS = 80
EVERY = 0.15
"""Seconds between two results of the same run."""


class Dropped(Exception):
    """A newer request has come."""


class ExitJobs:
    """Makes jobs for one `BackgroundJob`; keeps the last crowd, so that a new cut-off or another chain costs nothing.

    Parameters
    ----------
    live
        Called with a function that takes words and one that says whether to stop; returns Live's state, or None
        when it was stopped.
    """

    def __init__(self, live: Callable[[Callable[[str], None], Callable[[], bool]], LiveHandover | None]) -> None:
        self._live = live
        self._crowd: tuple[tuple, ExitSimulation, EpochLaw, float] | None = None

    def job(self, config: ExitConfig) -> Callable[[JobHandle], ExitResult | None]:
        """Return the job of one configuration; it publishes an `ExitResult` now and then."""
        return lambda handle: self.run(config, handle)

    def run(self, config: ExitConfig, handle: JobHandle) -> ExitResult | None:
        """Compute one configuration, publishing on the way; None when a newer request cut it short."""
        try:
            for result in self._steps(config, handle):
                if result.complete:
                    return result
                handle.publish(result)
                if handle.stopped:
                    return None
        except Dropped:  # overtaken in mid-run: the newer request shows what there is to show
            return None
        return None

    def _steps(self, config: ExitConfig, handle: JobHandle) -> Iterator[ExitResult]:
        state = None
        if config.needs_live:
            state = self._live(lambda words: handle.publish(None, None, words), lambda: handle.stopped)
            if handle.stopped:
                return
        setup = prepare_exits(config, state)
        config, steps = setup.config, setup.config.steps
        quick = config.noise == 0.0 or steps <= 1000
        result = ExitResult(config, bounds=bound_curves(setup, CURVES if quick else QUICK), notes=setup.notes, live=state)
        key, known = self._key(setup), self._crowd
        if known is not None and known[0] == key:
            simulation, law, seconds = known[1:]
        else:
            self._crowd = None
            simulation, law, seconds = None, None, 0.0
            for sketch in self._sketch(setup, handle):
                yield (result := self._filled(result, sketch))
        if not quick:
            yield (result := replace(result, bounds=bound_curves(setup)))
        if state is not None:
            yield (result := replace(result, bounds=with_batches(setup, result.bounds)))
        result = replace(result, bounds=with_mixture(setup, result.bounds))
        if simulation is None:
            simulation, law, seconds = self._simulate(setup, result, handle)
            self._crowd = key, simulation, law, seconds
        result = self._filled(result, simulation)
        yield replace(result, process=process_of(setup, result.crowd), promise=promise_of(setup, result.bounds, law),
                      complete=True, seconds=seconds)

    def _sketch(self, setup: ExitSetup, handle: JobHandle) -> Iterator[ExitSimulation]:
        """The first block of chains: they are the first of the crowd as well."""
        lanes = max(16, BLOCK // setup.config.dim // 8 * 8)
        simulation = self.simulation(setup, min(lanes, setup.chains))
        began = shown = time.monotonic()
        slices = max(1, simulation.steps // 50)
        while not simulation.advance(slices):
            if handle.stopped and time.monotonic() - began > EVERY:  # a moving slider still sees something
                raise Dropped
            if time.monotonic() - shown > EVERY:
                yield simulation
                shown = time.monotonic()
        yield simulation

    def _simulate(self, setup: ExitSetup, result: ExitResult,
                  handle: JobHandle) -> tuple[ExitSimulation, EpochLaw, float]:
        simulation, law = self.simulation(setup, setup.chains), EpochLaw(setup)
        began = shown = time.monotonic()

        def progress(fraction: float) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown > EVERY and now - began > 0.5:
                shown = now
                handle.publish(result, fraction, f"running {setup.chains:,} chains")

        for stop in law.stops if law.known else [simulation.steps]:
            if not simulation.run(progress, lambda: handle.stopped, int(stop)):
                raise Dropped
            if law.known:
                law.look(simulation)
        return simulation, law, time.monotonic() - began

    def _filled(self, result: ExitResult, simulation: ExitSimulation) -> ExitResult:
        """Fill a result from a simulation; its sums only once every step is made."""
        crowd = crowd_of(simulation)
        result = replace(result, crowd=crowd)
        if simulation.steps_done < simulation.steps:
            return result
        exits = simulation.exit_steps
        chain = choose(exits, len(crowd.paths), result.config.chain)
        sums = result.sums
        if sums is None or sums.chain != chain:
            sums = split(simulation, chain)
        return replace(result, sums=sums, too_long=sums is None, order=tuple(order(exits, len(crowd.paths))))

    @staticmethod
    def simulation(setup: ExitSetup, chains: int) -> ExitSimulation:
        """Return the first so many chains of a setup, at their start."""
        config, start = setup.config, setup.start
        if not isinstance(start, float):
            start = start[:chains]
        return ExitSimulation(
            setup.target, config.step_size, config.steps, config.radius, start, chains, config.noise,
            walk_free=setup.walks_free, paths=PATHS, path_points=200, push_bins=24)

    @staticmethod
    def _key(setup: ExitSetup) -> tuple:
        """What the crowd depends on."""
        plain = setup.config.replace(truncation=0.0, chain=None)
        return plain, setup.chains, id(setup.live) if setup.config.needs_live else None
