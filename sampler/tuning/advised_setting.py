"""`first_run`, `advised_runs`: runs of the advised setting within a time limit, and further runs from its measurements."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from sampler.problems.base import Problem
from sampler.settings import Settings
from sampler.tuning.advisor import RunRequest, chosen_index, next_run
from sampler.tuning.rivals import Rival, run_rivals
from sampler.tuning.sweep_cell import CellResult, RunStopped, SweepJob, run_cell, settings_of
from sampler.tuning.sweep_reference import SweepReference, make_reference, rungs_of
from sampler.tuning.sweep_schedule import core_seconds
from sampler.tuning.verdicts.judge import verdict_of

FEW_CHAINS = 16
AT_LEAST = 5.0
"""Seconds that a run may take even if fewer are left."""
TRIAL = ((4, 16), (4, 64))
"""Chains and rows of two small runs: the first compiles, the second measures the current speed of this machine."""
LATER = 1.5
"""Safety factor on the run time predicted from `TRIAL`, for varying load of the machine."""


@dataclass(frozen=True)
class FirstRun:
    """Result of `first_run`.

    Attributes
    ----------
    cell : CellResult or None
        None if the smallest run exceeds the time limit.
    chains : int
        Chains of the run.
    reference : dict
        ``method`` and ``ess`` of the reference.
    needed : float
        Predicted seconds of the smallest run.
    pace : float
        Measured seconds per second predicted by `core_seconds`.
    references : SweepReference or None
        Reference of the cell; None without a cell.
    """

    cell: CellResult | None
    chains: int
    reference: dict[str, Any]
    needed: float
    pace: float
    references: SweepReference | None = None


def first_run(problem: Problem, features: Any, labels: Any, settings: Settings, chains: int, seed: int, terms: int | None,
              seconds: float, stop: Callable[[], bool] = lambda: False, reference: str = "auto") -> FirstRun:
    """Run ``settings`` in this process on as many rows and chains as ``seconds`` allow.

    Tries all rows on ``chains`` chains, all rows on 16, then a quarter of the rows on 16. The reference is ``reference``, or
    Laplace's approximation if computing it would take more than a third of the time.

    Parameters
    ----------
    problem, features, labels, terms, chains, seed
        As for a `Sweep`.
    settings : Settings
    seconds : float
        Time limit from the call; may be 0 or below.
    stop : callable, optional
        Polled; once it returns True, `RunStopped` is raised.
    reference : {"auto", "draws", "laplace"}
        As for a `Sweep`.
    """
    began = time.monotonic()
    rows = len(features) if terms is None else terms
    few, pace = min(chains, FEW_CHAINS), 1.0
    reserved = 0.0  #: seconds reserved for the run while the reference is drawn

    def left() -> float:
        return seconds - (time.monotonic() - began)

    def late() -> bool:
        return stop() or left() < reserved

    def run(count: int, end: int, references: Any) -> CellResult:
        return run_cell(SweepJob(problem, features, labels, count, seed, (end,), references), settings, 0, stop)

    for count, end in TRIAL:
        spent = run(count, min(end, rows), make_reference(problem, features, labels, [min(end, rows)], "laplace")).seconds
        pace = spent / core_seconds(settings, problem.dim, min(end, rows), count)
    needed = 0.0
    for count, end in ((chains, rows), (few, rows), (few, rungs_of(rows)[0])):
        needed = LATER * pace * core_seconds(settings, problem.dim, end, count)
        if needed > max(left(), AT_LEAST):
            continue
        reserved = min(2.0 / 3.0 * left(), left() - AT_LEAST)
        references: Any = make_reference(problem, features, labels, [end], reference, stop=late)
        references = references or make_reference(problem, features, labels, [end], "laplace")
        truth = {"method": references.method, "ess": references.ess}
        return FirstRun(run(count, end, references), count, truth, needed, pace, references)
    return FirstRun(None, few, {}, needed, pace)


ADVISED_ROWS = 1000
"""Default number of rows to tune on, from the first."""
ADVISED_CHAINS = 32
"""Largest number of chains per run: half of a sweep cell's default."""


