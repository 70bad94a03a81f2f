"""`CompareConfig`: everything that defines a race and its picture, in one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.compare.problems import CORESET, PROBLEMS
from app.compare.samplers import LOOKS, USUAL
from sampler import Settings

LIMITS: dict[str, tuple[float, float]] = {
    "t": (20, 10_000),
    "eta0": (0.0001, 30.0),
    "batch_size": (1, 1024),
    "evaluations": (1_000, 10_000_000),
    "seconds": (0.00001, 1.0),
    "chains": (50, 4_000),
    "seed": (0, 999_999),
}
"""Range of each knob, both ends included."""

BUDGETS = ("evaluations", "seconds")
AXES = ("evaluations", "seconds", "t")
SCALES = ("log", "linear")
VIEWS = ("race", "paper", "tables")
TABLES = ("online", "fixed")
STEPS = (100, 300, 1_000, 3_000)
"""Budgets of Figure 1: SAGA-LD's steps in the last epoch."""
MEMORY = 4_000_000
"""Chains times data, at most: a cache of 16 bytes each."""


@dataclass(frozen=True)
class CompareConfig:
    """A race at epoch T, and how it is shown."""

    problem: str = "logistic21"  #: key of PROBLEMS, or "coreset"
    stream: str = "paper"
    t: int = 1_000  #: T, epoch that is raced
    eta0: float = 0.1  #: SAGA-LD's
    batch_size: int = 64
    budget: str = "evaluations"  #: what each sampler may spend: "evaluations" or "seconds"
    evaluations: int = 300_000  #: gradient evaluations a chain
    seconds: float = 0.002  #: of one core, a chain
    chains: int = 1_000
    seed: int = 4
    samplers: tuple[str, ...] = USUAL
    axis: str = "evaluations"
    scale: str = "log"
    view: str = "race"  #: what heads the page: "race", "paper" or "tables"
    steps: int = 300  #: of Figure 1
    table: str = "online"  #: "online" or "fixed" data

    def replace(self, **changes: object) -> CompareConfig:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    @property
    def settings(self) -> Settings:
        """SAGA-LD's knobs."""
        offset = PROBLEMS[self.problem].offset if self.problem in PROBLEMS else 1.0
        return Settings(eta0=self.eta0, batch_size=self.batch_size, offset=offset)

    @property
    def paper_step(self) -> bool:
        """Whether the steps are LMV-n section 5's."""
        return self.problem == "logistic21" and abs(self.eta0 - 0.1) < 1e-12

    @property
    def raced(self) -> CompareConfig:
        """The same without what only the picture needs: two of these are equal when the same race is meant."""
        return self.replace(samplers=(), axis="evaluations", scale="log", view="race", steps=STEPS[0], table="online")

    def on_problem(self, problem: str, eta0: float | None = None) -> CompareConfig:
        """Return the same race on another problem, with the step and batch that suit it."""
        if problem == CORESET:
            return self.replace(problem=problem, eta0=eta0 or self.eta0, batch_size=9, chains=min(self.chains, 200))
        choice = PROBLEMS[problem]
        return self.replace(problem=problem, eta0=choice.eta0, batch_size=choice.batch_size,
                            chains=CompareConfig().chains)

    def on(self, key: str, on: bool) -> CompareConfig:
        """Return a copy with a sampler switched."""
        return self.replace(samplers=tuple(k for k in LOOKS if (k in self.samplers or k == key) and (on or k != key)))
