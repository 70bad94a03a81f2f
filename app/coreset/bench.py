"""`Bench`: the runs of one page, advanced together, kept from one request to the next."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from app.background_job import JobHandle
from app.coreset.cloud import DataView
from app.coreset.config import CoresetConfig, RunKey
from app.coreset.files import OwnData
from app.coreset.line import Line, marks
from app.coreset.memory import MEMORY, Memory
from app.coreset.methods import METHODS
from app.coreset.picture import CoresetPicture
from app.coreset.words import truth_notes, truth_words
from sampler import coreset

EVERY = 0.2
"""Seconds between two pictures."""
SLICE = 0.05
"""Seconds that one run is advanced before the next takes its turn."""


class Bench:
    """Used by one worker thread at a time; `work` makes what `BackgroundJob` runs.

    A run is kept as long as the configuration still asks for it: more iterations, another optimizer or another look
    at the points cost only what is new.
    """

    def __init__(self, memory: Memory = MEMORY) -> None:
        self._memory = memory
        self._model: coreset.GaussianLocation | None = None
        self._lines: dict[tuple, Line] = {}
        self._views: dict[str, DataView] = {}

    def work(self, config: CoresetConfig, own: OwnData | None) -> Callable[[JobHandle], CoresetPicture | None]:
        """Return the work that brings every run of ``config`` to its iterations."""
        def run(control: JobHandle) -> CoresetPicture | None:
            with np.errstate(over="ignore", invalid="ignore"):  # runs that diverge are told of in words
                return self._run(config, own, control)

        return run

    def run_of(self, config: CoresetConfig, key: RunKey) -> coreset.CoresetRun | None:
        """Return a run that was begun; look at it only while no work is under way."""
        line = self._lines.get(self._identity(config, key))
        return None if line is None else line.run

    def _run(self, config: CoresetConfig, own: OwnData | None, control: JobHandle) -> CoresetPicture | None:
        model = self._memory.model(config, own, lambda words, part: control.publish(None, part, words),
                                   lambda: control.stopped)
        if model is None:
            return None
        if model is not self._model:
            self._model, self._lines, self._views = model, {}, {}
        lines = self._begin(config)
        shown = 0.0
        while not control.stopped:
            behind = [line for line in lines if line.t < config.iterations and not line.fault]
            if not behind:
                break
            line = min(behind, key=lambda line: line.t)
            ahead = max((other.t for other in behind), default=0)
            line.advance(self._goal(line.t, ahead, config.iterations), SLICE, lambda: control.stopped)
            if time.monotonic() - shown > EVERY:
                shown = time.monotonic()
                done = sum(line.t for line in lines if not line.fault)
                whole = config.iterations * sum(not line.fault for line in lines)
                control.publish(self._picture(config, lines), done / max(1, whole), _going(lines, config))
        return self._picture(config, lines)

    @staticmethod
    def _goal(t: int, ahead: int, end: int) -> int:
        """How far to bring the run that is behind: up with the others, or a fifth further."""
        return min(end, max(ahead, t + 20, int(1.2 * t)))

    def _begin(self, config: CoresetConfig) -> list[Line]:
        wanted = {self._identity(config, key): key for key in config.keys}
        kept = {identity: line for identity, line in self._lines.items() if identity in wanted}
        for identity, key in wanted.items():
            if identity not in kept:
                kept[identity] = Line(key, lambda key=key: self._start(config, key))
        self._lines = kept
        return [kept[identity] for identity in wanted]

    def _start(self, config: CoresetConfig, key: RunKey) -> coreset.CoresetRun:
        model = self._model
        kernel = None
        if isinstance(model, coreset.GaussianLocation) and config.kernel == "ar":
            kernel = coreset.GaussianKernel(coreset.PAPER_MEMORY)
        hot = coreset.HotStart(threshold=config.threshold, cap=config.cap) if key.hot else False
        return coreset.CoresetMCMC(
            model, config.size, METHODS[key.optimizer].make(config), config.chains, config.drawn, hot, kernel,
            config.start, config.seed).start()

    @staticmethod
    def _identity(config: CoresetConfig, key: RunKey) -> tuple:
        """All that a run depends on, but for the data."""
        rate = METHODS[key.optimizer].rate
        hot = (config.threshold, config.cap) if key.hot else ()
        return (key, getattr(config, rate) if rate else None, config.size, config.drawn, config.chains, hot, config.start,
                config.kernel, config.seed)

    def _picture(self, config: CoresetConfig, lines: list[Line]) -> CoresetPicture:
        model = self._model
        if config.view not in self._views:
            self._views[config.view] = DataView(model, config.view)
        view = self._views[config.view]
        traces = tuple(line.trace() for line in lines if line.run is not None or line.fault)
        focus = next((line for line in lines if line.key == config.shown and line.run is not None), None)
        floor = None
        if isinstance(model, coreset.GaussianLocation) and config.drawn < model.n:
            at = marks(config.iterations)
            floor = np.array([at, coreset.gaussian_floor(model.n, config.drawn, model.dim, at)])
        return CoresetPicture(
            config, model.title, model.n, model.dim, truth_words(model.truth), floor, traces, view.background,
            None if focus is None else view.points(focus.run.points, focus.run.weights),
            truth_notes(model.truth), not isinstance(model, coreset.SparseRegression))


def _going(lines: list[Line], config: CoresetConfig) -> str:
    waiting = sum(line.run is not None and line.run.hot_start_iteration is None and not line.fault for line in lines)
    slowest = min((line.t for line in lines if not line.fault), default=0)
    words = f"{slowest:,} of {config.iterations:,} iterations"
    return f"{words}, warming up" if waiting else words
