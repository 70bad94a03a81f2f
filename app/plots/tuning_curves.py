"""Curves of the settings tried on a stream: one row of the map, accuracy against cost, and a rehearsal's predictions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from app.plots.axis_ticks import linear_limits, plain_ticks
from app.plots.lines import Line, Lines, lines
from app.plots.race import ceiling_line
from app.plots.settings_map import ETAS, MEMORY_LIMIT, digits, setting_words, state_of
from sampler.tuning import CellKey, algorithm_of, key_of


def tuning_slice(cells: object, i_max: int, batch_size: int, *,
                 predicted: tuple[Sequence[float], Sequence[float]] | None = None,
                 forecasts: Mapping[CellKey, object] | None = None, states: Mapping[CellKey, str] | None = None,
                 chosen: float | None = None, ceiling: float | None = None, algorithm: str = "saga-ld") -> Lines:
    """Draw the accuracy along one row of the map: measured as dots, predicted as a line.

    Parameters
    ----------
    cells : SweepOutcome, or iterable of CellResult
    i_max, batch_size : int
        The row.
    predicted : (etas, accuracies), optional
        The formula's prediction on a fine grid.
    forecasts, states
        As for `tuning_map`.
    chosen : float, optional
        eta0 marked by a ring.
    ceiling : float, optional
        Score of exact draws if no cell of the row has one.
    algorithm : {"saga-ld", "preconditioned"}

    Returns
    -------
    Lines
        The keys of dots are CellKeys.
    """
    every = [cell for cell in getattr(cells, "cells", cells) if algorithm_of(cell) == algorithm]
    forecasts = {key: one for key, one in (forecasts or {}).items() if key.algorithm == algorithm}
    states, last = states or {}, max((cell.rung for cell in every), default=0)
    run = sorted((c for c in every if c.i_max == i_max and c.batch_size == batch_size and c.diverged is None),
                 key=lambda c: c.eta0)
    tops = [c.ceiling for c in run] or ([] if ceiling is None else [ceiling])
    top = max(tops, default=1.0)
    sd = max([c.ceiling_sd for c in run], default=0.005)
    low, high = max(0.0, top - 0.25), min(1.0, top + max(0.015, 3 * sd))
    etas = sorted({key.eta0 for key in forecasts} | {c.eta0 for c in every}) or [0.1, 1.0]
    half = math.sqrt(etas[1] / etas[0]) if len(etas) > 1 else 1.2
    start, end = etas[0] / half, etas[-1] * half
    drawn = [ceiling_line(top, sd, start, end)] if tops else []
    if predicted is not None:
        x, y = (np.asarray(one, float) for one in predicted)
        drawn.append(Line("predicted", x, np.where(y >= low - 0.05, y, np.nan), "truth", "dash", "predicted", where="beside",
                          width=1.3))
    above = [c for c in run if c.accuracy >= low]
    for c in above:
        done = (states.get(key_of(c)) or state_of(c, last)) == "done"
        forecast = forecasts.get(key_of(c))
        tooltip = [setting_words(key_of(c)), f"measured {c.accuracy:.3f} ± {2 * c.ceiling_sd:.3f}"]
        tooltip += [] if forecast is None else [f"predicted {forecast.accuracy:.3f}"]
        tooltip += [] if done else [f"at {c.rows:,} rows"]
        drawn.append(Line("measured", c.eta0, c.accuracy, "ours", "spots" if done else "open",
                          "measured" if c is above[-1] else "", bold=True, where="beside", size=8.0, bars=True,
                          low=c.accuracy - 2 * c.ceiling_sd, high=c.accuracy + 2 * c.ceiling_sd,
                          tooltip=["\n".join(tooltip)], key=key_of(c)))
    drawn += [Line("looked at", c.eta0, c.accuracy, "exit", "ring", size=13.0, silent=True)
              for c in above if c.eta0 == chosen]
    return lines(drawn, ETAS[algorithm], "marginal accuracy", logx=True, xlim=(start, end), ylim=(low, high),
                 xticks=[(eta, digits(eta)) for eta in etas])


COST = "gradients per epoch and chain, log scale"
KINDS = {"safe": ("safe", "spots"), "hot": ("hot", "open"), "noisy": ("hot", "open"), "cold": ("cold", "open"),
         "lagging": ("cold", "open"), "narrow": ("cold", "open")}
"""Verdict -> role and mark; other verdicts are grey."""
DEEP = 0.1
"""Largest displayed distance below the ceiling; less accurate settings are of no use."""
ROOM = 0.12
"""Space for labels above the spots, as a fraction of the axis."""


def accuracy_against_cost(cells: object, *, verdicts: Mapping[CellKey, str], chosen: CellKey | None = None) -> Lines:
    """Draw the accuracy of every setting against its cost, with the Pareto front of the safe settings as a line.

    Settings of SAGA-LD are spots, those of the preconditioned algorithm diamonds.

    Parameters
    ----------
    cells : SweepOutcome, or iterable of CellResult
        Cells that diverged are omitted, cells that were given up early are pale.
    verdicts : dict of CellKey to str
        The kind of each verdict: a setting off the line may be cheaper and more accurate, but not safe.
    chosen : CellKey, optional
        Setting marked by a ring.

    Returns
    -------
    Lines
        The keys of spots are CellKeys.
    """
    shown, last = _run(cells)
    top = max((c.ceiling for c in shown), default=1.0)
    sd = max((c.ceiling_sd for c in shown), default=0.005)
    low, high = max(0.0, top - DEEP), min(1.0, top + max(0.015, 3 * sd))
    above = [c for c in shown if c.accuracy >= low]
    start, end = _span(shown)
    drawn = [ceiling_line(top, sd, start, end)] if shown else []
    best = front([c for c in above if c.rung == last and verdicts.get(key_of(c)) == "safe"])
    if best:
        costs, accuracies = (np.array([getattr(c, name) for c in best]) for name in ("cost", "accuracy"))
        drawn.append(Line("safe and not beaten", costs, accuracies, "safe", bold=True, silent=True))
        drawn.append(Line("", start, high + (high - low) * ROOM / 2, "safe",  # clear of the spots
                          label="safe, and nothing cheaper is better", bold=True, where="beside", silent=True))
    drawn += _spots([(c, c.accuracy, f"accuracy {c.accuracy:.3f} ± {2 * c.ceiling_sd:.3f}") for c in above], verdicts, last,
                    chosen)
    return lines(drawn, COST, "marginal accuracy", logx=True, xlim=(start, end), ylim=(low, high + (high - low) * ROOM),
                 xticks=plain_ticks(start, end))


def memory_against_cost(cells: object, *, verdicts: Mapping[CellKey, str], chosen: CellKey | None = None) -> Lines:
    """Draw the memory of the last epoch's sample against cost; arguments as for `accuracy_against_cost`."""
    shown, last = _run(cells)
    start, end = _span(shown)
    drawn = [Line("half", (start, end), MEMORY_LIMIT, "reference", "dash", "too cold\nabove", width=1.2, silent=True)]
    drawn += _spots([(c, max(c.memory, 0.0), f"memory of the last sample {100 * c.memory:.0f} %") for c in shown],
                    verdicts, last, chosen)
    return lines(drawn, COST, "memory of the last epoch", logx=True, xlim=(start, end), ylim=(0.0, 1.02),
                 xticks=plain_ticks(start, end))


