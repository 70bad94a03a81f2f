"""Rows of the page's tables, and what its cards save as CSV."""

from __future__ import annotations

import math

from app.csv_text import result_rows
from app.number_words import scientific
from app.offline.ladder_run import LadderRun
from app.offline.race_samplers import NAMES, columns_of_passes, mark_and_token, passes_words
from app.offline.race_words import Race, level_of
from app.offline.wasserstein_race_job import TABLE_PASSES, TABLE_SAMPLERS, TABLE_SIZES, GaussianRace


def columns(race: Race | None) -> list[list[str]]:
    """Columns of the race's table."""
    level = None if race is None else level_of(race)
    unit, end = ("W₂", 5.0) if race is None else (race.unit, race.config.passes)
    return [["step", "step\nsize", "η, for CV-ULD the time δ of a step"],
            ["moves", "moves\nfrom", "Passes spent on the table or the first anchor"],
            *[[f"at{i}", f"{unit} at\n{passes_words(p)}", "Over the chains' law" if unit == "W₂" else "Mean over chains"]
              for i, p in enumerate(columns_of_passes(end))],
            ["reach", f"passes to\n≤ {level:.4g}" if level else "passes to\na level", "First time there"]]


def rows(race: Race) -> list[list]:
    """Rows of the race's table."""
    level, made = level_of(race), []
    for trace, curve in zip(race.traces, race.curves.values(), strict=True):
        first = _first(trace.key, race)
        reached = None if level is None else trace.reached(level)
        cells = [[scientific(curve.step_size), curve.step_size], [f"{first:.2g}", first]]
        for p in columns_of_passes(race.config.passes):
            value = float(trace.at(p)) if p <= trace.x[-1] * (1 + 1e-9) else math.nan
            cells.append([_number(value), value if math.isfinite(value) else None])
        cells.append(["never" if reached is None else f"{reached:.2f}", reached])
        made.append([trace.key, trace.label, *mark_and_token(trace.key), False, cells])
    return made


def _first(key: str, race: Race) -> float:
    """Passes after which a sampler moves."""
    n = race.n
    return {"sgld": 0.0, "plus": race.config.anchor_batch / n, "half": max(1, n // 2) / n}.get(key, 1.0)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "∞" if value == math.inf else "–"
    return f"{value:.4f}" if value < 10 else f"{value:.3g}"


def table_columns() -> list[list[str]]:
    """Columns of the best-step table."""
    return [[f"{n}-{p}", f"{n:,}\n{p}", f"W₂ after {p} passes over n = {n:,} data, with the best step size of this cell"]
            for n in TABLE_SIZES for p in TABLE_PASSES]


def table_rows(table: dict[tuple[str, int, int], tuple[float, float]]) -> list[list]:
    """Rows of the best-step table, from `best_steps`."""
    made = []
    for key in TABLE_SAMPLERS:
        values = [table[key, n, p][0] for n in TABLE_SIZES for p in TABLE_PASSES]
        name = "SVRG-LD+, B = n/5" if key == "plus" else NAMES[key]
        made.append([key, name, *mark_and_token(key), False, [[_number(value), value] for value in values]])
    return made


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
