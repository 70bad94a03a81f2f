"""The rows of the races' tables: sampler by sampler, and the best steps of each cell."""

from __future__ import annotations

import math

from app.number_words import scientific
from app.offline.race_leaders import at, passes, reached
from app.offline.race_samplers import NAMES, mark_and_token
from app.offline.race_words import Race, level_of, lines_of
from app.offline.wasserstein_race_job import TABLE_PASSES, TABLE_SAMPLERS, TABLE_SIZES, BestTable, GaussianRace


def columns(race: Race | None) -> list[list[str]]:
    """Columns of the race's table."""
    level = None if race is None else level_of(race)
    name = "W₂" if race is None or isinstance(race, GaussianRace) else "NLL"
    end = 5.0 if race is None else race.config.passes
    spots = _spots(end)
    return [["step", "step\nsize", "η, for CV-ULD the time δ of a step"],
            ["moves", "moves\nfrom", "Passes spent on the table or the first anchor"],
            *[[f"at{i}", f"{name} at\n{passes(p)}", "Over the chains' law" if name == "W₂" else "Mean over chains"]
              for i, p in enumerate(spots)],
            ["reach", f"passes to\n≤ {level:.4g}" if level else "passes to\na level", "First time there"]]


def rows(race: Race) -> list[list]:
    """Rows of the race's table."""
    level, found = level_of(race), []
    for line, curve in zip(lines_of(race), race.curves.values(), strict=True):
        first = _first(line.key, race, race.n)
        there = None if level is None else reached(line, level)
        cells = [[scientific(curve.step_size), curve.step_size], [f"{first:.2g}", first]]
        for p in _spots(race.config.passes):
            value = float(at(line, p)) if p <= line.x[-1] * (1 + 1e-9) else math.nan
            cells.append([_number(value), value if math.isfinite(value) else None])
        cells.append(["never" if there is None else f"{there:.2f}", there])
        found.append([line.key, line.label, *mark_and_token(line.key), False, cells])
    return found


def _first(key: str, race: Race, n: int) -> float:
    config = race.config
    return {"sgld": 0.0, "saga": 1.0, "plus": config.anchor_batch / n, "half": max(1, n // 2) / n}.get(key, 1.0)


def _spots(end: float) -> list[float]:
    return [p for p in (0.5, 1.0, 2.0, 5.0, 10.0) if p < end * 0.999][-2:] + [float(end)]


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "∞" if value == math.inf else "–"
    return f"{value:.4f}" if value < 10 else f"{value:.3g}"


def table_columns() -> list[list[str]]:
    """Columns of the best-step table."""
    return [[f"{n}-{p}", f"{n:,}\n{p}", f"W₂ after {p} passes over n = {n:,} data, with the best step size of this cell"]
            for n in TABLE_SIZES for p in TABLE_PASSES]


def table_rows(table: BestTable) -> list[list]:
    """Rows of the best-step table, as far as it is known."""
    found = []
    for key in TABLE_SAMPLERS:
        cells = []
        for n in TABLE_SIZES:
            for p in TABLE_PASSES:
                value = table.cells.get((key, n, p))
                cells.append(["…", None] if value is None else [_number(value[0]), value[0]])
        name = "SVRG-LD+, B = n/5" if key == "plus" else NAMES[key]
        found.append([key, name, *mark_and_token(key), False, cells])
    return found
