"""What the page has to show: a race, Figure 1 and the tables, as far as they are known; immutable."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

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
    setup: RaceSetup | None = None  #: None before it is there, and of a shipped result
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
        found = {key: curve.reaches(self.level) for key, curve in self.curves.items()}
        return {key: value for key, value in found.items() if value is not None}


@dataclass(frozen=True, eq=False)
class FigureOneResult:
    """Figure 1 as it stands; `figure` is None before the first data set is done."""

    steps: int
    figure: FigureOne | None = None
    shipped: str = ""


@dataclass(frozen=True, eq=False)
class TablesResult:
    """Evaluations to reach an accuracy against T."""

    config: CompareConfig
    sizes: tuple[int, ...]
    growth: dict[str, Growth] = field(default_factory=dict)
    tried: tuple[str, ...] = ()  #: samplers that were run
    shipped: str = ""

    @property
    def table(self) -> str:
        """Which tables: "online" or "fixed"."""
        return self.config.table


def tables_subject(config: CompareConfig) -> tuple:
    """Return what the tables of a configuration depend on."""
    return config.table, config.problem, config.stream, config.eta0, config.batch_size, config.seed
