"""The runs after the advised setting's: with the epochs and the step that its measurements ask for, two at most."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sampler.problems.base import Problem
from sampler.settings import Settings
from sampler.tuning.advisor import WITHIN
from sampler.tuning.first_run import FirstRun
from sampler.tuning.sweep_cell import CellResult, SweepJob, run_cell, settings_of
from sampler.tuning.verdicts.measurements import LIMITS
from sampler.tuning.verdicts.rules import travel

WORTH = 0.8
"""Share of the length from which shorter epochs are run: what is closer saves too little."""
SHORTEST = 0.25
"""Share of the length that they are at least: a memory that asks for less is known too badly."""
MOST = 3
"""Runs, with the first."""
LONGER = 1.5
"""Factor of the step that is tried where the width leaves room."""


def mended(cell: CellResult, verdict: str) -> dict[str, Any] | None:
    """Return the knobs to run after a cell, of its epochs alone where its step is sound.

    A safe cell's epochs are shortened, a cold one's lengthened, to where chains remember what the advisor allows (`WITHIN`).
    After an epoch whose steps are uniform on 1..i_max a chain remembers (1 - exp(-K))/K of its start, K being i_max times
    the rate at which it forgets: the measured memory says K. Where the step is too long it is halved, and i_max doubled.

    Parameters
    ----------
    cell : CellResult
    verdict : str
        Its `Verdict.kind`.

    Returns
    -------
    dict or None
        For `Settings.replace`. None for any other verdict, and where shorter epochs save too little.
    """
    if verdict in ("hot", "diverged"):
        return stepped(cell, 0.5)
    if verdict not in ("safe", "cold"):
        return None
    share = travel(WITHIN["memory"] * LIMITS["memory"]) / travel(cell.memory)
    worth = share > 1.0 if verdict == "cold" else share <= WORTH
    return {"i_max": math.ceil(cell.i_max * max(share, SHORTEST))} if worth else None


def stepped(cell: CellResult, factor: float) -> dict[str, Any]:
    """Return the knobs of a cell with a step that is longer by a factor, and epochs in which chains travel as far."""
    eta0 = float(f"{factor * cell.eta0:.2g}")
    return {"eta0": eta0, "i_max": math.ceil(cell.i_max * cell.eta0 / eta0)}


def within(cell: CellResult, name: str) -> bool:
    """Whether a measurement is within its limit itself: of several runs the one taken must not be safe by noise alone.

    Parameters
    ----------
    cell : CellResult
    name : {"width", "memory"}
    """
    return {"width": cell.widest - 1.0, "memory": cell.memory}[name] <= LIMITS[name]


def further_runs(first: FirstRun, judge: Callable[[FirstRun], str], problem: Problem, features: Any, labels: Any,
                 settings: Settings, seed: int) -> tuple[FirstRun, list[FirstRun]]:
    """Run what the first run asks for, on its rows and chains, judged by the same reference; the last safe one is taken.

    `mended` first, whose memory has to be `within` its limit. Where it is not, the same once more by what that one measured;
    else, where the width of the one that is taken is within its limit, a longer step, whose width has to be as well.

    Parameters
    ----------
    first : FirstRun
        With a cell.
    judge : callable
        A run -> its `Verdict.kind`.
    problem, features, labels, seed
        As for the `first_run`.
    settings : Settings
        Gives the knobs that a cell does not name.

    Returns
    -------
    FirstRun, list of FirstRun
        The one to take, which is the first where none after it is safe; and all, in order.
    """
    taken, runs = first, [first]

    def run(knobs: dict[str, Any], name: str) -> FirstRun:
        """Run with other knobs; the one to take."""
        assert taken.cell is not None and taken.references is not None
        job = SweepJob(problem, features, labels, taken.chains, seed, (taken.cell.rows,), taken.references)
        cell = run_cell(job, settings_of(taken.cell, settings).replace(**knobs), 0)
        runs.append(replace(taken, cell=cell))
        return runs[-1] if judge(runs[-1]) == "safe" and within(cell, name) else taken

    assert first.cell is not None
    if knobs := mended(first.cell, judge(first)):
        taken = run(knobs, "memory")
        missed = runs[-1].cell
        if taken is first and missed is not None and judge(runs[-1]) in ("safe", "cold"):  # what it measured says how far
            taken = run(mended(missed, "cold") or knobs, "memory")
    if len(runs) < MOST and taken.cell is not None and judge(taken) == "safe" and within(taken.cell, "width"):
        taken = run(stepped(taken.cell, LONGER), "width")
    return taken, runs
