"""`FigureJobs`: background jobs of the paper's figures, which share their runs; `draw`: the panels of a figure."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from app.coreset.models import MAKERS, OwnData, first_copy, model_of
from app.coreset.paper_figure_plan import (
    FIGURES,
    FIRST_GUESS,
    RIVALS,
    WARM_UP,
    Cell,
    FigureResult,
    PanelResult,
    Scale,
    cells_of,
)
from app.coreset.result import RunTrace
from app.coreset.run_set import SlicedRun
from app.jobs.background_job import JobHandle
from app.jobs.worker_processes import in_process
from app.plots import Line
from app.plots.looks import optimizer_look
from app.state.coreset import MODELS, OPTIMIZERS, CoresetConfig, RunKey
from sampler import coreset

EVERY = 0.4
"""Seconds between two publications."""


class FigureJobs:
    """Stores finished runs, so that a cancelled figure can be continued and figures share runs."""

    def __init__(self) -> None:
        self._results: dict[tuple[str, str, str | None], dict[Cell, RunTrace]] = {}

    def result(self, figure: str, scale: Scale, own: OwnData | None = None) -> FigureResult:
        """Return a figure of the finished runs; the user's file, if any, replaces its model's generated data."""
        return draw(figure, scale, self._done(scale, own), own)

    def job(self, figure: str, scale: Scale, own: OwnData | None = None) -> Callable[[JobHandle], FigureResult]:
        """Return the job of a figure's missing runs, for `BackgroundJob.start`."""
        work = in_process(run_figure, figure, scale, own, self._done(scale, own))

        def job(handle: JobHandle) -> FigureResult:
            result = work(handle)
            for cell, made in () if result is None else result.runs.items():
                self._stored(scale, cell.model, own)[cell] = made
            return result

        return job

    def _stored(self, scale: Scale, model: str, own: OwnData | None) -> dict[Cell, RunTrace]:
        """Return the finished runs of one model; mutable."""
        key = own.key if own is not None and own.model_key == model else None
        return self._results.setdefault((scale.key, model, key), {})

    def _done(self, scale: Scale, own: OwnData | None) -> dict[Cell, RunTrace]:
        return {cell: made for model in MODELS for cell, made in self._stored(scale, model, own).items()}


def run_figure(figure: str, scale: Scale, own: OwnData | None, done: dict[Cell, RunTrace],
               handle: JobHandle) -> FigureResult:
    """Run the cells of a figure that are not in ``done``; after a stop the result has those finished until then."""
    own = first_copy(own, handle.kept)
    results, made, shown = dict(done), {}, 0.0
    costs = {cell: cell.cost(scale) for cell in cells_of(figure, scale)}

    def share(cell: Cell | None, part: float) -> float:
        spent = sum(cost for one, cost in costs.items() if one in results) + part * costs.get(cell, 0.0)
        return min(0.999, spent / sum(costs.values()))

    def publish(cell: Cell, part: float) -> None:
        """Publish the progress of a run, at most once in EVERY seconds."""
        nonlocal shown
        if time.monotonic() - shown > EVERY:
            shown = time.monotonic()
            words = f"{MODELS[cell.model].label}: {optimizer_look(_optimizer(cell)).name}, M = {cell.size:,}"
            handle.publish(draw(figure, scale, dict(results), own), share(cell, part), words)

    with np.errstate(over="ignore", invalid="ignore"):  # runs that diverge are reported in notes
        for cell in costs:
            if cell in results:
                continue
            model = None if handle.stopped else _model(cell.model, scale, own, handle, share(None, 0.0))
            run = model and run_cell(model, cell, scale, lambda: handle.stopped, partial(publish, cell))
            if run is None:
                break
            results[cell] = made[cell] = run
    return replace(draw(figure, scale, results, own), runs=made)


def _model(key: str, scale: Scale, own: OwnData | None, handle: JobHandle,
           part: float) -> coreset.GaussianLocation | None:
    shape = MODELS[key]
    config = CoresetConfig(model=key, n=min(shape.n, scale.n), dim=shape.dim)
    if own is not None and own.model_key == key:
        config = config.replace(data="file")
    return model_of(config, own and own.model, lambda words, _: handle.publish(None, part or None, words),
                    lambda: handle.stopped)


def _optimizer(cell: Cell) -> str:
    return "hot_dog" if cell.optimizer == WARM_UP else cell.optimizer


