"""The curves as CSV text."""

from __future__ import annotations

from app.coreset.figure_plan import FigureResult
from app.coreset.picture import CoresetPicture


def curves_csv(picture: CoresetPicture | None) -> str:
    """Return one row a run and iteration: z-score, floor, variance ratio, sum of weights, gradient norm, rates."""
    if picture is None or not any(trace.t for trace in picture.traces):
        return ""
    lines = ["optimizer,hot_start,iteration,z_score,floor,variance_ratio,weight_sum_over_n,gradient_norm,rate_10,rate_50,"
             "rate_90"]
    for trace in picture.traces:
        rates = {int(t): row for t, row in zip(trace.rate_iterations, trace.rates, strict=True)}
        for k, t in enumerate(trace.iterations):
            values = [trace.z[k], picture.floor_at(float(t)) or float("nan"), trace.variance[k], trace.sums[k],
                      trace.norms[k], *rates.get(int(t), [float("nan")] * 3)]
            numbers = ",".join("" if value != value else f"{value:.8g}" for value in values)
            lines.append(f"{trace.key.optimizer},{int(trace.key.hot)},{t},{numbers}")
    return "\n".join(lines) + "\n"


def figure_csv(result: FigureResult | None) -> str:
    """Return one row a point of the figure shown."""
    if result is None or not any(panel.series for panel in result.panels):
        return ""
    lines = ["model,series,x,y"]
    for panel in result.panels:
        for series in panel.series:
            name = series.name.replace('"', "'")
            lines += [f'{panel.key},"{name}",{x:.10g},{y:.8g}' for x, y in zip(series.x, series.y, strict=True)]
    return "\n".join(lines) + "\n"
