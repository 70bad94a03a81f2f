"""Everything that defines what the Offline page shows, in frozen values: a ladder and two races."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

LADDER, GAUSSIAN, LIKELIHOOD = VIEWS = ("ladder", "w2", "nll")

LIMITS: dict[str, tuple[float, float]] = {
    "ladder-terms": (16, 16_384), "ladder-eta0": (0.001, 20.0), "ladder-batch_size": (1, 1000),
    "ladder-i_max": (10, 20_000), "ladder-chains": (16, 1000), "ladder-start": (0.0, 1000.0),
    "ladder-seed": (0, 999_999),
    "w2-n": (50, 50_000), "w2-passes": (0.5, 100.0), "w2-batch_size": (1, 100), "w2-anchor_batch": (1, 50_000),
    "w2-anchor_every": (1, 500_000), "w2-step_size": (1e-7, 1.0), "w2-chains": (0, 5000),
    "w2-seed": (0, 999_999),
    "nll-n": (20, 50_000), "nll-dim": (1, 200), "nll-train": (0.1, 0.95), "nll-prior_precision": (0.0, 1000.0),
    "nll-passes": (0.5, 100.0), "nll-batch_size": (1, 1000), "nll-anchor_batch": (1, 500_000),
    "nll-anchor_every": (1, 500_000), "nll-step_size": (1e-9, 1.0), "nll-chains": (1, 200),
    "nll-seed": (0, 999_999),
}
"""Range of each knob, both ends included."""

TARGETS = {"plane": "Logistic, d = 2", "many": "Logistic, d = 21"}
DIMS = {"plane": 2, "many": 21}
SPEEDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Rungs a second of the animation."""
ZOOMS = ("follow", "fixed")
STEPS = ("best", "common")
SOURCES = ("generated", "file")
AVERAGES = ("path", "position")
GAUSSIAN_DIM = 10


@dataclass(frozen=True)
class LadderConfig:
    """Algorithm 3 on one data set, and how it is looked at."""

    target: str = "plane"
    terms: int = 1024  #: T
    eta0: float = 1.0
    batch_size: int = 9  #: b
    i_max: int = 100
    chains: int = 256
    start: float = 10.0  #: distance of the one point where all chains start; 0 draws from the prior
    seed: int = 1
    speed: int = 2  #: index into SPEEDS
    zoom: str = "follow"
    axes: tuple[int, int] | str = (0, 1)

    def replace(self, **changes: Any) -> LadderConfig:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    @property
    def dim(self) -> int:
        """d, the intercept counted."""
        return DIMS[self.target]

    @property
    def run(self) -> LadderConfig:
        """What a run depends on: the same for every way to look at it."""
        return self.replace(speed=0, zoom="follow", axes=(0, 1))


@dataclass(frozen=True)
class RaceConfig:
    """Samplers on one data set of n terms: a Gaussian average ("w2"), or logistic regression ("nll")."""

    view: str = GAUSSIAN
    n: int = 500  #: terms; training rows of a generated stream
    passes: float = 5.0
    batch_size: int = 1
    anchor_batch: int = 100  #: B of SVRG-LD+
    anchor_every: int | None = None  #: m; None is B/b, for each sampler its own B
    step: str = "best"  #: "best": each its own; "common": step_size for all
    step_size: float = 0.0113
    chains: int = 1000
    seed: int = 1
    samplers: tuple[str, ...] = ("sgld", "saga", "svrg", "plus")
    source: str = "generated"
    dim: int = 20
    train: float = 0.75  #: share of a file's rows
    prior_precision: float = 1.0
    average: str = "path"

    def replace(self, **changes: Any) -> RaceConfig:
        """Return a copy with some fields changed."""
        return replace(self, **changes)


DEFAULT_LADDERS = {"plane": LadderConfig(),
                   "many": LadderConfig(target="many", eta0=0.5, batch_size=16, i_max=1250, chains=128)}
DEFAULT_RACES = {
    GAUSSIAN: RaceConfig(samplers=("sgld", "saga", "svrg", "plus")),
    LIKELIHOOD: RaceConfig(view=LIKELIHOOD, n=3000, passes=10.0, anchor_batch=600, step_size=3e-4, chains=10)}


@dataclass(frozen=True)
class OfflineConfig:
    """The three views and which of them is in front."""

    view: str = LADDER
    ladder: LadderConfig = field(default_factory=LadderConfig)
    w2: RaceConfig = field(default_factory=lambda: DEFAULT_RACES[GAUSSIAN])
    nll: RaceConfig = field(default_factory=lambda: DEFAULT_RACES[LIKELIHOOD])

    def replace(self, **changes: Any) -> OfflineConfig:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def race(self, view: str) -> RaceConfig:
        """Return the race of a view."""
        return self.w2 if view == GAUSSIAN else self.nll