def run_cell(model: coreset.GaussianLocation, cell: Cell, scale: Scale, stopped: Callable[[], bool],
             report: Callable[[float], None]) -> RunTrace | None:
    """Return the trace of one run; None if `stopped()`. ``report(fraction)`` is called during the run."""
    kernel = coreset.GaussianKernel(coreset.PAPER_MEMORY) if isinstance(model, coreset.GaussianLocation) else None
    specification = coreset.CoresetMCMC(model, min(cell.size, model.n), MAKERS[_optimizer(cell)](cell.rate),
                                        hot_start=cell.hot, kernel=kernel, seed=cell.trial)
    sliced, warm_up_only = SlicedRun(RunKey(_optimizer(cell), cell.hot), specification.start), cell.optimizer == WARM_UP
    few = 200 if warm_up_only else max(200, scale.iterations // 100)
    while not sliced.fault and sliced.t < scale.iterations:
        sliced.advance(min(sliced.t + few, scale.iterations), np.inf, stopped)
        if stopped():
            return None
        report(sliced.t / scale.iterations)
        if warm_up_only and sliced.run is not None and sliced.run.hot_start_iteration is not None:
            break
    return sliced.trace()


Results = dict[Cell, RunTrace]
LINES = ("ours", "kin", "bound", "exit", "reference", "truth")
"""Roles of lines that differ only in r or M."""
TICKS = {"dog": "DoG", "dowg": "DoWG", "prodigy": "Prod.", "adam_sqrt": "ADAM", "d_adaptation": "D-Ad."}


def draw(figure: str, scale: Scale, results: Results, own: OwnData | None = None) -> FigureResult:
    """Return a figure of the finished runs ``results``; those of one model may be on the user's file."""
    kind, cells = FIGURES[figure].kind, cells_of(figure, scale)
    make = {"1": _adam, "2": _adam, "3": _as_they_are, "4": _hot_and_cold, "5": _warm_up, "6": _reaches, "7": _rivals}[kind]
    ticks = {10.0**k: TICKS[rival] for k, rival in enumerate(RIVALS)} if kind == "7" else {}
    panels = []
    for key, shape in MODELS.items():
        mine = [cell for cell in cells if cell.model == key]
        title = shape.label if own is None or own.model_key != key else f"{shape.label}: {own.name}"
        warm_up, note = results.get(mine[0]), ""
        if kind == "5" and warm_up is not None and warm_up.hot_at is not None:
            note = "never passed" if warm_up.passed is False else f"passed at {warm_up.hot_at:,}"
        panels.append(PanelResult(key, title, tuple(make(scale, mine, results)), FIGURES[figure].level, ticks, note))
    return FigureResult(figure, scale, tuple(panels), sum(cell in results for cell in cells), len(cells),
                        _faults(cells, results), None if own is None else (own.model_key, own.name, own.key))


def _faults(cells: list[Cell], results: Results) -> tuple[str, ...]:
    """Return one sentence for each optimizer with diverged runs."""
    broken: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell in results and results[cell].fault:
            broken.setdefault(cell.optimizer, []).append(cell)
    return tuple(
        f"{optimizer_look(optimizer).name} diverged in {len(failed)} of its {len(_some(cells, optimizer=optimizer))} runs"
        f" ({', '.join(sorted({MODELS[cell.model].label for cell in failed}))}); a median with such a run is omitted if"
        " it is not finite." for optimizer, failed in broken.items() if optimizer in OPTIMIZERS)


def median_trace(cells: list[Cell], results: Results) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the median z-score over the finished trials, at the iterations that all of them reached; None if none."""
    done = [results[cell] for cell in cells if cell in results and not results[cell].fault]
    if not done:
        return None
    shortest = min(done, key=lambda result: result.iterations.size)
    return shortest.iterations, np.median([result.z[:shortest.z.size] for result in done], axis=0)


def _last(cells: list[Cell], results: Results) -> float:
    """Return the median of the last z-scores; failed trials count as inf; nan if none has finished."""
    done = [results[cell] for cell in cells if cell in results]
    if not done:
        return float("nan")
    return float(np.median([np.inf if result.fault or not result.z.size else result.z[-1] for result in done]))


def _some(cells: list[Cell], **wanted: object) -> list[Cell]:
    return [cell for cell in cells if all(getattr(cell, name) == value for name, value in wanted.items())]


def _traces(lines: list[tuple[str, str, str, list[Cell]]], results: Results) -> list[Line]:
    """Return a line for each (name, role, mark, runs) with at least one finished run."""
    medians = [(name, median_trace(cells, results), role, mark) for name, role, mark, cells in lines]
    return [Line(name, *trace, role, mark) for name, trace, role, mark in medians if trace is not None]


def _hot_and_cold(scale: Scale, cells: list[Cell], results: Results) -> list[Line]:
    return _traces([(f"r = {r:g}, {words}", role, mark, _some(cells, rate=r, hot=hot))
                    for r, role in zip(scale.reaches, LINES, strict=False)
                    for words, mark, hot in (("hot start", "line", True), ("no hot start", "dash", False))], results)


def _reaches(scale: Scale, cells: list[Cell], results: Results) -> list[Line]:
    ours = [(f"Hot DoG, r = {r:g}", role, "line", _some(cells, optimizer="hot_dog", rate=r))
            for r, role in zip(scale.reaches, LINES, strict=False)]
    return _traces(ours, results) + _best_adam(scale, cells, results)


def _as_they_are(scale: Scale, cells: list[Cell], results: Results) -> list[Line]:
    rules = [(f"{optimizer_look(rival).name}, r = {r:g}", role, mark, _some(cells, optimizer=rival, rate=r))
             for rival, mark in (("dog", "line"), ("dowg", "dash")) for r, role in zip(scale.reaches, LINES, strict=False)]
    rules += [(optimizer_look(rival).name, "middle", mark, _some(cells, optimizer=rival, rate=FIRST_GUESS))
              for rival, mark in (("d_adaptation", "line"), ("prodigy", "dash"))]
    return _traces(rules, results) + _best_adam(scale, cells, results)


def _best_adam(scale: Scale, cells: list[Cell], results: Results) -> list[Line]:
    lasts = {rate: _last(_some(cells, optimizer="adam_sqrt", rate=rate), results) for rate in scale.rates}
    finite = {rate: z for rate, z in lasts.items() if np.isfinite(z)}
    if not finite:
        return []
    best = min(finite, key=finite.get)
    mine = _some(cells, optimizer="adam_sqrt", rate=best)
    return [Line(f"ADAM, best rate {best:g}/√t", *median_trace(mine, results), "rival", "dash", width=2.2)]


def _warm_up(scale: Scale, cells: list[Cell], results: Results) -> list[Line]:
    result = results.get(cells[0])
    if result is None:
        return []
    at, statistic = result.statistic.T
    last = np.median(result.norms[-6:]) if result.norms.size else 1.0  # over several iterations: robust to outliers
    return [Line("gradient norm ÷ its last median", result.iterations, result.norms / last, "ours", width=1.3),
            Line("hot-start statistic", at, np.maximum(statistic, 1e-3), "kin", width=2.2)]


def _adam(scale: Scale, cells: list[Cell], results: Results) -> list[Line]:
    """Return the last z-scores of ADAM against its rate, divided by those of Hot DoG if the figure has them."""
    series, rates = [], np.array(scale.rates)
    for size, role in zip(scale.sizes, LINES, strict=False):
        ours = _some(cells, size=size, optimizer="hot_dog")
        base = _last(ours, results) if ours else 1.0
        lasts = np.array([_last(_some(cells, size=size, optimizer="adam_sqrt", rate=rate), results) for rate in rates])
        finite = np.isfinite(lasts) & np.isfinite(base)
        if finite.any():
            series.append(Line(f"M = {size:,}", rates[finite], lasts[finite] / base, role, width=2.0))
    return series


def _rivals(scale: Scale, cells: list[Cell], results: Results) -> list[Line]:
    series = []
    grid = [(rival, rate, 10.0 ** (k + 0.1 * (i / max(1, len(rates) - 1) - 0.5)))  # rates side by side, ascending
            for k, (rival, name) in enumerate(RIVALS.items()) for rates in [getattr(scale, name)]
            for i, rate in enumerate(rates)]
    at = np.array([x for _, _, x in grid])
    for s, (size, role) in enumerate(zip(scale.sizes, LINES, strict=False)):
        base = _last(_some(cells, size=size, optimizer="hot_dog"), results)
        shift = 10.0 ** (0.25 * (s - 0.5 * (len(scale.sizes) - 1)))  # sizes side by side
        for hot in (True, False):
            lasts = np.array([_last(_some(cells, size=size, optimizer=rival, rate=rate, hot=hot), results)
                              for rival, rate, _ in grid])
            finite = np.isfinite(lasts) & np.isfinite(base)
            name = f"M = {size:,}, {'hot start' if hot else 'no hot start'}"
            if finite.any():
                mark = "spots" if hot else "open"
                series.append(Line(name, at[finite] * shift, lasts[finite] / base, role, mark, size=8.0))
    return series
