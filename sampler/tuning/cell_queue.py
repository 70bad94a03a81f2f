"""`CellQueue`: scheduling of a sweep's cells on workers: submission, pruning, promotion, resubmission after a loss."""

import math
import time
from collections import deque
from collections.abc import Callable, Set
from concurrent.futures import Future
from concurrent.futures import TimeoutError as ResultTimeout
from typing import Any

from sampler.settings import Settings
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.tuning.optuna_study import Study
from sampler.tuning.settings_grid import setting_key
from sampler.tuning.sweep_cell import CellResult, settings_of
from sampler.tuning.sweep_schedule import OpenCell, SweepWork

STOP_POLL = 0.1  # seconds between two calls of `stop`
REPORT_SECONDS = 0.25  # between two progress reports while no cell finishes
LOSSES_ALLOWED = 3  # resubmissions per cell, which may itself kill its worker


class CellQueue:
    """Queue of cells on workers; submits and collects in a fixed order, so that pruning is reproducible.

    Parameters
    ----------
    study : Study
        Store of the trials.
    pool : InProcessWorkers, ProcessPool or DaskCluster
    left : deque of Settings or str
        Cells not yet tried; an algorithm name is a cell with settings chosen by the sampler.
    cells : dict of int to CellResult
        Trial number -> finished cell; updated in place.
    rungs : tuple of int
        Rows after which a cell is judged.
    settings : Settings
        Values of the knobs that are not swept.
    parallel : int or None
        Cells submitted at a time; None for two per worker.
    work : SweepWork
        Estimate of the remaining work; updated with each cell.
    on_cell : callable
        Called with each result, see ``Sweep.run``.
    on_work : callable
        Called after each cell and about four times per second with the core seconds done and the lower and upper estimates
        of those remaining.
    chosen : set of tuple or None
        Keys of the settings of this sweep's grid; None if the sampler chooses settings.
    """

    def __init__(self, study: Study, pool: Any, left: deque[Settings | str], cells: dict[int, CellResult],
                 rungs: tuple[int, ...], settings: Settings, parallel: int | None, work: SweepWork,
                 on_cell: Callable[[CellResult, bool], None], on_work: Callable[..., None],
                 chosen: Set[tuple[Any, ...]] | None = None) -> None:
        self._chosen = chosen
        self._study, self._pool, self._left, self._cells = study, pool, left, cells
        self._rungs, self._settings, self._work = rungs, settings, work
        self._parallel = parallel or 2 * pool.workers
        self._on_cell, self._on_work = on_cell, on_work
        self._done, self._reported = 0.0, time.monotonic()  # core seconds; time of the last report
        self._most = 0.0  # largest work reported: the estimate for a running cell may be revised downwards
        self._began: dict[Future[Any], float] = {}  # time at which a cell was first seen running
        self._promoted: deque[Any] = deque()  # promoted (trial, settings, rung)
        self._sent: deque[Any] = deque()  # (future, trial, settings, rung, losses)

    def run(self, stop: Callable[[], bool], late: Callable[[], bool]) -> str:
        """Run all cells until done, ``stop()`` or ``late()``; return "finished", "cancelled" or "out of time"."""
        while True:
            while len(self._sent) < self._parallel and (self._promoted or self._left):
                self._send()
            if not self._sent and not self._rescue():
                return "finished"
            if stop() or late():
                for trial in [sent[1] for sent in self._sent] + [promoted[0] for promoted in self._promoted]:
                    self._study.tell(trial)
                return "cancelled" if stop() else "out of time"
            try:
                self._sent[0][0].result(timeout=STOP_POLL)
            except ResultTimeout:
                self._pool.check()
                if time.monotonic() - self._reported > REPORT_SECONDS:
                    self._report_work()
                continue
            except Exception as error:
                self._resubmit_lost(error)
                continue
            self._collect()

    def _send(self) -> None:
        if self._promoted:
            trial, settings, rung = self._promoted.popleft()
        else:
            trial, settings = self._study.ask(self._left.popleft())
            rung = 0
        self._sent.append((self._pool.submit(settings, rung), trial, settings, rung, 0))

    def _rescue(self) -> bool:
        """If all promoted cells diverged, submit the best pruned cell to the last rung; return whether there is one."""
        last = len(self._rungs) - 1
        given_up = cells_to_rescue(self._cells, last, self._chosen)
        if not given_up:
            return False
        best = max(given_up, key=lambda cell: (cell.rung, cell.accuracy))
        trial, settings = self._study.ask(settings_of(best, self._settings))
        self._sent.append((self._pool.submit(settings, last), trial, settings, last, 0))
        return True

    def _resubmit_lost(self, error: Exception) -> None:
        """Resubmit failed cells in the same order after the loss of a worker; raise any other error."""
        if not self._pool.is_loss(error):
            for _, trial, *_ in self._sent:
                self._study.tell(trial)
            raise error
        again: deque[Any] = deque()
        for future, trial, settings, rung, losses in self._sent:
            if _failed(future):
                if losses == LOSSES_ALLOWED:
                    raise ValueError(f"settings {settings.to_dict()} killed its worker {losses + 1} times, perhaps out of "
                                     "memory; lower chains or the rows to tune on") from error
                future, losses = self._pool.submit(settings, rung), losses + 1
            again.append((future, trial, settings, rung, losses))
        self._sent = again

    def _collect(self) -> None:
        future, trial, settings, rung, _ = self._sent.popleft()
        result: CellResult = future.result()
        last = rung == len(self._rungs) - 1
        pruned = (self._study.report(trial, result) or result.diverged is not None) and not last
        if last or pruned:
            self._study.tell(trial, result, pruned)
            self._cells[trial.number] = result
        else:
            self._promoted.append((trial, settings, rung + 1))
        self._work.learn(settings, rung, result.seconds, None if result.diverged is not None else not (last or pruned))
        self._done += result.seconds
        self._on_cell(result, last or pruned)
        self._report_work()

    def _report_work(self) -> None:
        """Report work done, including that of running and uncollected cells, and work remaining."""
        self._reported = now = time.monotonic()
        ready = [sent for sent in self._sent if sent[0].done()]
        waiting = [sent for sent in self._sent if not sent[0].done()]
        running = waiting[:self._pool.workers]
        self._began = {future: self._began.get(future, now) for future, *_ in running}
        spent = {future: now - began for future, began in self._began.items()}
        cells = [OpenCell(settings, rung, math.inf) for _, _, settings, rung, _ in ready]
        cells += [OpenCell(settings, rung, spent.get(future, 0.0)) for future, _, settings, rung, _ in waiting]
        cells += [OpenCell(settings, rung) for _, settings, rung in self._promoted]
        cells += [OpenCell(with_algorithm(self._settings, one) if isinstance(one, str) else one, 0) for one in self._left]
        done = self._done + sum(future.result().seconds for future, *_ in ready if not _failed(future))
        self._most = max(self._most, done + sum(spent.values()))
        self._on_work(self._most, *self._work.ahead(cells, self._pool.workers))


def cells_to_rescue(cells: dict[int, CellResult], last: int, chosen: Set[tuple[Any, ...]] | None = None) -> list[CellResult]:
    """Return the pruned cells that did not diverge if every cell run to the last rung diverged, else an empty list.

    Restricted to the settings `chosen`, if not None: a study may store better cells of another grid, against which all of
    this grid were pruned; this grid still needs its own best cell.
    """
    mine = [cell for cell in cells.values() if chosen is None or setting_key(cell) in chosen]
    at_end = [cell for cell in mine if cell.rung == last]
    if any(cell.diverged is None for cell in at_end):
        return []
    tried = {setting_key(cell) for cell in at_end}
    return [cell for cell in mine if cell.diverged is None and setting_key(cell) not in tried]


def _failed(future: Future[Any]) -> bool:
    if not future.done():
        return False
    return future.cancelled() or future.exception() is not None
