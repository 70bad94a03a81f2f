"""One setting run and judged within a time: what a sweep that would take longer begins with."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sampler.problems.base import Problem
from sampler.settings import Settings
from sampler.tuning.sweep_cell import CellResult, SweepJob, never, run_cell
from sampler.tuning.sweep_reference import SweepReference, make_reference, rungs_of
from sampler.tuning.sweep_work import core_seconds

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
              seconds: float, stop: Callable[[], bool] = never, reference: str = "auto") -> FirstRun:
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
