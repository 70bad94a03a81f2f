"""Rows of the page's table, and what its cards save as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from app.coreset.models import with_rate
from app.coreset.paper_figure_plan import FigureResult
from app.coreset.result import CoresetResult, RunTrace
from app.csv_text import result_rows
from app.number_words import percent, short
from app.plots.looks import optimizer_look


def rows(result: CoresetResult) -> list[list]:
    """Return the rows of the table: key, name, mark, token, bold, cells of (text, value)."""
    both, floor = result.config.hot == "both", result.floor_at(result.t)
    table = []
    for trace in result.traces:
        name, (mark, token) = with_rate(trace.key.optimizer, result.config), optimizer_look(trace.key.optimizer).sign
        if both:
            name, mark = (f"{name}, hot", mark) if trace.key.hot else (f"{name}, cold", "dash")
        table.append([trace.key.text, name, mark, token, trace.key == result.config.shown, _cells(trace, floor)])
    return table


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


def _cells(trace: RunTrace, floor: float | None) -> list[list]:
    if not trace.t:
        return [["stopped" if trace.fault else "…", None]] + [["", None]] * (len(COLUMNS) - 1)
    over = trace.score / floor if floor else None
    hot = "waiting" if trace.hot_at is None else f"{trace.hot_at:,}" + ("" if trace.passed is not False else ", at the cap")
    speed = trace.t / trace.seconds if trace.seconds else None
    return [[short(trace.score), trace.score], [short(over) if over else "–", over], [short(trace.spread), trace.spread],
            [short(float(trace.sums[-1])), float(trace.sums[-1])], [percent(trace.zeros), trace.zeros],
            [hot, trace.hot_at], [f"{speed:,.0f}" if speed else "–", speed], [short(float(trace.terms)), trace.terms]]


CURVES = ("optimizer", "hot_start", "iteration", "z_score", "floor", "variance_ratio", "weight_sum_over_n", "gradient_norm",
          "rate_10", "rate_50", "rate_90")


def curves_csv(result: CoresetResult | None) -> str:
    """Return one row a run and iteration: z-score, floor, variance ratio, sum of weights, gradient norm, rates."""
    if result is None or not any(trace.t for trace in result.traces):
        return ""
    return result_rows(CURVES, _curve_rows(result))


def _curve_rows(result: CoresetResult) -> Iterator[list]:
    for trace in result.traces:
        rates = {int(t): row for t, row in zip(trace.rate_iterations, trace.rates, strict=True)}
        for k, t in enumerate(trace.iterations):
            yield [trace.key.optimizer, int(trace.key.hot), int(t), trace.z[k], result.floor_at(float(t)),
                   trace.variance[k], trace.sums[k], trace.norms[k], *rates.get(int(t), [None] * 3)]


def figure_csv(result: FigureResult | None) -> str:
    """Return one row a point of the figure shown."""
    if result is None or not any(panel.series for panel in result.panels):
        return ""
    return result_rows(["model", "series", "x", "y"], (
        [panel.key, series.name, x, y] for panel in result.panels for series in panel.series
        for x, y in zip(series.x, series.y, strict=True)))
