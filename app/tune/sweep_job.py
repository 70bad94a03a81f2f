"""A sweep, or the advised setting's runs, as a background job: what is kept comes back at once, nothing finished is lost."""

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
        self._own_runs: tuple[Any, dict, AdvisedRuns] | None = None  #: of a problem without a name: it, and what they are of

    def job(self, config: TuneConfig, advised: bool = False) -> Callable[[JobHandle], TuneResult | None]:
        """Return the job: forecast, read what is kept, and sweep if `config.going`, or run the advised setting."""
        return lambda handle: self._run(handle, config, advised)

    def joined(self, config: TuneConfig) -> JobUpdate | None:
        """Return how the sweep stands that a page with this link finds at work, or None: at once, nothing is computed."""
        running = self._running.at_work(config)
        if running is None:
            return None
        result, _ = running.result_since(running.initial, 0)
        return JobUpdate(0, result, *running.standing(result))

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
        """Forecasts and advice on the first rows, computed once."""
        if self._measured is None or self._measured.stream is not stream or self._measured.rows != rows:
            handle.publish(words="measuring the curvature")
            self._measured = StreamForecasts(stream, rows, self._measured)
        return self._measured

    def _with_advised(self, handle: JobHandle, result: TuneResult, sweep: Sweep, forecasts: StreamForecasts,
                      run: bool) -> TuneResult:
        """Return the result with the advised setting's runs that are kept; with ``run``, all of them are run by then."""
        settings, chains = self._advised(result.config, result.stream, forecasts)
        algorithm = algorithm_of(settings)
        forecast, _ = forecasts.of(algorithm)
        identity = sweep.identity() | {"chains": chains, "advised": settings.to_dict(), "algorithm": algorithm}
        path = None if self._unnamed(result.stream) else sweep_path(identity, ".runs.json")
        problem, whose, own = self._own_runs or (None, None, None)
        kept = read_runs(path) if path else own if problem is result.stream.problem and whose == identity else None
        result = result if kept is None else result.with_runs(kept, forecast)
        if not run or kept is not None and kept.over:
            return result

        def shown(runs: AdvisedRuns) -> TuneResult:
            nonlocal result
            if path is None:
                self._own_runs = result.stream.problem, identity, runs
            else:
                with suppress(OSError):  # a full disk: it is shown all the same
                    write_runs(path, runs)
            result = result.with_runs(runs, forecast)
            return result

        handle.publish(result, words=RUNNING if kept is None else words_ahead(kept), foreseen=True)
        handle.turn = shown
        config, stream = result.config, result.stream
        terms = None if stream.features is not None else config.rows
        arguments = (stream.problem, *stream.first(config.rows), settings, chains, config.seed, terms,
                     forecast.largest_curvature, config.reference, kept)
        whole = in_process(run_advised, *arguments)(handle) if self._workers else run_advised(*arguments, handle)
        return result if whole is None else shown(whole)  # a process need not have published the last of quick runs

    def _advised(self, config: TuneConfig, stream: TuningRows, forecasts: StreamForecasts) -> tuple[Settings, int]:
        """The advised setting that is run, and on how many chains: what the command takes where nobody chose otherwise."""
        s = min((forecasts.of(name)[1].settings for name in config.algorithms), key=cost)
        batch = min(config.batches, key=lambda b: max(b / s.batch_size, s.batch_size / b))
        by_itself = settled(config.replace(chains=None), stream, forecasts, config.rows).chains
        chains = CHAINS[0] if config.chains == by_itself else config.chains  # a sweep's are fewer where it would take long
        return s.replace(batch_size=batch, acceptance_radius=config.radius_of(algorithm_of(s))), min(chains, ADVISED_CHAINS)

    def _sweep_on(self, handle: JobHandle, sweep: Sweep, result: TuneResult) -> TuneResult | None:
        """Run what is left, with all other pages that want the same; look on while something else is at work on it."""
        path = Path(sweep.storage)
        while not handle.stopped:
            running = self._running.join(path, sweep, result, self, lambda: self.visit.connection.here,
                                         self.visit.scheduler is None)
            if running is not None:
                return self._follow(handle, running, replace(result, elsewhere=False))
            result = replace(_with_saved(result, sweep.saved()), elsewhere=True)
            handle.publish(result, len(result.finished) / result.config.cells, "looking on", foreseen=True)
            time.sleep(READ_SECONDS)
        return result

    def _follow(self, handle: JobHandle, running: RunningSweep, result: TuneResult) -> TuneResult:
        """Show the cells of a sweep as they come, until it ends or the page does without it."""
        seen, shown = 0, None
        while not running.over.is_set() and not handle.stopped:
            standing = running.standing(result)
            if (standing, seen) != shown:
                shown = standing, seen
                handle.publish(result, *standing, foreseen=True)
            running.over.wait(LOOK_SECONDS)
            result, seen = running.result_since(result, seen)
        goes_on = running.leave(self, handle.cancelled)
        if running.error is not None:
            raise running.error
        result, _ = running.result_since(result, seen)
        result = replace(result, cells={key: result.cells[key] for key in result.finished})  # half-run ones are run again
        outcome = running.outcome if running.over.is_set() else None
        if outcome is None:
            return replace(result, ended="cancelled", elsewhere=goes_on)
        return replace(_with_saved(result, outcome), ended=outcome.ended)

    def sweep(self, result: TuneResult) -> Sweep:
        """Return the library's sweep of a result's configuration, kept in a file of the cache."""
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
        # A gradient without a name may change between two visits: nothing of it is kept.
        own = folder("sweeps") / f"own-{id(stream):x}-{config.rows}-{config.chains}.db"
        own.unlink(missing_ok=True)
        return sweep(str(own))

    @staticmethod
    def _unnamed(stream: TuningRows) -> bool:
        return stream.kind == "oracle" and not hasattr(stream.problem, "named")


def escape_radius(config: TuneConfig, stream: TuningRows) -> float:
    """R that exits are counted by: the example's, else in the usual proportion to C'."""
    own = stream.example.escape_radius if stream.example is not None else None
    return own or float(f"{config.acceptance_radius * 16 / 22:.3g}")


def _with_saved(result: TuneResult, saved: SweepOutcome) -> TuneResult:
    return replace(result.with_cells(saved.cells, True), reference=saved.reference or result.reference)
