"""`Sweep`: measure settings on the same rows, with common random numbers and a common reference."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import online_algorithm
from sampler.algorithms.saved_sampler import problem_meta
from sampler.arguments import choice, whole_number
from sampler.problems.base import Problem
from sampler.problems.data_check import check_data, check_problem, terms_of
from sampler.settings import Settings, checked_settings
from sampler.streams.stream_report import Fingerprint
from sampler.time_left import TimeLeft, middle, time_words
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.tuning.best_cell import best_cell
from sampler.tuning.cell_queue import CellQueue, cells_to_rescue
from sampler.tuning.optuna_study import Study, read_finished, storage_errors
from sampler.tuning.rivals import run_rivals
from sampler.tuning.settings_grid import KNOBS, Grid, setting_key
from sampler.tuning.sweep_cell import CellResult, SweepJob, settings_of
from sampler.tuning.sweep_reference import SweepReference, make_reference, packed, rungs_of, unpacked
from sampler.tuning.sweep_schedule import OpenCell, PromotionModel, SweepWork, TrialOrder
from sampler.tuning.workers import GIVE_WAY, open_workers

TRIALS = 40  # default number of trials with "tpe"
FEW = 0.05  # share of the work until which cells of an earlier run provide the estimate of time left
SHORTEST = 16  # smallest number of rows to tune on


@dataclass(frozen=True)
class SweepProgress:
    """Progress of a sweep.

    Attributes
    ----------
    done, total : int
        Number of cells.
    seconds_left : float or None
        Estimate for the whole sweep; None if it cannot be estimated, see `TimeLeft`.
    words : str
        Current stage; for the reference, with the time left for it.
    share : float
        Completed fraction of the current stage (reference or cells), in [0, 1].
    """

    done: int
    total: int
    seconds_left: float | None
    words: str
    share: float = 0.0


@dataclass(frozen=True)
class SweepOutcome:
    """Result of a sweep; ``ended`` is "finished", "cancelled" or "out of time".

    Attributes
    ----------
    cells : list of CellResult
        Result of every setting tried, at its last rung.
    best : CellResult or None
        Cheapest accurate cell, see `best_cell`.
    reference : dict or None
        ``method`` and ``ess`` of the reference and, after a finished sweep, ``fits``: each `Rival` as plain values; None if
        no reference has been computed.
    bests : dict
        Algorithm -> its cheapest accurate cell, for algorithms that have one.
    """

    cells: list[CellResult]
    best: CellResult | None
    ended: str
    seconds: float
    reference: dict[str, Any] | None = None
    bests: dict[str, CellResult] = field(default_factory=dict)


class Sweep:
    """Sweep over settings on one stream; results do not depend on the workers, and stored trials survive a crash.

    Parameters
    ----------
    problem, features, labels
        Stream: features (T, d), labels (T,) or None. For a GradientOracle pass ``terms`` instead.
    grid : Grid, or sequence of Grid
        Values of each knob; the search space for ``sampler="tpe"``. A sequence has one grid per algorithm; all algorithms
        share rows, random numbers, reference and rules.
    settings : Settings
        Source of the knobs that are not swept.
    chains, seed : int
    storage, name : str, optional
        Storage of the trials: a path (SQLite), an Optuna URL, or None for memory; and name of the study.
    workers : int
        Number of worker processes if ``scheduler`` is None; 0 runs cells in this process.
    scheduler : str, optional
        Address of a running Dask scheduler.
    sampler : {"grid", "tpe"}
    trials : int, optional
        Number of cells with "tpe", alternating between algorithms; with "grid", limit on the number of cells.
    prune : bool
        Prune a cell after a quarter and a half of the rows if half of the others are more accurate there by more than
        noise.
    order : callable, optional
        Function of settings; cells with larger values are tried first. The result of `trial_order` also provides forecasts
        for estimates of the time left.
    reference : {"auto", "draws", "laplace"}
    escape_radius : float, optional
        R, to count exits.
    parallel : int, optional
        Number of cells submitted at a time; affects which cells are pruned, so fix it to compare two sweeps.
    gives_way : bool
        Whether worker processes run at lower priority, in favour of a server's pages.
    """

    def __init__(self, problem: Problem, features: np.ndarray | None = None, labels: np.ndarray | None = None,
                 grid: Grid | Sequence[Grid] | None = None, settings: Settings | None = None, chains: int = 64,
                 seed: int = 0, terms: int | None = None, storage: str | None = None, name: str = "sweep",
                 workers: int = 2, scheduler: str | None = None, sampler: str = "grid", trials: int | None = None,
                 prune: bool = True, order: Callable[[Settings], float] | None = None, reference: str = "auto",
                 escape_radius: float | None = None, parallel: int | None = None, gives_way: bool = False) -> None:
        check_problem(problem)
        self.problem, self.settings = problem, Settings() if settings is None else checked_settings(settings)
        self.features, self.labels = features, labels
        rows = terms if problem.kind == "oracle" else None if features is None else terms_of(features, None)
        if rows is None or whole_number("terms", rows, 0) < SHORTEST:
            raise ValueError(f"features must have {SHORTEST} rows or more to tune on, got {rows}; wait for more data")
        if problem.kind != "oracle":
            check_data(problem, features, labels, rows)
        sampler = choice("sampler", sampler, ("grid", "tpe"))
        trials = None if trials is None else whole_number("trials", trials, 1, 100_000)
        one_cell: dict[str, Any] = {knob: (getattr(self.settings, knob),) for knob in KNOBS}
        grid = grid or Grid(**one_cell, algorithm=self.settings.algorithm)
        self.grids = (grid,) if isinstance(grid, Grid) else tuple(grid)
        for one in self.grids:
            if refused := online_algorithm(one.algorithm).refusal(problem):
                raise ValueError(refused)
        if len({one.algorithm for one in self.grids}) < len(self.grids):
            raise ValueError(f"grid must hold one Grid of each algorithm, got {[one.algorithm for one in self.grids]}; join "
                             "the values of each knob")
        self.chains = whole_number("chains", chains, 4, 100_000)
        self.seed, self.rungs = whole_number("seed", seed, 0, 2**63 - 1), rungs_of(rows)
        self._workers, self._scheduler = whole_number("workers", workers, 0, 1024), scheduler
        self._sampler, self._prune, self._reference, self._radius = sampler, prune, reference, escape_radius
        self.references: SweepReference | None = None  #: reference of the cells; None before a run computes or reads it
        self._nice = GIVE_WAY if gives_way else 0
        self._parallel, self.storage, self._name = parallel, storage, name
        cells = [with_algorithm(self.settings.replace(**cell), one.algorithm) for one in self.grids for cell in one.cells]
        self._keys = {setting_key(cell) for cell in cells}
        self._forecasts = order if isinstance(order, TrialOrder) else None
        if order is not None:
            cells.sort(key=order, reverse=True)
        self._cells: list[Settings | str] = list(cells[:trials])  # with "tpe", algorithm names
        if sampler == "tpe":
            self._cells = [self.grids[i % len(self.grids)].algorithm for i in range(trials or TRIALS)]

    def identity(self) -> dict[str, Any]:
        """Return the inputs that must be equal for results of two sweeps to be comparable, as plain values."""
        print_ = Fingerprint()
        if self.features is not None:
            print_.add(self.features, self.labels)
        base = {k: v for k, v in self.settings.to_dict().items() if k not in KNOBS}
        return {"data": str(print_), "rows": list(self.rungs), "model": problem_meta(self.problem), "settings": base,
                "chains": self.chains, "seed": self.seed, "reference": self._reference,
                "escape_radius": self._radius}

    def saved(self) -> SweepOutcome:
        """Return the outcome stored in this sweep's SQLite file; read-only, so another process may be running the sweep.

        ``ended`` is "finished" if all cells of the grid are stored, else "cancelled"; ``seconds`` is 0.
        """
        cells: list[CellResult] = []
        reference = None
        if self.storage is not None:
            cells, reference = read_finished(self.storage, self._name, self.identity())
        cells = [cell for cell in cells if cell.algorithm in {one.algorithm for one in self.grids}]
        whole = self._keys <= {setting_key(cell) for cell in cells}
        return self._outcome(cells, "finished" if whole else "cancelled", 0.0, reference)

    def run(self, on_cell: Callable[[CellResult, bool], None] = lambda cell, finished: None,
            on_progress: Callable[[SweepProgress], None] = lambda progress: None,
            stop: Callable[[], bool] = lambda: False, seconds: float | None = None) -> SweepOutcome:
        """Run to the end, until ``stop()``, or for ``seconds``; callbacks are called from the calling thread.

        Parameters
        ----------
        on_cell : callable, optional
            Called as ``on_cell(CellResult, finished)`` after every rung of a cell; ``finished`` is False if a later rung
            follows.
        on_progress : callable, optional
            Called as ``on_progress(SweepProgress)``.
        stop : callable, optional
            Polled; once it returns True, the run ends. Finished cells are kept.
        seconds : float > 0, optional
            Time limit; None for no limit.
        """
        with storage_errors(self.storage):
            return self._run(on_cell, on_progress, stop, seconds)

    def _run(self, on_cell: Callable[[CellResult, bool], None], on_progress: Callable[[SweepProgress], None],
             stop: Callable[[], bool], seconds: float | None) -> SweepOutcome:
        began = time.monotonic()

        def late() -> bool:
            return seconds is not None and time.monotonic() - began > seconds

        def ended_with(ended: str) -> SweepOutcome:
            if ended == "finished" and self.references is not None and reference and "fits" not in reference:
                rivals = run_rivals(self.problem, self.features, self.labels, self.references, self.rungs[-1],
                                    lambda: stop() or late())
                if not (stop() or late()):
                    reference["fits"] = [asdict(rival) for rival in rivals]
                    study.study.set_user_attr("reference", reference)
            in_order = [cells[number] for number in sorted(cells)]
            return self._outcome(in_order, ended, time.monotonic() - began, reference)

        study = Study(self.storage, self._name, self.identity(), self.grids, self.settings, self._sampler,
                      self._prune, self.seed)
        cells = study.finished()
        for result in cells.values():
            on_cell(result, True)
        done = {setting_key(result) for result in cells.values()}
        chosen = {setting_key(cell) for cell in self._cells if isinstance(cell, Settings)} or None
        left = deque(self._cells[len(cells):] if chosen is None else
                     [cell for cell in self._cells if setting_key(cell) not in done])
        total = len(cells) + len(left)
        kept = study.study.user_attrs
        reference, self.references = kept.get("reference"), unpacked(kept.get("truth"), self.rungs)
        if not left and not cells_to_rescue(cells, len(self.rungs) - 1, chosen):
            return ended_with("finished")

        pool = open_workers(self.problem, self._workers, self._scheduler, [one.algorithm for one in self.grids],
                            self._nice)
        work = SweepWork(self.problem.dim, self.chains, self.rungs,
                         PromotionModel(self._prune, len(self.rungs), self._forecasts))
        pace = TimeLeft()
        for cell in cells.values():
            work.recall(settings_of(cell, self.settings), cell.rung, cell.seconds, cell.diverged is not None)
        resumed = work.measured
        first = work.ahead([OpenCell(cell, 0) for cell in left if isinstance(cell, Settings)], pool.workers)
        predicted = middle(*(seconds / pool.workers for seconds in first)) if resumed else None

        def reference_progress(share: float) -> None:
            pace.update(share)
            more = pace.seconds
            words = "computing the reference" + (f", {time_words(more)} more" if more else "")
            whole = None if more is None or predicted is None else more + predicted
            on_progress(SweepProgress(len(cells), total, whole, words, share))

        def cells_progress(done: float, least: float, most: float) -> None:
            pace.update(done, least, most)
            more = pace.seconds
            if more is None and done < FEW * least:
                more = predicted
            on_progress(SweepProgress(len(cells), total, more, "trying settings", len(cells) / total))

        try:
            references = self._references(study, lambda: stop() or late(), reference_progress)
            if references is None:
                return ended_with("cancelled" if stop() else "out of time")
            reference = {"method": references.method, "ess": references.ess}
            study.study.set_user_attr("reference", reference)
            pool.give(SweepJob(self.problem, self.features, self.labels, self.chains, self.seed, self.rungs, references,
                               self._radius))
            pace.restart()
            if resumed:
                cells_progress(0.0, *first)
            queue = CellQueue(study, pool, left, cells, self.rungs, self.settings, self._parallel, work, on_cell,
                              cells_progress, chosen)
            ended = queue.run(stop, late)
        finally:
            pool.close()
        return ended_with(ended)

    def _references(self, study: Study, stop: Callable[[], bool],
                    progress: Callable[[float], None]) -> SweepReference | None:
        """Return the reference read from the SQLite file, else compute and store it; None if stopped."""
        if self.references is None:
            progress(0.0)
            self.references = make_reference(self.problem, self.features, self.labels, list(self.rungs), self._reference,
                                             self.seed, stop, progress)
            if self.references is not None and study.in_file and (values := packed(self.references)) is not None:
                study.study.set_user_attr("truth", values)
        return self.references

    def _outcome(self, cells: list[CellResult], ended: str, seconds: float,
                 reference: dict[str, Any] | None) -> SweepOutcome:
        def best(cells: list[CellResult]) -> CellResult | None:
            return best_cell(cells, len(self.rungs) - 1, self.chains, self.problem.dim, (reference or {}).get("ess"))

        bests = {one.algorithm: best([cell for cell in cells if cell.algorithm == one.algorithm]) for one in self.grids}
        return SweepOutcome(cells, best(cells), ended, seconds, reference,
                            {name: cell for name, cell in bests.items() if cell is not None})