def front(cells: list) -> list:
    """Return the Pareto front by increasing cost: cells more accurate than every cheaper cell."""
    best: list = []
    for cell in sorted(cells, key=lambda c: (c.cost, -c.accuracy)):
        if not best or cell.accuracy > best[-1].accuracy:
            best.append(cell)
    return best


def _run(cells: object) -> tuple[list, int]:
    """Return the cells that did not diverge, in order of their rungs, and the last rung."""
    every = [cell for cell in getattr(cells, "cells", cells) if cell.diverged is None]
    return sorted(every, key=lambda cell: cell.rung), max((cell.rung for cell in every), default=0)


def _span(cells: list) -> tuple[float, float]:
    costs = [c.cost for c in cells] or [10.0, 1000.0]
    return min(costs) / 1.3, max(costs) * 1.3


def _spots(cells: list[tuple], verdicts: Mapping[CellKey, str], last: int, chosen: CellKey | None) -> list[Line]:
    """Return a spot for each (cell, y, text of the measurement), and a ring around the chosen one."""
    spots, rings = [], []
    for cell, y, measured in cells:
        key = key_of(cell)
        kind, whole = verdicts.get(key, ""), cell.rung == last
        role, mark = KINDS.get(kind, ("reference", "open"))
        if key.algorithm != "saga-ld":
            mark = "diamond"
        tooltip = [setting_words(key), measured, f"{cell.cost:,.0f} gradients per epoch", f"verdict: {kind or 'none'}"]
        tooltip += [] if whole else [f"given up after {cell.rows:,} rows"]
        spots.append(Line(kind or "not judged", cell.cost, y, role, mark, size=7.0, tooltip=["\n".join(tooltip)], key=key,
                          alpha=1.0 if whole else 0.4))
        if key == chosen:
            rings.append(Line("looked at", cell.cost, y, "exit", "ring", size=13.0, silent=True))
    return spots + rings


