"""The advised setting run within a time, or run again as its measurements ask: `tune` without a sweep, or before one."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from sampler.problems.base import Problem
from sampler.settings import Settings
from sampler.tuning.advisor import Asked, next_run, taken_of
from sampler.tuning.rivals import Rival, run_rivals
from sampler.tuning.sweep_cell import CellResult, RunStopped, SweepJob, run_cell, settings_of
from sampler.tuning.sweep_reference import SweepReference, make_reference, rungs_of
from sampler.tuning.sweep_schedule import core_seconds
from sampler.tuning.verdicts.judge import verdict_of

FEW_CHAINS = 16
AT_LEAST = 5.0
"""Seconds that a run may take however few are left."""
TRIAL = ((4, 16), (4, 64))
"""Chains and rows of two small runs: the first compiles, the second says how fast work goes here now."""
LATER = 1.5
"""Factor by which a run may take longer than that says: other work comes and goes."""


@dataclass(frozen=True)
class FirstRun:
    """Result of `first_run`.

    Attributes
    ----------
    cell : CellResult or None
        None where not even the smallest run fitted.
    chains : int
        Of the run.
    reference : dict
        ``method`` and ``ess`` of the truth it was judged by.
    needed : float
        Seconds that the smallest run asks for.
    pace : float
        Seconds that take one second of a core of our own (`core_seconds`).
    references : SweepReference or None
        The truth itself; None without a cell.
    """

    cell: CellResult | None
    chains: int
    reference: dict[str, Any]
    needed: float
    pace: float
    references: SweepReference | None = None


def first_run(problem: Problem, features: Any, labels: Any, settings: Settings, chains: int, seed: int, terms: int | None,
              seconds: float, stop: Callable[[], bool] = lambda: False, reference: str = "auto") -> FirstRun:
    """Run ``settings`` as far as ``seconds`` allow, in this process.

    All rows on ``chains`` chains, or else on 16 of them, or else a quarter of the rows on 16; judged by draws of the
    posterior, or by Laplace's approximation where these would take a third of the time.

    Parameters
    ----------
    problem, features, labels, terms, chains, seed
        As for a `Sweep`.
    settings : Settings
    seconds : float
        From now on; may be 0 or below.
    stop : callable, optional
        True ends it: `RunStopped` is raised.
    reference : {"auto", "draws", "laplace"}
        As for a `Sweep`.
    """
    began = time.monotonic()
    rows = len(features) if terms is None else terms
    few, pace = min(chains, FEW_CHAINS), 1.0
    reserved = 0.0  #: seconds that drawing the reference leaves for the run

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
"""Rows to tune on, from the first, where nobody says how many."""
ADVISED_CHAINS = 32
"""Chains of the runs, at most: half of a cell's of a sweep."""


@dataclass(frozen=True)
class AdvisedRuns:
    """The runs so far.

    Attributes
    ----------
    first : FirstRun
        The advised setting's: its chains, its rows and its reference are those of all.
    cells : tuple of CellResult
        What was measured, a run each.
    verdicts : tuple of str
        `Verdict.kind` of each.
    asked : tuple of Asked
        What each after the first was made for; with one more, what is run next.
    """

    first: FirstRun
    cells: tuple[CellResult, ...] = ()
    verdicts: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()

    @property
    def over(self) -> bool:
        """Whether nothing more is asked for."""
        return len(self.asked) < len(self.cells)

    @property
    def chosen(self) -> int:
        """Index of the run to take, which is the first where none after it is safe."""
        return taken_of(self.cells, self.verdicts, [asked.limited for asked in self.asked[:len(self.cells) - 1]])

    @property
    def taken(self) -> CellResult:
        """The cell to take."""
        return self.cells[self.chosen]

    @property
    def verdict(self) -> str:
        """Of the run to take."""
        return self.verdicts[self.chosen]

    @property
    def why_taken(self) -> str:
        """Which run is taken and why, a sentence; empty where none is safe."""
        if self.verdict != "safe":
            return ""
        missed = "safe" in self.verdicts[self.chosen + 1:]
        return f"Run {self.chosen + 1} is taken: " + (
            "the run after it is past a limit, by no more than noise may add." if missed else "the last that is safe.")

    def words(self, index: int) -> str:
        """Return a run's verdict, cost, memory and width, in a line; ``index`` is the run's, 0 the first."""
        cell = self.cells[index]
        measured = "" if cell.diverged else f", memory {100 * cell.memory:.0f} %, width {cell.widest:.2f}"
        return f"{self.verdicts[index]}, {cell.cost:,.0f} gradients an epoch{measured}"

    def with_run(self, cell: CellResult, verdict: str) -> "AdvisedRuns":
        """Return these and one more, its ``cell`` with the kind of its ``verdict``, and what they ask for now."""
        runs = AdvisedRuns(self.first, (*self.cells, cell), (*self.verdicts, verdict), self.asked)
        asked = next_run(runs.cells, runs.verdicts, [asked.limited for asked in self.asked])
        return runs if asked is None else replace(runs, asked=(*self.asked, asked))

    def with_rivals(self, rivals: list[Rival]) -> "AdvisedRuns":
        """Return these with the rivals on their rows, kept with the reference as a sweep's are."""
        fits = {"fits": [asdict(rival) for rival in rivals]}
        return replace(self, first=replace(self.first, reference=self.first.reference | fits))

    @property
    def fitted(self) -> bool:
        """Whether rivals are kept, or not wanted: nothing is safe."""
        return self.verdict != "safe" or "fits" in self.first.reference


def advised_runs(problem: Problem, features: Any, labels: Any, settings: Settings, chains: int, seed: int,
                 terms: int | None = None, largest_curvature: float | None = None,
                 tell: Callable[[AdvisedRuns], None] = lambda runs: None,
                 stop: Callable[[], bool] = lambda: False, reference: str = "auto",
                 begun: AdvisedRuns | None = None) -> AdvisedRuns:
    """Run the advised setting, and at most two more that its measurements ask for, in this process.

    All are run on the same rows and chains, and judged by the same reference. See `next_run` for what is asked for. Where
    one is safe, `run_rivals` follows, judged by that reference too.

    Parameters
    ----------
    problem, features, labels, terms, seed, reference
        As for a `Sweep`.
    settings : Settings
        The advised ones; every further run has their other knobs.
    chains : int
        Of a sweep's cell; `ADVISED_CHAINS` at most are run.
    largest_curvature : float, optional
        As for `verdict_of`.
    tell : callable, optional
        Called with the runs so far as each ends.
    stop : callable, optional
        True ends it, at any time.
    begun : AdvisedRuns, optional
        What a call with the same arguments has told before it was stopped: this one goes on from there.

    Raises
    ------
    RunStopped
        Where ``stop()`` was true; what has ended was told.
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
        asked = runs.asked[-1]
        job = SweepJob(problem, features, labels, runs.first.chains, seed, (rows,), truth)
        runs = judged(runs, run_cell(job, settings_of(asked.cell, settings).replace(**asked.knobs), 0, stop))
    return runs
