"""Results that come with the page, so that opening it starts nothing; made by ``assets/make_shipped_results.py``."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from app.compare.results import FigureOneResult, RaceFacts, RaceResult, TablesResult
from app.state.compare import CompareConfig
from sampler.metrics import Ceiling
from sampler.racing import EpochCost, FigureOne, Growth, RaceCurve

FILE = Path(__file__).with_name("shipped_results.json")


@dataclass(frozen=True, eq=False)
class ShippedResults:
    """The race and Figure 1 that the page opens on, and both tables."""

    race: RaceResult
    figure_one: FigureOneResult
    tables: tuple[TablesResult, ...]


def to_json(results: ShippedResults, made: str) -> str:
    """Return results as text, numbers with six digits; `made` says how they were made."""
    race, figure = results.race, results.figure_one
    return json.dumps(_plain({
        "made": made,
        "race": {"facts": race.facts, "warnings": race.warnings, "seconds": race.seconds,
                 "curves": list(race.curves.values()), "costs": list(race.costs.values())},
        "figure_one": figure.figure,
        "tables": [{"table": one.table, "sizes": one.sizes, "tried": one.tried, "growth": list(one.growth.values())}
                   for one in results.tables]}), ensure_ascii=False, separators=(",", ":")).replace('],"', '],\n"') + "\n"


@cache
def shipped_results() -> ShippedResults:
    """Return the results that come with the page."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    made, race, facts = found["made"], found["race"], found["race"]["facts"]
    config = CompareConfig()
    figure = _record(FigureOne, found["figure_one"])
    return ShippedResults(
        RaceResult(config, None, RaceFacts(**facts | {"ceiling": Ceiling(**facts["ceiling"])}),
                   {one["key"]: _record(RaceCurve, one) for one in race["curves"]},
                   {one["key"]: _record(EpochCost, one) for one in race["costs"]},
                   tuple(race["warnings"]), race["seconds"], True, made),
        FigureOneResult(figure.steps, figure, made),
        tuple(TablesResult(config.replace(table=one["table"]), tuple(one["sizes"]),
                           {row["key"]: _record(Growth, row) for row in one["growth"]}, tuple(one["tried"]), made)
              for one in found["tables"]))


def _plain(value: Any) -> Any:
    """Return what JSON can hold: arrays as lists, nan as null."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(one) for one in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def _record(kind: type, values: dict[str, Any]) -> Any:
    """Return a record whose lists are arrays and whose nulls are nan."""
    return kind(**{name: _restored(value) for name, value in values.items()})


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _restored(one) for key, one in value.items()}
    return np.array(value, float) if isinstance(value, list) else np.nan if value is None else value
