"""One picture after another for one request: a first block of chains at once, the bounds, then the crowd."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from app.exit_time.config import ExitConfig
from app.exit_time.picture import ExitPicture, crowd_of
from app.exit_time.promises import CURVES, QUICK, promises, with_batches
from app.exit_time.sums import choose, order, split
from app.exit_time.task import Task, task_of
from app.handover import LiveState
from sampler import ExitSimulation

BLOCK = 2048
"""Numbers of one block of chains: fewer chains take as long."""
PATHS = 80
EVERY = 0.15
"""Seconds between two pictures of the same run."""


class Dropped(Exception):
    """A newer request has come."""


class Job:
    """Remembers the last crowd, so that a new cut-off or another chain costs nothing."""

    def __init__(self, live: Callable[[Callable[[str], None], Callable[[], bool]], LiveState | None]) -> None:
        self._live = live
        self._crowd: tuple[tuple, ExitSimulation, float] | None = None

    def pictures(self, request: int, config: ExitConfig, stop: Callable[[], bool],
                 publish: Callable[[ExitPicture], None]) -> bool:
        """Compute, calling `publish`; True when done, False when `stop()` cut it short."""
        try:
            for picture in self._steps(request, config, stop, publish):
                publish(picture)
                if picture.done:
                    return True
                if stop():
                    return False
        except Dropped:  # overtaken in mid-run: the newer request shows what there is to show
            return False
        return False

    def _steps(self, request: int, config: ExitConfig, stop: Callable[[], bool],
               publish: Callable[[ExitPicture], None]) -> Iterator[ExitPicture]:
        state = None
        if config.needs_live:
            state = self._live(lambda words: publish(ExitPicture(request, config, words=words)), stop)
            if stop():
                return
        task = task_of(config, state)
        config, steps = task.config, task.config.steps
        quick = task.config.noise == 0.0 or steps <= 1000
        picture = ExitPicture(request, config, promises=promises(task, CURVES if quick else QUICK),
                              notes=task.notes, live=state)
        key, known = self._key(task), self._crowd
        if known is not None and known[0] == key:
            simulation, seconds = known[1], known[2]
        else:
            self._crowd = None
            simulation, seconds = None, 0.0
            for sketch in self._sketch(task, stop):
                yield (picture := self._shown(picture, sketch))
        if not quick:
            yield (picture := replace(picture, promises=promises(task)))
        if state is not None:
            yield (picture := replace(picture, promises=with_batches(task, picture.promises)))
        if simulation is None:
            simulation, seconds = self._run(task, picture, stop, publish)
            self._crowd = key, simulation, seconds
        yield replace(self._shown(picture, simulation), done=True, progress=None, words="", seconds=seconds)

    def _sketch(self, task: Task, stop: Callable[[], bool]) -> Iterator[ExitSimulation]:
        """The first block of chains: they are the first of the crowd as well."""
        lanes = max(16, BLOCK // task.config.dim // 8 * 8)
        simulation = self._simulation(task, min(lanes, task.chains), bins=24)
        began = shown = time.monotonic()
        slices = max(1, simulation.steps // 50)
        while not simulation.advance(slices):
            if stop() and time.monotonic() - began > EVERY:  # a moving slider still sees something
                raise Dropped
            if time.monotonic() - shown > EVERY:
                yield simulation
                shown = time.monotonic()
        yield simulation

    def _run(self, task: Task, picture: ExitPicture, stop: Callable[[], bool],
             publish: Callable[[ExitPicture], None]) -> tuple[ExitSimulation, float]:
        simulation = self._simulation(task, task.chains, bins=24)
        began = shown = time.monotonic()

        def progress(fraction: float) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown > EVERY and now - began > 0.5:
                shown = now
                left = (now - began) * (1 - fraction) / max(fraction, 1e-9)
                words = f"running {task.chains:,} chains, {_seconds(left)} left"
                publish(replace(picture, progress=fraction, words=words))

        if not simulation.run(progress, stop):
            raise Dropped
        return simulation, time.monotonic() - began

    def _shown(self, picture: ExitPicture, simulation: ExitSimulation) -> ExitPicture:
        """Fill a picture from a simulation; its sums only once every step is made."""
        crowd = crowd_of(simulation)
        picture = replace(picture, crowd=crowd)
        if simulation.steps_done < simulation.steps:
            return picture
        exits = simulation.exit_steps
        chain = choose(exits, len(crowd.paths), picture.config.chain)
        sums = picture.sums
        if sums is None or sums.chain != chain:
            sums = split(simulation, chain)
        return replace(picture, sums=sums, too_long=sums is None,
                       order=tuple(order(exits, len(crowd.paths))))

    @staticmethod
    def _simulation(task: Task, chains: int, bins: int) -> ExitSimulation:
        config, start = task.config, task.start
        if not isinstance(start, float):
            start = start[:chains]
        return ExitSimulation(
            task.target, config.step_size, config.steps, config.radius, start, chains, config.noise,
            walk_free=task.walks_free, paths=PATHS, path_points=200, push_bins=bins)

    @staticmethod
    def _key(task: Task) -> tuple:
        """What the crowd depends on."""
        plain = task.config.replace(truncation=0.0, chain=None)
        return plain, task.chains, id(task.live) if task.config.needs_live else None


def _seconds(left: float) -> str:
    return f"{left:.0f} s" if left >= 1.5 else "a second"
