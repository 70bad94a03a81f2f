"""The rows of the table of runs."""

from __future__ import annotations

from app.coreset.chosen_optimizers import marked, with_rate
from app.coreset.result import CoresetResult, RunTrace
from app.number_words import percent, short


def rows(result: CoresetResult) -> list[list]:
    """Return the rows of the table: key, name, mark, token, bold, cells of (text, value)."""
    both, floor = result.config.hot == "both", result.floor_at(result.t)
    found = []
    for trace in result.traces:
        mark, token = marked(trace.key.optimizer)
        found.append([trace.key.text, with_rate(trace.key.optimizer, result.config) + _cold(trace, both),
                      "dash" if both and not trace.key.hot else mark, token, trace.key == result.config.shown,
                      _cells(trace, floor)])
    return found


COLUMNS = [["z", "z²\nEq. 6", "Average squared z-score", "z-score"],
           ["floor", "÷ the\nfloor", "z-score over the least there can be", "floor"],
           ["spread", "variance\nratio", "Coreset over full-data posterior variance: 1 is right. Taken"
            " from the second half of all draws, so weights that still move widen it; exact, at the weights as they are,"
            " where the model is Gaussian", "variance ratio"],
           ["sum", "Σw / N", "Sum of the weights over the number of data"],
           ["zeros", "zero\nweights", "Share of the weights that are zero"],
           ["hot", "trained\nfrom", "Iteration after which the weights are trained", "hot start"],
           ["speed", "iterations\na second", "While it ran, on this machine"],
           ["terms", "likelihood\nterms", "Log-likelihood terms the algorithm needed"]]
"""Of the table."""


def _cold(trace: RunTrace, both: bool) -> str:
    return "" if not both else ", hot" if trace.key.hot else ", cold"


def _cells(trace: RunTrace, floor: float | None) -> list[list]:
    if not trace.t:
        return [["stopped" if trace.fault else "…", None]] + [["", None]] * (len(COLUMNS) - 1)
    over = trace.score / floor if floor else None
    hot = "waiting" if trace.hot_at is None else f"{trace.hot_at:,}" + ("" if trace.passed is not False else ", at the cap")
    speed = trace.t / trace.seconds if trace.seconds else None
    return [[short(trace.score), trace.score], [short(over) if over else "–", over], [short(trace.spread), trace.spread],
            [short(float(trace.sums[-1])), float(trace.sums[-1])], [percent(trace.zeros), trace.zeros],
            [hot, trace.hot_at], [f"{speed:,.0f}" if speed else "–", speed], [short(float(trace.terms)), trace.terms]]
