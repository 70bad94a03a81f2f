"""What the page's cards save as CSV."""

from __future__ import annotations

from app.compare.results import FigureOneResult, RaceResult, TablesResult
from app.compare.sampler_names import PAPER, name_of
from app.csv_text import result_rows
from app.plots.sampler_looks import look_of
from app.state.compare import CompareConfig


def race_csv(result: RaceResult | None, config: CompareConfig) -> str:
    """Return one row a point of the curves; with the axis t, one a measured epoch."""
    if result is None or not result.curves:
        return ""
    if config.axis == "t":
        return result_rows(["sampler", "t", "steps", "evaluations", "seconds"], (
            [name_of(key, config), int(t), cost.steps, e, s] for key, cost in result.costs.items()
            for t, e, s in zip(cost.t, cost.evaluations, cost.seconds, strict=True)))
    ceiling = result.facts.ceiling.mean
    return result_rows(["sampler", "evaluations", "seconds", "steps", "accuracy", "ceiling"], (
        [name_of(key, config), e, s, n, a, ceiling]
        for key, c in result.curves.items()
        for e, s, n, a in zip(c.evaluations, c.seconds, c.steps, c.accuracy, strict=True)))


def figure_one_csv(result: FigureOneResult | None) -> str:
    """Return one row a sampler and data set of Figure 1."""
    figure = None if result is None else result.figure
    if figure is None:
        return ""
    return result_rows(["sampler", "data set", "accuracy", "ceiling", "printed"], (
        [look_of(key, PAPER).name, i, a, figure.ceiling[i], figure.printed.get(key)]
        for key, values in figure.accuracy.items() for i, a in enumerate(values)))


def tables_csv(result: TablesResult | None) -> str:
    """Return one row a sampler and T."""
    if result is None or not result.growth:
        return ""
    return result_rows(["sampler", "T", "evaluations", "slope", "slope standard error"], (
        [key, int(t), e, g.slope, g.slope_error]
        for key, g in result.growth.items()
        for t, e in zip(g.t, g.evaluations, strict=True)))