SMOOTH = 12
"""Number of blocks in the rolling mean of the score."""


def log_scores(t: np.ndarray, score: np.ndarray, alarms: Iterable[float] = ()) -> Lines:
    """Draw the predictive log score of each block of rows, its rolling mean, and drift alarms as vertical lines.

    Parameters
    ----------
    t, score : (n,) arrays
        Last row of each block, and its mean log score before it was learnt; nan if missing.
    alarms : iterable of float
        Rows of drift alarms.
    """
    t, score = np.asarray(t, float), np.asarray(score, float)
    t, score = t[np.isfinite(score)], score[np.isfinite(score)]
    if not t.size:
        return lines([], "row t", "mean log score", xlim=(0.0, 1.0), ylim=(-1.0, 0.0))
    kernel = min(SMOOTH, len(score))
    rolling = np.convolve(score, np.ones(kernel) / kernel, "valid")
    low, high = linear_limits([np.clip(score, np.quantile(score, 0.02), None)], 0.1, 0.05)
    drawn = [Line("blocks", t, score, "ours", "spots", alpha=0.35, size=4.0, silent=True),
             Line("mean log score", t[kernel - 1:], rolling, "ours", label=f"mean {rolling[-1]:.3f}".replace("-", "−"),
                  bold=True, width=1.4)]
    drawn += [Line("drift alarm", at, (low, high), "exit", label="drift alarm" * (k == 0),
                   bold=True, where="beside", width=1.4, tooltip=[f"drift alarm at row {at:,.0f}"] * 2)
              for k, at in enumerate(alarms)]
    return lines(drawn, "row t", "mean log score", xlim=(0.0, float(t[-1])), ylim=(low, high))


def calibration(predicted: np.ndarray, observed: np.ndarray, words: str = "predicted probability") -> Lines:
    """Draw a reliability diagram: observed frequency against predicted probability; the diagonal is calibrated.

    Parameters
    ----------
    predicted, observed : (n,) arrays
        In [0, 1].
    words : str
        Label of the x axis.
    """
    ends = np.array([0.0, 1.0])
    drawn = [Line("calibrated", ends, ends, "reference", "dash", "calibrated", width=1.3, silent=True)]
    if len(predicted):
        tooltip = [f"predicted {a:.2f}\nobserved {b:.2f}" for a, b in zip(predicted, observed, strict=True)]
        drawn.append(Line("observed", predicted, observed, "ours", dots=True, size=7.0, width=2.0, tooltip=tooltip))
    return lines(drawn, words, "observed", xlim=(-0.012, 1.012), ylim=(-0.012, 1.012))
