"""What accuracy costs: every setting's accuracy, and what it remembers, against the gradients it asks for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from app.plots.axis_ticks import plain_ticks
from app.plots.lines import Line, Lines, lines
from app.plots.race import ceiling_line
from app.plots.tune import by_key, setting_words
from sampler.tuning import LIMITS, CellKey, algorithm_of, key_of

COST = "gradients an epoch a chain, log scale"
KINDS = {"safe": ("safe", "spots"), "hot": ("hot", "open"), "noisy": ("hot", "open"), "cold": ("cold", "open"),
         "lagging": ("cold", "open"), "narrow": ("cold", "open")}
"""Verdict -> role and mark; every other is grey."""
DEEP = 0.1
"""Below the ceiling by more is not shown: nobody would pay for it."""
ROOM = 0.12
"""Over the spots, of their height, for words."""
HALF = LIMITS["memory"]
"""Share of its last sample that a chain may remember."""


def accuracy_against_cost(cells: object, *, verdicts: Mapping[CellKey, str], chosen: CellKey | None = None) -> Lines:
    """Draw the accuracy of every setting against its cost, and the safe ones that nothing cheaper beats as a line.

    Settings of SAGA-LD are spots, those of the preconditioned algorithm diamonds.

    Parameters
    ----------
    cells : SweepOutcome, or iterable of CellResult
        Those that did not diverge are drawn, faint if they were given up early.
    verdicts : dict of CellKey to str
        The kind of each verdict: a setting off the line may be cheaper and more accurate, but not safe.
    chosen : CellKey, optional
        Ringed.

    Returns
    -------
    Lines
        A tap hands over a CellKey.
    """
    verdicts, chosen = by_key(verdicts), None if chosen is None else CellKey(*chosen)
    shown, last = _run(cells)
    top = max((c.ceiling for c in shown), default=1.0)
    sd = max((c.ceiling_sd for c in shown), default=0.005)
    low, high = max(0.0, top - DEEP), min(1.0, top + max(0.015, 3 * sd))
    seen = [c for c in shown if c.accuracy >= low]
    start, end = _span(shown)
    drawn = [ceiling_line(top, sd, start, end)] if shown else []
    best = front([c for c in seen if c.rung == last and verdicts.get(key_of(c)) == "safe"])
    if best:
        costs, accuracies = (np.array([getattr(c, name) for c in best]) for name in ("cost", "accuracy"))
        drawn.append(Line("safe and not beaten", costs, accuracies, "safe", bold=True, silent=True))
        drawn.append(Line("", np.array([start]), np.array([high + (high - low) * ROOM / 2]), "safe",  # clear of the spots
                          label="safe, and nothing cheaper is better", bold=True, where="beside", silent=True))
    drawn += [_spot(c, c.accuracy, verdicts, f"accuracy {c.accuracy:.3f} ± {2 * c.ceiling_sd:.3f}", last) for c in seen]
    drawn += [Line("looked at", np.array([c.cost]), np.array([c.accuracy]), "exit", "ring", size=13.0, silent=True)
              for c in seen if key_of(c) == chosen]
    return lines(drawn, COST, "marginal accuracy", logx=True, xlim=(start, end), ylim=(low, high + (high - low) * ROOM),
                 xticks=plain_ticks(start, end))


def memory_against_cost(cells: object, *, verdicts: Mapping[CellKey, str], chosen: CellKey | None = None) -> Lines:
    """Draw what an epoch leaves of a chain's last sample against its cost; arguments as for `accuracy_against_cost`."""
    verdicts, chosen = by_key(verdicts), None if chosen is None else CellKey(*chosen)
    shown, last = _run(cells)
    start, end = _span(shown)
    drawn = [Line("half", np.array([start, end]), np.full(2, HALF), "reference", "dash", "too cold\nabove",
                  width=1.2, silent=True)]
    drawn += [_spot(c, max(c.memory, 0.0), verdicts, f"remembers {100 * c.memory:.0f} % of its last sample", last)
              for c in shown]
    drawn += [Line("looked at", np.array([c.cost]), np.array([max(c.memory, 0.0)]), "exit", "ring", size=13.0, silent=True)
              for c in shown if key_of(c) == chosen]
    return lines(drawn, COST, "memory of the last epoch", logx=True, xlim=(start, end), ylim=(0.0, 1.02),
                 xticks=plain_ticks(start, end))


def front(cells: list) -> list:
    """Return the cells that no cheaper one equals in accuracy, by rising cost."""
    kept: list = []
    for cell in sorted(cells, key=lambda c: (c.cost, -c.accuracy)):
        if not kept or cell.accuracy > kept[-1].accuracy:
            kept.append(cell)
    return kept


def _run(cells: object) -> tuple[list, int]:
    """Cells that did not diverge, those given up early first, and the last rung."""
    every = [cell for cell in getattr(cells, "cells", cells) if cell.diverged is None]
    return sorted(every, key=lambda cell: cell.rung), max((cell.rung for cell in every), default=0)


def _span(cells: list) -> tuple[float, float]:
    costs = [c.cost for c in cells] or [10.0, 1000.0]
    return min(costs) / 1.3, max(costs) * 1.3


def _spot(cell, y: float, verdicts: Mapping[CellKey, str], measured: str, last: int) -> Line:
    kind = verdicts.get(key_of(cell), "")
    role, mark = KINDS.get(kind, ("reference", "open"))
    if algorithm_of(cell) != "saga-ld":
        mark = "diamond"
    told = [setting_words(key_of(cell)), measured, f"{cell.cost:,.0f} gradients an epoch",
            f"verdict: {kind or 'none'}", *([] if cell.rung == last else [f"given up after {cell.rows:,} rows"])]
    return Line(kind or "not judged", np.array([cell.cost]), np.array([y]), role, mark, size=7.0, told=["\n".join(told)],
                key=key_of(cell), alpha=1.0 if cell.rung == last else 0.4)
