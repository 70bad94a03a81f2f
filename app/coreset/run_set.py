"""`CoresetRuns`: the runs of one page, advanced together, kept from one request to the next."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from app.background_job import JobHandle
from app.coreset.chosen_optimizers import MAKERS, rate_of
from app.coreset.data_plane import DataPlane
from app.coreset.model_cache import CACHE, ModelCache
from app.coreset.own_data import OwnData
from app.coreset.result import CoresetResult
from app.coreset.run_words import truth_notes, truth_words
from app.coreset.sliced_run import SlicedRun, marks
from app.state.coreset import CoresetConfig, RunKey
from sampler import coreset

EVERY = 0.2
"""Seconds between two published results."""
SLICE = 0.05
"""Seconds that one run is advanced before the next takes its turn."""


class CoresetRuns:
    """Used by one worker thread at a time; `job` makes what `BackgroundJob` runs.

    A run is kept as long as the configuration still asks for it: more iterations, another optimizer or another look
    at the points cost only what is new.
    """

    def __init__(self, models: ModelCache = CACHE) -> None:
        self._models = models
        self._model: coreset.GaussianLocation | None = None
        self._runs: dict[tuple, SlicedRun] = {}
        self._planes: dict[str, DataPlane] = {}

    def job(self, config: CoresetConfig, own: OwnData | None) -> Callable[[JobHandle], CoresetResult | None]:
        """Return the job that brings every run of ``config`` to its iterations."""
        def run(handle: JobHandle) -> CoresetResult | None:
            with np.errstate(over="ignore", invalid="ignore"):  # runs that diverge are told of in words
                return self._run(config, own, handle)

        return run

    def run_of(self, config: CoresetConfig, key: RunKey) -> coreset.CoresetRun | None:
        """Return a run that was begun; look at it only while no work is under way."""
        run = self._runs.get(self._identity(config, key))
        return None if run is None else run.run

    def _run(self, config: CoresetConfig, own: OwnData | None, handle: JobHandle) -> CoresetResult | None:
        model = self._models.model(config, own, lambda words, part: handle.publish(None, part, words),
                                   lambda: handle.stopped)
        if model is None:
            return None
        if model is not self._model:
            self._model, self._runs, self._planes = model, {}, {}
        runs = self._begin(config)
        shown = 0.0
        while not handle.stopped:
            behind = [run for run in runs if run.t < config.iterations and not run.fault]
            if not behind:
                break
            run = min(behind, key=lambda run: run.t)
            ahead = max((other.t for other in behind), default=0)
            run.advance(self._goal(run.t, ahead, config.iterations), SLICE, lambda: handle.stopped)
            if time.monotonic() - shown > EVERY:
                shown = time.monotonic()
                done = sum(run.t for run in runs if not run.fault)
                whole = config.iterations * sum(not run.fault for run in runs)
                handle.publish(self._result(config, runs), done / max(1, whole), _going(runs, config))
        return self._result(config, runs)

    @staticmethod
    def _goal(t: int, ahead: int, end: int) -> int:
        """How far to bring the run that is behind: up with the others, or a fifth further."""
        return min(end, max(ahead, t + 20, int(1.2 * t)))

    def _begin(self, config: CoresetConfig) -> list[SlicedRun]:
        wanted = {self._identity(config, key): key for key in config.keys}
        kept = {identity: run for identity, run in self._runs.items() if identity in wanted}
        for identity, key in wanted.items():
            if identity not in kept:
                kept[identity] = SlicedRun(key, lambda key=key: self._start(config, key))
        self._runs = kept
        return [kept[identity] for identity in wanted]

    def _start(self, config: CoresetConfig, key: RunKey) -> coreset.CoresetRun:
        model = self._model
        kernel = None
        if isinstance(model, coreset.GaussianLocation) and config.kernel == "ar":
            kernel = coreset.GaussianKernel(coreset.PAPER_MEMORY)
        hot = coreset.HotStart(threshold=config.threshold, cap=config.cap) if key.hot else False
        return coreset.CoresetMCMC(
            model, config.size, MAKERS[key.optimizer](config), config.chains, config.drawn, hot, kernel,
            config.start, config.seed).start()

    @staticmethod
    def _identity(config: CoresetConfig, key: RunKey) -> tuple:
        """All that a run depends on, but for the data."""
        hot = (config.threshold, config.cap) if key.hot else ()
        return (key, rate_of(key.optimizer, config), config.size, config.drawn, config.chains, hot, config.start,
                config.kernel, config.seed)

    def _result(self, config: CoresetConfig, runs: list[SlicedRun]) -> CoresetResult:
        model = self._model
        if config.view not in self._planes:
            self._planes[config.view] = DataPlane(model, config.view)
        view = self._planes[config.view]
        traces = tuple(run.trace() for run in runs if run.run is not None or run.fault)
        focus = next((run for run in runs if run.key == config.shown and run.run is not None), None)
        floor = None
        if isinstance(model, coreset.GaussianLocation) and config.drawn < model.n:
            at = marks(config.iterations)
            floor = np.array([at, coreset.gaussian_floor(model.n, config.drawn, model.dim, at)])
        return CoresetResult(
            config, model.title, model.n, model.dim, truth_words(model.truth), floor, model.truth.noise, traces,
            view.background,
            None if focus is None else view.points(focus.run.points, focus.run.weights),
            truth_notes(model.truth), not isinstance(model, coreset.SparseRegression))


def _going(runs: list[SlicedRun], config: CoresetConfig) -> str:
    waiting = sum(run.run is not None and run.run.hot_start_iteration is None and not run.fault for run in runs)
    slowest = min((run.t for run in runs if not run.fault), default=0)
    words = f"{slowest:,} of {config.iterations:,} iterations"
    return f"{words}, warming up" if waiting else words
