"""What the page saves as CSV."""

from __future__ import annotations

import csv
import io

from app.compare.config import CompareConfig
from app.compare.picture import PaperPicture, RacePicture, TablesPicture
from app.compare.samplers import name_of


def _text(head: list[str], rows: list[list]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def race_csv(picture: RacePicture | None, config: CompareConfig) -> str:
    """Return one row a point of the curves; with the axis t, one a measured epoch."""
    if picture is None or not picture.curves:
        return ""
    if config.axis == "t":
        return _text(["sampler", "t", "steps", "evaluations", "seconds"], [
            [name_of(key), int(t), cost.steps, e, f"{s:.9g}"] for key, cost in picture.costs.items()
            for t, e, s in zip(cost.t, cost.evaluations, cost.seconds, strict=True)])
    ceiling = picture.ground.ceiling.mean
    return _text(["sampler", "evaluations", "seconds", "steps", "accuracy", "ceiling"], [
        [name_of(key, config.paper_step), f"{e:.10g}", f"{s:.9g}", f"{n:.10g}", f"{a:.6f}", f"{ceiling:.6f}"]
        for key, c in picture.curves.items()
        for e, s, n, a in zip(c.evaluations, c.seconds, c.steps, c.accuracy, strict=True)])


def paper_csv(picture: PaperPicture | None) -> str:
    """Return one row a sampler and data set of Figure 1."""
    figure = None if picture is None else picture.figure
    if figure is None:
        return ""
    return _text(["sampler", "data set", "accuracy", "ceiling", "printed"], [
        [name_of(key, True), i, f"{a:.6f}", f"{figure.ceiling[i]:.6f}", figure.printed.get(key, "")]
        for key, values in figure.accuracy.items() for i, a in enumerate(values)])


def tables_csv(picture: TablesPicture | None) -> str:
    """Return one row a sampler and T."""
    if picture is None or not picture.growth:
        return ""
    return _text(["sampler", "T", "evaluations", "slope"], [
        [key, int(t), f"{e:.10g}", "" if g.slope is None else f"{g.slope:.4f}"]
        for key, g in picture.growth.items() for t, e in zip(g.t, g.evaluations, strict=True)])
