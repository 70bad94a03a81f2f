"""`SweepJobs`: background jobs for sweeps and runs of the advised setting; stored results are displayed immediately."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.jobs.background_job import JobHandle, JobUpdate
from app.jobs.worker_processes import in_process
from app.state.tune import TuneConfig, TuneState
from app.tune.advised_job import read_runs, run_advised, words_ahead, write_runs
from app.tune.kept_files import folder, study_path, sweep_path
from app.tune.result import StreamForecasts, TuneResult, forecast_cells
from app.tune.running_sweeps import RunningSweep, RunningSweeps
from app.tune.sweep_defaults import CHAINS, settled, shipped_sweep
from app.tune.tuning_rows import TuningRows, load
from app.visit import Visit
from sampler import Settings, Sweep
from sampler.tuning import ADVISED_CHAINS, ADVISED_ROWS, AdvisedRuns, SweepOutcome, algorithm_of, cost, trial_order

WORKERS = 2
RUNNING = "Running the advised setting"
LOOK_SECONDS = 0.1
"""Seconds between two updates from a running sweep."""
READ_SECONDS = 0.5
"""Seconds between two reads of the file of a sweep that runs elsewhere."""


class SweepJobs:
    """Factory of the jobs of one page; keeps data and forecasts between jobs.

    Parameters
    ----------
    visit
        Provides the problem passed from a notebook or another page, the address of a Dask scheduler, and whether a browser
        is connected.
    workers
        Number of worker processes of a sweep.
    """

    def __init__(self, visit: Visit, workers: int = WORKERS) -> None:
        self.visit, self._workers = visit, workers
        self._running = visit.server.part(RunningSweeps)
        self._stream: TuningRows | None = None
        self._measured: StreamForecasts | None = None
        self._own_runs: tuple[Any, dict, AdvisedRuns] | None = None  #: problem without a name, identity of the runs, runs

    def job(self, config: TuneConfig, advised: bool = False) -> Callable[[JobHandle], TuneResult | None]:
        """Return a job that forecasts, reads stored results, and sweeps if `config.going` or runs the advised setting."""
        return lambda handle: self._run(handle, config, advised)

    def joined(self, config: TuneConfig) -> JobUpdate | None:
        """Return the update of a running sweep with the link of this page, or None; does not compute anything."""
        running = self._running.find(config)
        if running is None:
            return None
        result, _ = running.result_since(running.initial, 0)
        return JobUpdate(0, result, *running.status(result))

    def _run(self, handle: JobHandle, config: TuneConfig, advised: bool = False) -> TuneResult | None:
        running = self._running.find(config)
        if running is not None:  # reuse its data and forecasts
            self._stream = running.initial.stream
            return self._sweep_on(handle, self.sweep(running.initial), running.initial)
        if self._stream is None or self._stream.source != config.source or config.data == "given":
            handle.publish(words="reading the data")
            self._stream = load(config, self.visit.user_data)
        stream = self._stream
        if stream.unpreconditioned:
            config = config.replace(algorithm="saga-ld")  # the sidebar displays the reason
        rows = min(config.rows or ADVISED_ROWS, stream.length)
        forecasts = self._measure(handle, stream, rows)
        full = settled(config, stream, forecasts, rows)
        if handle.stopped:
            return None
        unchosen = config.replace(**dict.fromkeys((*TuneState.ADVISED, *TuneState.WHITENED)))
        result = TuneResult(full, settled(unchosen, stream, forecasts, min(ADVISED_ROWS, stream.length)), stream,
                            {name: forecast_cells(full, name, forecasts) for name in full.algorithms})
        sweep = self.sweep(result)
        result = replace(result, last_rung=len(sweep.rungs) - 1)
        saved = sweep.saved()
        if not saved.cells and not config.going:
            saved = shipped_sweep(sweep.identity()) or saved
            result = replace(result, shipped=bool(saved.cells))
        result = _with_saved(result, saved)
        result = self._with_advised(handle, result, sweep, forecasts, advised)
        if advised and handle.stopped:
            return result
        if not config.going or result.whole:
            return replace(result, ended="finished" if result.whole else "")
        return self._sweep_on(handle, sweep, result)

    def _measure(self, handle: JobHandle, stream: TuningRows, rows: int) -> StreamForecasts:
        """Return forecasts and advice on the first rows, computed once per stream and number of rows."""
        if self._measured is None or self._measured.stream is not stream or self._measured.rows != rows:
            handle.publish(words="measuring the curvature")
            self._measured = StreamForecasts(stream, rows, self._measured)
        return self._measured

    def _with_advised(self, handle: JobHandle, result: TuneResult, sweep: Sweep, forecasts: StreamForecasts,
                      run: bool) -> TuneResult:
        """Return the result with the stored runs of the advised setting; with ``run``, run the missing ones first."""
        settings, chains = self._advised(result.config, result.stream, forecasts)
        algorithm = algorithm_of(settings)
        forecast, _ = forecasts.of(algorithm)
        identity = sweep.identity() | {"chains": chains, "advised": settings.to_dict(), "algorithm": algorithm}
        path = None if self._unnamed(result.stream) else sweep_path(identity, ".runs.json")
        problem, owner, own = self._own_runs or (None, None, None)
        stored = read_runs(path) if path else own if problem is result.stream.problem and owner == identity else None
        result = result if stored is None else result.with_runs(stored, forecast)
        if not run or stored is not None and stored.over:
            return result

        def store(runs: AdvisedRuns) -> TuneResult:
            nonlocal result
            if path is None:
                self._own_runs = result.stream.problem, identity, runs
            else:
                with suppress(OSError):  # if the disk is full, the runs are still displayed
                    write_runs(path, runs)
            result = result.with_runs(runs, forecast)
            return result

        handle.publish(result, words=RUNNING if stored is None else words_ahead(stored), foreseen=True)
        handle.turn = store
        config, stream = result.config, result.stream
        terms = None if stream.features is not None else config.rows
        arguments = (stream.problem, *stream.first(config.rows), settings, chains, config.seed, terms,
                     forecast.largest_curvature, config.reference, stored)
        whole = in_process(run_advised, *arguments)(handle) if self._workers else run_advised(*arguments, handle)
        return result if whole is None else store(whole)  # a process may not have published the last of quick runs

    def _advised(self, config: TuneConfig, stream: TuningRows, forecasts: StreamForecasts) -> tuple[Settings, int]:
        """Return the advised setting and its number of chains; by default those of ``python -m sampler tune``."""
        s = min((forecasts.of(name)[1].settings for name in config.algorithms), key=cost)
        batch = min(config.batches, key=lambda b: max(b / s.batch_size, s.batch_size / b))
        default = settled(config.replace(chains=None), stream, forecasts, config.rows).chains
        chains = CHAINS[0] if config.chains == default else config.chains  # a long sweep's default is smaller
        return s.replace(batch_size=batch, acceptance_radius=config.radius_of(algorithm_of(s))), min(chains, ADVISED_CHAINS)

    def _sweep_on(self, handle: JobHandle, sweep: Sweep, result: TuneResult) -> TuneResult | None:
        """Run the remaining cells, sharing the sweep with other pages; while it runs elsewhere, display its stored cells."""
        path = Path(sweep.storage)
        while not handle.stopped:
            running = self._running.join(path, sweep, result, self, lambda: self.visit.connection.here,
                                         self.visit.scheduler is None)
            if running is not None:
                return self._follow(handle, running, replace(result, elsewhere=False))
            result = replace(_with_saved(result, sweep.saved()), elsewhere=True)
            handle.publish(result, len(result.finished) / result.config.cells, "running elsewhere", foreseen=True)
            time.sleep(READ_SECONDS)
        return result

    def _follow(self, handle: JobHandle, running: RunningSweep, result: TuneResult) -> TuneResult:
        """Publish the cells of a running sweep until it ends or the job is stopped."""
        seen, published = 0, None
        while not running.over.is_set() and not handle.stopped:
            status = running.status(result)
            if (status, seen) != published:
                published = status, seen
                handle.publish(result, *status, foreseen=True)
            running.over.wait(LOOK_SECONDS)
            result, seen = running.result_since(result, seen)
        continues = running.leave(self, handle.cancelled)
        if running.error is not None:
            raise running.error
        result, _ = running.result_since(result, seen)
        result = replace(result, cells={key: result.cells[key] for key in result.finished})  # unfinished ones restart
        outcome = running.outcome if running.over.is_set() else None
        if outcome is None:
            return replace(result, ended="cancelled", elsewhere=continues)
        return replace(_with_saved(result, outcome), ended=outcome.ended)

    def sweep(self, result: TuneResult) -> Sweep:
        """Return the `Sweep` of a result's configuration, stored in a file of the cache."""
        config, stream = result.config, result.stream
        features, labels = stream.first(config.rows)
        base = stream.settings.replace(acceptance_radius=config.acceptance_radius)
        order = trial_order(result.cell_forecasts)

        def sweep(storage: str | None) -> Sweep:
            return Sweep(stream.problem, features, labels, config.grids, base, config.chains, config.seed,
                         None if features is not None else config.rows, storage, workers=self._workers,
                         scheduler=self.visit.scheduler, prune=config.prune, order=order,
                         reference=config.reference, escape_radius=escape_radius(config, stream), gives_way=True)

        if not self._unnamed(stream):
            return sweep(str(study_path(sweep(None).identity())))
        # A gradient without a name may change between two visits: its results are not reused.
        own = folder("sweeps") / f"own-{id(stream):x}-{config.rows}-{config.chains}.db"
        own.unlink(missing_ok=True)
        return sweep(str(own))

    @staticmethod
    def _unnamed(stream: TuningRows) -> bool:
        return stream.kind == "oracle" and not hasattr(stream.problem, "named")


def escape_radius(config: TuneConfig, stream: TuningRows) -> float:
    """Return R for counting exits: the example's, else 16/22 of C'."""
    own = stream.example.escape_radius if stream.example is not None else None
    return own or float(f"{config.acceptance_radius * 16 / 22:.3g}")


def _with_saved(result: TuneResult, saved: SweepOutcome) -> TuneResult:
    return replace(result.with_cells(saved.cells, True), reference=saved.reference or result.reference)
