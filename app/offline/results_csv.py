"""What the page's cards save as CSV."""

from __future__ import annotations

from app.csv_text import result_rows
from app.offline.ladder_run import LadderRun
from app.offline.race_words import Race
from app.offline.wasserstein_race_job import GaussianRace


def race_csv(race: Race | None) -> str:
    """Return the curves as CSV, one row a sampler and pass, points beside their lines."""
    if race is None:
        return ""
    rows = []
    for curve in race.curves.values():
        name = [curve.name, curve.step_size]
        if isinstance(race, GaussianRace):
            rows += [[*name, p, "exact", v, None, None] for p, v in zip(curve.passes, curve.exact, strict=True)]
            rows += [[*name, p, "chains", v, a, b] for p, v, a, b in zip(
                curve.point_passes, curve.points, curve.low, curve.high, strict=True)]
        else:
            rows += [[*name, p, "mean", v, v - s, v + s] for p, v, s in zip(
                curve.passes, curve.mean, curve.deviation, strict=True)]
    return result_rows(["sampler", "step_size", "passes", "kind", "value", "low", "high"], rows)


def rungs_csv(run: LadderRun | None) -> str:
    """Return one row a rung: temperature, steps, gradients, accuracy, its ceiling."""
    if run is None:
        return ""
    rows = []
    for rung in range(min(run.rungs, max(run.last, 0) // run.per_rung)):
        frame = (rung + 1) * run.per_rung
        truth = run.truths[rung] if rung < len(run.truths) else None
        exact = (None, None) if truth is None else (truth.ceiling, truth.ceiling_sd)
        rows.append([rung + 1, run.betas[rung], run.steps[frame], run.evaluations[frame], run.accuracy(rung), *exact])
    return result_rows(["rung", "beta", "steps", "gradients_a_chain", "accuracy", "exact_draws", "exact_draws_sd"], rows)
