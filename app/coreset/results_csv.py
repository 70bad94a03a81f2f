"""What the page's cards save as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from app.coreset.paper_figure_plan import FigureResult
from app.coreset.result import CoresetResult
from app.csv_text import result_rows

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
