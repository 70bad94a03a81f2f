"""A sweep as a background job: what is kept comes back at once, the rest is run on request, nothing finished is lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.handover import Visit
from app.jobs.background_job import JobHandle, JobUpdate
from app.state.tune import TuneConfig, TuneState
from app.tune.kept_files import folder, study_path
from app.tune.result import StreamForecasts, TuneResult, forecast_cells
from app.tune.running_sweeps import RunningSweep, RunningSweeps
from app.tune.sweep_defaults import BUDGET, ROWS, settled, shipped_sweep, sweep_seconds
from app.tune.tuning_rows import TuningRows, load
from sampler import Sweep
from sampler.tuning import Grid, SweepOutcome, trial_order

WORKERS = 2
STARTING = "starting the workers"
LOOK_SECONDS = 0.1
"""Seconds between two looks at a sweep at work."""
READ_SECONDS = 0.5
"""Seconds between two looks into the file of a sweep that is at work elsewhere."""


class SweepJobs:
    """Makes the jobs of one page; keeps the data and the forecast between them.

    Parameters
    ----------
    visit
        Has the problem that a notebook or another page handed over, and the address of a Dask scheduler; a sweep is not
        kept going for a visit that has no browser any more.
    workers
        Processes.
    """

    def __init__(self, visit: Visit, workers: int = WORKERS) -> None:
        self.visit, self._workers = visit, workers
        self._running = visit.server.part(RunningSweeps)
        self._stream: TuningRows | None = None
        self._measured: StreamForecasts | None = None

    def job(self, config: TuneConfig, advised: bool = False) -> Callable[[JobHandle], TuneResult | None]:
        """Return the job: forecast, read what is kept, and sweep if `config.going`, or run the advised cell alone."""
        return lambda handle: self._run(handle, config, advised)

    def found(self, config: TuneConfig) -> JobUpdate | None:
        """Return how the sweep stands that a page with this link finds at work, or None: at once, nothing is computed."""
        running = self._running.at_work(config)
        if running is None:
            return None
        progress, result = running.progress, running.result
        if progress is None:
            return JobUpdate(0, result, len(result.finished) / result.total, _starting(running))
        return JobUpdate(0, result, progress.share, progress.words, progress.seconds_left)

    def _run(self, handle: JobHandle, config: TuneConfig, advised: bool = False) -> TuneResult | None:
        running = self._running.at_work(config)
        if running is not None:  # all but its cells is known
            self._stream = running.initial.stream
            return self._sweep_on(handle, self.sweep(running.initial), running.initial)
        if self._stream is None or self._stream.source != config.source or config.data == "given":
            handle.publish(words="reading the data")
            self._stream = load(config, self.visit.user_data)
        stream = self._stream
        if stream.unpreconditioned:
            config = config.replace(algorithm="saga-ld")  # the page says why
        rows = min(config.rows or ROWS[0], stream.length)
        forecasts = self._measure(handle, stream, rows)
        full = settled(config, stream, forecasts, rows)
        if config.rows is None and stream.example is None and sweep_seconds(full, stream) > BUDGET:
            rows = min(ROWS[1], stream.length)
            forecasts = self._measure(handle, stream, rows)
            full = settled(config, stream, forecasts, rows)
        if handle.stopped:
            return None
        unchosen = config.replace(**dict.fromkeys((*TuneState.ADVISED, *TuneState.WHITENED)))
        result = TuneResult(full, settled(unchosen, stream, forecasts, min(ROWS[0], stream.length)), stream,
                            forecast_cells(full, stream, forecasts))
        sweep = self.sweep(result)
        result = replace(result, last_rung=len(sweep.rungs) - 1)
        saved = sweep.saved()
        if not saved.cells and not config.going:
            saved = shipped_sweep(sweep.identity()) or saved
            result = replace(result, shipped=bool(saved.cells))
        result = _with_saved(result, saved)
        if advised and result.advised_key not in result.finished:
            alone = replace(result, only=result.advised_key)
            return self._sweep_on(handle, self.sweep(alone), alone)
        if not config.going or result.whole:
            return replace(result, ended="finished" if result.whole else "")
        return self._sweep_on(handle, sweep, result)

    def _measure(self, handle: JobHandle, stream: TuningRows, rows: int) -> StreamForecasts:
        """Forecasts and advice on the first rows, computed once."""
        if self._measured is None or self._measured.stream is not stream or self._measured.rows != rows:
            handle.publish(words="measuring the curvature")
            self._measured = StreamForecasts(stream, rows, self._measured)
        return self._measured

    def _sweep_on(self, handle: JobHandle, sweep: Sweep, result: TuneResult) -> TuneResult | None:
        """Run what is left, with all other pages that want the same; look on while something else is at work on it."""
        path = Path(sweep.storage)
        while not handle.stopped:
            running = self._running.join(path, sweep, result, self, lambda: self.visit.connection.here,
                                         self.visit.scheduler is None)
            if running is not None:
                return self._follow(handle, running, replace(result, elsewhere=False))
            result = replace(_with_saved(result, sweep.saved()), elsewhere=True)
            handle.publish(result, len(result.finished) / result.total, "looking on", foreseen=True)
            time.sleep(READ_SECONDS)
        return result

    def _follow(self, handle: JobHandle, running: RunningSweep, result: TuneResult) -> TuneResult:
        """Show the cells of a sweep as they come, until it ends or the page does without it."""
        seen, shown, starting = 0, None, ""
        while not running.over and not handle.stopped:
            if running.progress is None and _starting(running) != starting:
                starting = _starting(running)
                handle.publish(result, len(result.finished) / result.total, starting, foreseen=True)
            running.wait(LOOK_SECONDS)
            result, seen = running.result_since(result, seen)
            progress = running.progress
            if progress is not None and progress is not shown:
                shown = progress
                handle.publish(result, progress.share, progress.words, progress.seconds_left, foreseen=True)
        goes_on = running.leave(self, handle.cancelled)
        if running.error is not None:
            raise running.error
        result, _ = running.result_since(result, seen)
        result = replace(result, cells={key: result.cells[key] for key in result.finished})  # half-run ones are run again
        outcome, alone = running.outcome if running.over else None, result.only is not None
        if outcome is None:
            return replace(result, ended="" if alone else "cancelled", elsewhere=goes_on, only=None)
        result = _with_saved(result, outcome)
        return replace(result, ended="" if alone and not result.whole else outcome.ended, only=None)

    def sweep(self, result: TuneResult) -> Sweep:
        """Return the library's sweep of a result's configuration, or of its ``only`` cell, kept in a file of the cache."""
        config, stream, grids = result.config, result.stream, result.config.grids
        if result.only is not None:
            eta0, i_max, batch, algorithm = result.only
            grids = (Grid((eta0,), (i_max,), (batch,), (config.radius_of(algorithm),), algorithm),)
        workers = self._workers if result.only is None else min(1, self._workers)
        features, labels = stream.first(config.rows)
        base = stream.settings.replace(acceptance_radius=config.acceptance_radius)
        order = trial_order(result.cell_forecasts)

        def sweep(storage: str | None) -> Sweep:
            return Sweep(stream.problem, features, labels, grids, base, config.chains, config.seed,
                         None if features is not None else config.rows, storage, workers=workers,
                         scheduler=self.visit.scheduler, prune=config.prune and result.only is None, order=order,
                         reference=config.reference, escape_radius=escape_radius(config, stream), gives_way=True)

        if hasattr(stream.problem, "named") or stream.kind != "oracle":
            return sweep(str(study_path(sweep(None).identity())))
        # A gradient without a name may change between two visits: nothing of it is kept.
        own = folder("sweeps") / f"own-{id(stream):x}-{config.rows}-{config.chains}.db"
        own.unlink(missing_ok=True)
        return sweep(str(own))


def _starting(running: RunningSweep) -> str:
    """What a sweep without cells is at."""
    ahead = running.ahead
    if not ahead:
        return STARTING
    others = f"{ahead} other sweep{'s' if ahead > 1 else ''}"
    return f"waiting: {others} on this server must end first. Yours then begins by itself"


def escape_radius(config: TuneConfig, stream: TuningRows) -> float:
    """R that exits are counted by: the example's, else in the usual proportion to C'."""
    own = stream.example.escape_radius if stream.example is not None else None
    return own or float(f"{config.acceptance_radius * 16 / 22:.3g}")


def _with_saved(result: TuneResult, saved: SweepOutcome) -> TuneResult:
    return replace(result.with_cells(saved.cells, True), reference=saved.reference or result.reference)
