"""What a run of the advised setting asks for: epochs and a step of another length, and why, in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sampler.tuning.advisor import WITHIN
from sampler.tuning.sweep_cell import CellResult
from sampler.tuning.verdicts.measurements import LIMITS
from sampler.tuning.verdicts.rules import travel

WORTH = 0.8
"""Share of the length from which shorter epochs are run: what is closer saves too little."""
SHORTEST = 0.25
"""Share of the length that they are at least: a memory that asks for less is known too badly."""
MOST_RUNS = 3
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


@dataclass(frozen=True)
class Asked:
    """A run that the runs before it ask for.

    Attributes
    ----------
    cell : CellResult
        Whose setting is changed.
    knobs : dict
        The change, for `Settings.replace`.
    limited : {"memory", "width"}
        The measurement that has to be `within` its limit for the run to be taken.
    why : str
        The reason, and the change, in words: no sentence.
    """

    cell: CellResult
    knobs: dict[str, Any]
    limited: str
    why: str


def next_run(cells: Sequence[CellResult], verdicts: Sequence[str], limited: Sequence[str]) -> Asked | None:
    """Return what the runs so far ask for, or None.

    `mended` first, whose memory has to be `within` its limit. Where it is not, the same once more by what that one measured;
    else, where the width of the one that is taken is within its limit, a longer step, whose width has to be as well.

    Parameters
    ----------
    cells : sequence of CellResult
        The advised setting's first.
    verdicts : sequence of str
        `Verdict.kind` of each.
    limited : sequence of str
        `Asked.limited` of each after the first.
    """
    last, kind, taken = cells[-1], verdicts[-1], taken_of(cells, verdicts, limited)
    if len(cells) == MOST_RUNS or "width" in limited:
        return None
    missed = len(cells) > 1 and taken == 0 and kind in ("safe", "cold")  # what it measured says how far
    if len(cells) == 1 or missed:
        verdict = "cold" if missed else kind
        if knobs := mended(last, verdict):
            return Asked(last, knobs, "memory", _why_mended(last, verdict, knobs))
    cell = cells[taken]
    if verdicts[taken] != "safe" or not within(cell, "width"):
        return None
    knobs = stepped(cell, LONGER)
    return Asked(cell, knobs, "width", f"a width of {cell.widest:.2f} times the target's leaves room for a longer step, "
                                       f"eta0 = {knobs['eta0']:g} with i_max = {knobs['i_max']:,}")


def taken_of(cells: Sequence[CellResult], verdicts: Sequence[str], limited: Sequence[str]) -> int:
    """Return the index of the run to take: the last safe one `within` its limit, or the first where none after it is.

    Parameters
    ----------
    cells, verdicts, limited
        As for `next_run`.
    """
    good = [i for i, name in enumerate(limited, 1) if verdicts[i] == "safe" and within(cells[i], name)]
    return good[-1] if good else 0


def _why_mended(cell: CellResult, verdict: str, knobs: dict[str, Any]) -> str:
    """Return why a cell's knobs are changed so."""
    if "eta0" in knobs:
        return f"its step is too long: half of it, eta0 = {knobs['eta0']:g} with i_max = {knobs['i_max']:,}"
    longer = "longer" if verdict == "cold" else "shorter"
    return f"it remembers {100 * cell.memory:.0f} % of where it began: {longer} epochs, i_max = {knobs['i_max']:,}"
