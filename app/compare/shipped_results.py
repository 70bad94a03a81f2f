"""Results that come with the page, so that opening it starts nothing; made by ``assets/make_shipped_results.py``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.compare.results import FigureOneResult, RaceFacts, RaceResult, TablesResult
from app.shipped_json import plain, restored, text
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
    return text(plain({
        "made": made,
        "race": {"facts": race.facts, "warnings": race.warnings, "seconds": race.seconds,
                 "curves": [plain(curve, "samples") for curve in race.curves.values()], "costs": list(race.costs.values())},
        "figure_one": figure.figure,
        "tables": [{"table": one.table, "sizes": one.sizes, "tried": one.tried, "growth": list(one.growth.values())}
                   for one in results.tables]}))


@cache
def shipped_results() -> ShippedResults:
    """Return the results that come with the page."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    made, race, facts = found["made"], found["race"], found["race"]["facts"]
    config = CompareConfig()
    figure = FigureOne(**restored(found["figure_one"]))
    return ShippedResults(
        RaceResult(config, None, RaceFacts(**facts | {"ceiling": Ceiling(**facts["ceiling"])}),
                   {one["key"]: RaceCurve(**restored(one)) for one in race["curves"]},
                   {one["key"]: EpochCost(**restored(one)) for one in race["costs"]},
                   tuple(race["warnings"]), race["seconds"], True, made),
        FigureOneResult(figure.steps, figure, made),
        tuple(TablesResult(config.replace(table=one["table"]), tuple(one["sizes"]),
                           {row["key"]: Growth(**restored(row)) for row in one["growth"]}, tuple(one["tried"]), made)
              for one in found["tables"]))