@dataclass(frozen=True)
class AdvisedRuns:
    """Finished runs of the advised setting and the request for the next one.

    Attributes
    ----------
    first : FirstRun
        Run of the advised setting; further runs share its chains, rows and reference.
    cells : tuple of CellResult
        Measurements, one per run.
    verdicts : tuple of str
        `Verdict.kind` of each run.
    asked : tuple of RunRequest
        Request of each run after the first; if one longer than that, the last is the next run.
    """

    first: FirstRun
    cells: tuple[CellResult, ...] = ()
    verdicts: tuple[str, ...] = ()
    asked: tuple[RunRequest, ...] = ()

    @property
    def over(self) -> bool:
        """Whether no further run is requested."""
        return len(self.asked) < len(self.cells)

    @property
    def chosen(self) -> int:
        """Index of the chosen run: the last safe one within its limit, else 0."""
        return chosen_index(self.cells, self.verdicts, [request.limited for request in self.asked[:len(self.cells) - 1]])

    @property
    def taken(self) -> CellResult:
        """Cell of the chosen run."""
        return self.cells[self.chosen]

    @property
    def verdict(self) -> str:
        """Verdict kind of the chosen run."""
        return self.verdicts[self.chosen]

    @property
    def why_taken(self) -> str:
        """Chosen run and reason as a sentence; empty if the run is not safe."""
        if self.verdict != "safe":
            return ""
        missed = "safe" in self.verdicts[self.chosen + 1:]
        return f"Run {self.chosen + 1} is chosen: " + (
            "the next run exceeds a limit, though within noise." if missed else "it is the last safe run.")

    def words(self, index: int) -> str:
        """Return verdict, cost, memory and width of run ``index`` (from 0) as one line."""
        cell = self.cells[index]
        measured = "" if cell.diverged else f", memory {100 * cell.memory:.0f} %, width {cell.widest:.2f}"
        return f"{self.verdicts[index]}, {cell.cost:,.0f} gradients per epoch{measured}"

    def with_run(self, cell: CellResult, verdict: str) -> "AdvisedRuns":
        """Return a copy with one more run, its ``cell`` and ``verdict`` kind, and the request for the next run, if any."""
        runs = AdvisedRuns(self.first, (*self.cells, cell), (*self.verdicts, verdict), self.asked)
        request = next_run(runs.cells, runs.verdicts, [request.limited for request in self.asked])
        return runs if request is None else replace(runs, asked=(*self.asked, request))

    def with_rivals(self, rivals: list[Rival]) -> "AdvisedRuns":
        """Return a copy with the rivals stored in the reference, as in a sweep."""
        fits = {"fits": [asdict(rival) for rival in rivals]}
        return replace(self, first=replace(self.first, reference=self.first.reference | fits))

    @property
    def fitted(self) -> bool:
        """Whether the rivals are stored, or not needed because no run is safe."""
        return self.verdict != "safe" or "fits" in self.first.reference


def advised_runs(problem: Problem, features: Any, labels: Any, settings: Settings, chains: int, seed: int,
                 terms: int | None = None, largest_curvature: float | None = None,
                 tell: Callable[[AdvisedRuns], None] = lambda runs: None,
                 stop: Callable[[], bool] = lambda: False, reference: str = "auto",
                 begun: AdvisedRuns | None = None) -> AdvisedRuns:
    """Run the advised setting and up to two settings derived from its measurements, in this process.

    All runs share rows, chains and reference. See `next_run` for the rule. If the chosen run is safe, `run_rivals` follows
    with the same reference.

    Parameters
    ----------
    problem, features, labels, terms, seed, reference
        As for a `Sweep`.
    settings : Settings
        Advised settings; further runs change eta0 and i_max only.
    chains : int
        Chains per run; capped at `ADVISED_CHAINS`.
    largest_curvature : float, optional
        As for `verdict_of`.
    tell : callable, optional
        Called with the runs so far after each run.
    stop : callable, optional
        Polled; once it returns True, the call ends.
    begun : AdvisedRuns, optional
        Last runs passed to ``tell`` by a stopped call with the same arguments, to resume from.

    Raises
    ------
    RunStopped
        If ``stop()`` returned True; finished runs have been passed to ``tell``.
    """
    def judged(runs: AdvisedRuns, cell: CellResult) -> AdvisedRuns:
        first = runs.first
        verdict = verdict_of(cell, settings, first.chains, None, first.reference["ess"], largest_curvature, problem.dim)
        runs = runs.with_run(cell, verdict.kind)
        tell(runs)
        return runs

    runs = begun
    if runs is None:
        first = first_run(problem, features, labels, settings, min(chains, ADVISED_CHAINS), seed, terms, math.inf, stop,
                          reference)
        assert first.cell is not None  # without a limit of time
        runs = judged(AdvisedRuns(first), first.cell)
    rows = runs.cells[0].rows
    while not (runs.over and runs.fitted):
        truth = runs.first.references or make_reference(problem, features, labels, [rows], reference, stop=stop)
        if truth is None:
            raise RunStopped
        runs = replace(runs, first=replace(runs.first, references=truth))
        if runs.over:
            rivals = run_rivals(problem, features, labels, truth, rows, stop)
            if stop():
                raise RunStopped
            return runs.with_rivals(rivals)
        request = runs.asked[-1]
        job = SweepJob(problem, features, labels, runs.first.chains, seed, (rows,), truth)
        runs = judged(runs, run_cell(job, settings_of(request.cell, settings).replace(**request.knobs), 0, stop))
    return runs
