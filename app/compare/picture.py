"""What the thread has found so far: races, Figure 1 and the tables, immutable."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.compare.config import CompareConfig
from sampler.racing import EpochCost, FigureOne, Growth, RaceCurve, RaceSetup

SHORT = 0.045
"""How far below its ceiling an accuracy counts as reached: 0.90 for 1,000 chains."""


@dataclass(frozen=True, eq=False)
class RacePicture:
    """A race as it stands."""

    config: CompareConfig  #: as it was run
    ground: RaceSetup | None = None
    curves: dict[str, RaceCurve] = field(default_factory=dict)
    costs: dict[str, EpochCost] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  #: what a reader must know about the data
    seconds: float = 0.0  #: since it began
    raced: bool = False  #: every curve is finished

    @property
    def level(self) -> float:
        """Accuracy that counts as reached: 0.90, or as far below the ceiling when that is lower."""
        if self.ground is None:
            return 0.9
        return min(0.9, int((self.ground.ceiling.mean - SHORT + 0.002) * 100) / 100)

    @property
    def spent(self) -> float:
        """Most evaluations a chain has spent; 0 before the first mark."""
        return max((float(c.evaluations[-1]) for c in self.curves.values() if c.evaluations.size), default=0.0)

    def reached(self) -> dict[str, float]:
        """Return sampler -> evaluations it took to the level, for those that got there."""
        found = {key: curve.reaches(self.level) for key, curve in self.curves.items()}
        return {key: value for key, value in found.items() if value is not None}


@dataclass(frozen=True, eq=False)
class PaperPicture:
    """Figure 1 as it stands; `figure` is None before the first data set is done."""

    steps: int
    figure: FigureOne | None = None


@dataclass(frozen=True, eq=False)
class TablesPicture:
    """Evaluations to reach an accuracy against T."""

    config: CompareConfig
    table: str
    sizes: tuple[int, ...]
    growth: dict[str, Growth] = field(default_factory=dict)
    tried: tuple[str, ...] = ()  #: samplers that were run
