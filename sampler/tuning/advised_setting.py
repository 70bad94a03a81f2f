"""The advised setting run, and then what its measurements ask for: what ``tune`` and the page *Tune* do without a sweep."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from sampler.problems.base import Problem
from sampler.settings import Settings
from sampler.tuning.first_run import FirstRun, first_run
from sampler.tuning.further_runs import Asked, next_run, taken_of
from sampler.tuning.gaussian_fits import GaussianFit, gaussian_fits
from sampler.tuning.sweep_cell import CellResult, RunStopped, SweepJob, never, run_cell, settings_of
from sampler.tuning.sweep_reference import make_reference
from sampler.tuning.verdicts.judge import verdict_of

ADVISED_ROWS = 1000
"""Rows to tune on, from the first, where nobody says how many."""
ADVISED_CHAINS = 32
"""Chains of the runs, at most: half of a cell's of a sweep."""


@dataclass(frozen=True)
class AdvisedRuns:
    """The runs so far.

    Attributes
    ----------
    runs : tuple of FirstRun
        The advised setting's first; each with its cell.
    verdicts : tuple of str
        `Verdict.kind` of each.
    asked : tuple of Asked
        What each after the first was made for; with one more, what is run next.
    """

    runs: tuple[FirstRun, ...]
    verdicts: tuple[str, ...]
    asked: tuple[Asked, ...] = ()

    @property
    def cells(self) -> list[CellResult]:
        """What was measured, a run each."""
        return [run.cell for run in self.runs if run.cell is not None]

    @property
    def over(self) -> bool:
        """Whether nothing more is asked for."""
        return len(self.asked) < len(self.runs)

    @property
    def chosen(self) -> int:
        """Index of the run to take, which is the first where none after it is safe."""
        return taken_of(self.cells, self.verdicts, [asked.limited for asked in self.asked[:len(self.runs) - 1]])

    @property
    def taken(self) -> FirstRun:
        """The run to take."""
        return self.runs[self.chosen]

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

    def with_run(self, run: FirstRun, verdict: str) -> "AdvisedRuns":
        """Return these and one more, ``run`` with the kind of its ``verdict``, and what they ask for now."""
        runs = AdvisedRuns((*self.runs, run), (*self.verdicts, verdict), self.asked)
        asked = next_run(runs.cells, runs.verdicts, [asked.limited for asked in self.asked])
        return runs if asked is None else replace(runs, asked=(*self.asked, asked))

    def with_fits(self, fits: list[GaussianFit]) -> "AdvisedRuns":
        """Return these with the Gaussian ``fits`` of their rows, kept with the reference as a sweep's are."""
        kept = [asdict(fit) for fit in fits]
        return replace(self, runs=tuple(replace(run, reference=run.reference | {"fits": kept}) for run in self.runs))

    @property
    def fitted(self) -> bool:
        """Whether Gaussian fits are kept, or not wanted: nothing is safe."""
        return self.verdict != "safe" or "fits" in self.taken.reference


def advised_runs(problem: Problem, features: Any, labels: Any, settings: Settings, chains: int, seed: int,
                 terms: int | None = None, largest_curvature: float | None = None,
                 tell: Callable[[AdvisedRuns], None] = lambda runs: None,
                 stop: Callable[[], bool] = never, reference: str = "auto",
                 begun: AdvisedRuns | None = None) -> AdvisedRuns:
    """Run the advised setting, and at most two more that its measurements ask for, in this process.

    All are run on the same rows and chains, and judged by the same reference. See `next_run` for what is asked for. Where
    one is safe, `gaussian_fits` follow, judged by that reference too.

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
    def judged(runs: AdvisedRuns, run: FirstRun) -> AdvisedRuns:
        assert run.cell is not None
        verdict = verdict_of(run.cell, settings, run.chains, None, run.reference["ess"], largest_curvature, problem.dim)
        runs = runs.with_run(run, verdict.kind)
        tell(runs)
        return runs

    if begun is None:
        first = first_run(problem, features, labels, settings, min(chains, ADVISED_CHAINS), seed, terms, math.inf, stop,
                          reference)
        runs = judged(AdvisedRuns((), ()), first)
    else:
        runs, first = begun, begun.runs[0]
    while not (runs.over and runs.fitted):
        assert first.cell is not None
        rows = first.cell.rows
        truth = first.references or make_reference(problem, features, labels, [rows], reference, stop=stop)
        if truth is None:
            raise RunStopped
        first = replace(first, references=truth)
        if runs.over:
            fits = gaussian_fits(problem, features, labels, truth, rows, stop)
            if stop():
                raise RunStopped
            return runs.with_fits(fits)
        asked = runs.asked[-1]
        job = SweepJob(problem, features, labels, first.chains, seed, (asked.cell.rows,), truth)
        cell = run_cell(job, settings_of(asked.cell, settings).replace(**asked.knobs), 0, stop)
        runs = judged(runs, replace(first, cell=cell))
    return runs
