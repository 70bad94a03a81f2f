"""The runs of the paper's figures: made one after another, remembered, shared between figures."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from app.background_job import JobHandle
from app.coreset.chosen_optimizers import MAKERS
from app.coreset.model_cache import CACHE, ModelCache
from app.coreset.models import SOURCES
from app.coreset.own_data import OwnData
from app.coreset.paper_figure_plan import WARM_UP, Cell, CellResult, FigureResult, Scale, cells_of
from app.coreset.paper_figure_series import draw
from app.coreset.sliced_run import marks, statistics
from app.plots.optimizer_looks import look_of
from app.state.coreset import MODELS, CoresetConfig
from sampler import coreset

EVERY = 0.4
"""Seconds between two drawings."""


class FigureJobs:
    """Keeps what is done, so that a cancelled figure goes on where it stopped and figures share their runs."""

    def __init__(self, models: ModelCache = CACHE) -> None:
        self._models = models
        self._results: dict[tuple[str, str, int], dict[Cell, CellResult]] = {}

    def result(self, figure: str, scale: Scale, own: OwnData | None = None) -> FigureResult:
        """Return a figure as far as its runs are done; with the user's file in place of its model's generated data."""
        return draw(figure, scale, self._done(scale, own), own)

    def job(self, figure: str, scale: Scale, own: OwnData | None = None) -> Callable[[JobHandle], FigureResult]:
        """Return the job that makes all runs of a figure."""
        def run(handle: JobHandle) -> FigureResult:
            with np.errstate(over="ignore", invalid="ignore"):  # runs that diverge are told of in words
                return self._run(figure, scale, own, handle)

        return run

    def _kept(self, scale: Scale, model: str, own: OwnData | None) -> dict[Cell, CellResult]:
        """Where the runs of one model are kept."""
        number = own.number if own is not None and own.model_key == model else 0
        return self._results.setdefault((scale.key, model, number), {})

    def _done(self, scale: Scale, own: OwnData | None) -> dict[Cell, CellResult]:
        return {cell: found for model in MODELS for cell, found in self._kept(scale, model, own).items()}

    def _run(self, figure: str, scale: Scale, own: OwnData | None, handle: JobHandle) -> FigureResult:
        results, cells = self._done(scale, own), cells_of(figure, scale)
        tally = _Tally(figure, scale, results, handle, own)
        for cell in cells:
            if handle.stopped:
                break
            if cell in results:
                continue
            model = self._model(cell.model, scale, own, handle, tally.part)
            if model is None:
                break
            tally.begin(cell)
            found = run_cell(model, cell, scale, lambda: handle.stopped, tally.going)
            if found is None:
                break
            results[cell] = self._kept(scale, cell.model, own)[cell] = found
            tally.end(cell)
        return draw(figure, scale, dict(results), own)

    def _model(self, key: str, scale: Scale, own: OwnData | None, handle: JobHandle,
               part: float) -> coreset.GaussianLocation | None:
        shape = MODELS[key]
        config = CoresetConfig(model=key, n=min(shape.n, scale.n), dim=shape.dim)
        if own is not None and own.model_key == key:
            config = config.replace(data="file")
        return self._models.model(config, own, lambda words, _: handle.publish(None, part or None, words),
                                  lambda: handle.stopped)


class _Tally:
    """How far a figure is, by what its runs cost; shows it as they go."""

    def __init__(self, figure: str, scale: Scale, results: dict[Cell, CellResult], handle: JobHandle,
                 own: OwnData | None) -> None:
        self._figure, self._scale, self._results, self._handle, self._own = figure, scale, results, handle, own
        cells = cells_of(figure, scale)
        self._costs = {cell: cell.cost(scale) for cell in cells}
        self._truths = {key: SOURCES[key].truth * (0.8 + min(scale.n, MODELS[key].n) / 10_000)
                        for key in {cell.model for cell in cells}}
        self._whole = sum(self._costs.values()) + sum(self._truths.values())
        self._spent = sum(cost for cell, cost in self._costs.items() if cell in results)
        self._cell, self._shown = cells[0], 0.0

    @property
    def part(self) -> float:
        """Share of the work that is done."""
        return min(0.999, self._spent / self._whole)

    def begin(self, cell: Cell) -> None:
        """The model of a run is there; the run begins."""
        self._cell = cell
        self._spent += self._truths.pop(cell.model, 0.0)

    def end(self, cell: Cell) -> None:
        """A run is done."""
        self._spent += self._costs[cell]

    def going(self, part: float) -> None:
        """Show how far the run is, now and then."""
        if time.monotonic() - self._shown < EVERY:
            return
        self._shown = time.monotonic()
        cell = self._cell
        words = f"{MODELS[cell.model].label}: {look_of(_optimizer(cell)).name}, M = {cell.size:,}"
        done = min(0.999, (self._spent + part * self._costs[cell]) / self._whole)
        self._handle.publish(draw(self._figure, self._scale, dict(self._results), self._own), done, words)


def _optimizer(cell: Cell) -> str:
    return "hot_dog" if cell.optimizer == WARM_UP else cell.optimizer


def run_cell(model: coreset.GaussianLocation, cell: Cell, scale: Scale, stopped: Callable[[], bool],
             going: Callable[[float], None]) -> CellResult | None:
    """Make one run; None when `stopped()`. ``going(fraction)`` is called on the way."""
    config = CoresetConfig(reach=cell.rate, adam_rate=cell.rate, guess=cell.rate)
    kernel = coreset.GaussianKernel(coreset.PAPER_MEMORY) if isinstance(model, coreset.GaussianLocation) else None
    run, fault, warm_up_only = None, "", cell.optimizer == WARM_UP
    try:
        run = coreset.CoresetMCMC(model, min(cell.size, model.n), MAKERS[_optimizer(cell)](config), hot_start=cell.hot,
                                  kernel=kernel, seed=cell.trial).start()
        few = 200 if warm_up_only else max(200, scale.iterations // 100)
        while run.t < scale.iterations and not (warm_up_only and run.hot_start_iteration is not None):
            run.advance(min(few, scale.iterations - run.t), stopped)
            if stopped():
                return None
            going(run.t / scale.iterations)
    except ValueError as wrong:
        fault = str(wrong)
    if run is None or run.t == 0:
        nothing = np.empty(0)
        return CellResult(nothing, nothing, nothing, np.empty((0, 2)), None, None, fault)
    at = marks(run.t)
    starts = np.concatenate(([0], at[:-1]))
    norms = np.array([np.median(run.gradient_norms[a:b]) for a, b in zip(starts, at, strict=True)])
    warm = statistics(run, {}) if warm_up_only else np.empty((0, 2))
    return CellResult(at, run.z_score_at(at), norms, warm, run.hot_start_iteration, run.hot_start_passed, fault)
