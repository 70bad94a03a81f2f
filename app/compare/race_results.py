"""Results of the page, immutable: a race and the tables; and those that are shipped with it, Figure 1 among them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from app.shipped_json import plain, restored, text
from app.state.compare import CompareConfig
from sampler.metrics import Ceiling
from sampler.racing import EpochCost, FigureOne, Growth, RaceCurve, RaceSetup

SHORT = 0.045
"""How far below its ceiling an accuracy counts as reached: 0.90 for 1,000 chains."""


@dataclass(frozen=True)
class RaceFacts:
    """What words and figures need of a race's setup."""

    t: int  #: epoch that is raced
    kind: str  #: of the problem
    ceiling: Ceiling
    noise_share: float  #: SGLD's gradient noise over the injected noise; nan if unknown
    noise_equal_at: float  #: T at which they are equal
    condition: float  #: largest over smallest curvature at the truth's mean

    @classmethod
    def of(cls, setup: RaceSetup) -> RaceFacts:
        """Return the facts of a setup."""
        curvatures = np.linalg.eigvalsh(setup.posterior.hessian(np.asarray(setup.reference.mean, float)))
        return cls(setup.t, setup.problem.kind, setup.ceiling, setup.noise_share, setup.noise_equal_at,
                   float(curvatures[-1] / curvatures[0]))


@dataclass(frozen=True, eq=False)
class RaceResult:
    """A race as it stands."""

    config: CompareConfig  #: as it was run
    facts: RaceFacts | None = None
    curves: dict[str, RaceCurve] = field(default_factory=dict)
    costs: dict[str, EpochCost] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  #: what a reader must know about the data
    seconds: float = 0.0  #: since it began
    raced: bool = False  #: every curve is finished
    shipped: str = ""  #: of a result that came with the page: how it was made

    @property
    def level(self) -> float:
        """Accuracy that counts as reached: 0.90, or as far below the ceiling when that is lower."""
        if self.facts is None:
            return 0.9
        return min(0.9, int((self.facts.ceiling.mean - SHORT + 0.002) * 100) / 100)

    @property
    def spent(self) -> float:
        """Most evaluations a chain has spent; 0 before the first mark."""
        return max((float(c.evaluations[-1]) for c in self.curves.values() if c.evaluations.size), default=0.0)

    def reached(self) -> dict[str, float]:
        """Return sampler -> evaluations it took to the level, for those that got there."""
        crossings = {key: curve.reaches(self.level) for key, curve in self.curves.items()}
        return {key: evaluations for key, evaluations in crossings.items() if evaluations is not None}


BOUNDS = {
    "online": {"saga": "polylog(T)", "sgld_quiet": "T", "ula": "T", "mala": "–", "rwm": "T", "saga_fixed": "T",
               "cv_uld": "T"},
    "fixed": {"ladder": "T + poly, LMV", "saga_fixed": "T + poly", "svrg": "n + √n, ZXG", "svrg_plus": "(n + √n) ∧ σ², ZXG",
              "cv_uld": "T + poly", "sgld_quiet": "T × poly; σ²/ε², ZXG", "ula": "T × poly", "rwm": "T × poly"},
}
"""Samplers of each table, and what LMV Tables 1 and 2 and ZXG Table 1 say of them."""


@dataclass(frozen=True, eq=False)
class TablesResult:
    """Evaluations to reach an accuracy against T."""

    config: CompareConfig
    sizes: tuple[int, ...]
    growth: dict[str, Growth] = field(default_factory=dict)
    tried: tuple[str, ...] = ()  #: samplers that were run


def tables_subject(config: CompareConfig) -> tuple:
    """Return what the tables of a configuration depend on."""
    return config.table, config.problem, config.stream, config.eta0, config.batch_size, config.seed


FILE = Path(__file__).with_name("shipped_results.json")


def to_json(race: RaceResult, figure: FigureOne, tables: Sequence[TablesResult], made: str) -> str:
    """Return results as text, numbers with six digits; `made` says how they were made."""
    return text(plain({
        "made": made,
        "race": {"facts": race.facts, "warnings": race.warnings, "seconds": race.seconds,
                 "curves": [plain(curve, "samples") for curve in race.curves.values()], "costs": list(race.costs.values())},
        "figure_one": figure,
        "tables": [{"table": one.table, "sizes": one.sizes, "tried": one.tried, "growth": list(one.growth.values())}
                   for one in tables]}))


@cache
def shipped_results() -> tuple[RaceResult, FigureOne, tuple[TablesResult, ...]]:
    """Return the race and Figure 1 that the page opens on, and both tables."""
    shipped = json.loads(FILE.read_text(encoding="utf-8"))
    race, facts, config = shipped["race"], shipped["race"]["facts"], CompareConfig()
    return (
        RaceResult(config, RaceFacts(**facts | {"ceiling": Ceiling(**facts["ceiling"])}),
                   {one["key"]: RaceCurve(**restored(one)) for one in race["curves"]},
                   {one["key"]: EpochCost(**restored(one)) for one in race["costs"]},
                   tuple(race["warnings"]), race["seconds"], True, shipped["made"]),
        FigureOne(**restored(shipped["figure_one"])),
        tuple(TablesResult(config.replace(table=one["table"]), tuple(one["sizes"]),
                           {row["key"]: Growth(**restored(row)) for row in one["growth"]}, tuple(one["tried"]))
              for one in shipped["tables"]))
