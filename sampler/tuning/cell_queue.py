"""The cells of a sweep on their way through the workers: sent, judged, promoted, given up, sent again."""

import math
import time
from collections import deque
from collections.abc import Callable, Set
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from sampler.settings import Settings
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.tuning.optuna_study import Study
from sampler.tuning.settings_grid import setting_key
from sampler.tuning.sweep_cell import CellResult, settings_of
from sampler.tuning.sweep_schedule import Piece, SweepWork

LOOK = 0.1  # seconds between two looks at whether to stop
TELL = 0.25  # seconds between two words on what is ahead while no cell comes
LOSSES_ALLOWED = 3  # of the same cell: one that kills its worker must not go round for ever


class CellQueue:
    """Cells sent to the workers in order and taken back in order, so that every decision is the same in every run.

    Parameters
    ----------
    study : Study
        Where trials are kept.
    pool : InProcessWorkers, ProcessPool or DaskCluster
    left : deque of Settings or str
        Cells not tried yet; an algorithm is one whose settings the sampler chooses.
    cells : dict of int to CellResult
        Finished cells by the number of their trial; grows.
    rungs : tuple of int
        Rows after which a cell is judged.
    settings : Settings
        Gives the knobs that a cell leaves open.
    parallel : int or None
        Cells at work or waiting at a time; None for two a worker.
    work : SweepWork
        Knows what is ahead; learns from each cell.
    on_cell : callable
        See ``Sweep.run``: told each result.
    on_work : callable
        Told the seconds of a core that are done, and the least and the most that are ahead, after each cell and about
        four times a second.
    chosen : set of tuple or None
        Keys of the settings of this sweep's grid; None where the sampler chooses them.
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
        self._done, self._reported = 0.0, time.monotonic()  # seconds of a core; when they were last reported
        self._most = 0.0  # the largest reported: what a cell at work seems to have done may turn out to be less
        self._began: dict[Future[Any], float] = {}  # when a cell was first seen at work
        self._promoted: deque[Any] = deque()  # (trial, settings, rung) that may go on
        self._sent: deque[Any] = deque()  # (future, trial, settings, rung, losses)

    def run(self, stop: Callable[[], bool], late: Callable[[], bool]) -> str:
        """Run all cells, or until told to stop; return "finished", "cancelled" or "out of time"."""
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
                self._sent[0][0].result(timeout=LOOK)
            except NotYet:
                self._pool.check()
                if time.monotonic() - self._reported > TELL:
                    self._tell()
                continue
            except Exception as error:
                self._lost(error)
                continue
            self._take()

    def _send(self) -> None:
        if self._promoted:
            trial, settings, rung = self._promoted.popleft()
        else:
            trial, settings = self._study.ask(self._left.popleft())
            rung = 0
        self._sent.append((self._pool.submit(settings, rung), trial, settings, rung, 0))

    def _rescue(self) -> bool:
        """Every cell that went on came to grief: the best of those given up goes to the end after all."""
        last = len(self._rungs) - 1
        given_up = cells_to_rescue(self._cells, last, self._chosen)
        if not given_up:
            return False
        best = max(given_up, key=lambda cell: (cell.rung, cell.accuracy))
        trial, settings = self._study.ask(settings_of(best, self._settings))
        self._sent.append((self._pool.submit(settings, last), trial, settings, last, 0))
        return True

    def _lost(self, error: Exception) -> None:
        """A worker died: whatever was sent and not finished is sent again, in the same order."""
        if not self._pool.is_loss(error):
            for _, trial, *_ in self._sent:
                self._study.tell(trial)
            raise error
        again: deque[Any] = deque()
        for future, trial, settings, rung, losses in self._sent:
            if _failed(future):
                if losses == LOSSES_ALLOWED:
                    raise ValueError(f"settings {settings.to_dict()} killed its worker {losses + 1} times: out of "
                                     "memory? lower chains or the rows to tune on") from error
                future, losses = self._pool.submit(settings, rung), losses + 1
            again.append((future, trial, settings, rung, losses))
        self._sent = again

    def _take(self) -> None:
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
        self._tell()

    def _tell(self) -> None:
        """Say how much is done, what is at work or waits for its turn counted, and how much is ahead."""
        self._reported = now = time.monotonic()
        ready = [sent for sent in self._sent if sent[0].done()]
        waiting = [sent for sent in self._sent if not sent[0].done()]
        at_work = waiting[:self._pool.workers]
        self._began = {future: self._began.get(future, now) for future, *_ in at_work}
        spent = {future: now - began for future, began in self._began.items()}
        pieces = [Piece(settings, rung, math.inf) for _, _, settings, rung, _ in ready]
        pieces += [Piece(settings, rung, spent.get(future, 0.0)) for future, _, settings, rung, _ in waiting]
        pieces += [Piece(settings, rung) for _, settings, rung in self._promoted]
        pieces += [Piece(with_algorithm(self._settings, cell) if isinstance(cell, str) else cell, 0) for cell in self._left]
        done = self._done + sum(future.result().seconds for future, *_ in ready if not _failed(future))
        self._most = max(self._most, done + sum(spent.values()))
        self._on_work(self._most, *self._work.ahead(pieces, self._pool.workers))


def cells_to_rescue(cells: dict[int, CellResult], last: int, chosen: Set[tuple[Any, ...]] | None = None) -> list[CellResult]:
    """Return the cells given up that did not diverge, where every cell that was run to the end did.

    Only the settings `chosen` count, where there are any: a study may hold better cells of another grid, beside which all of
    this one were given up, and whoever asks for a grid wants to see its best.
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
