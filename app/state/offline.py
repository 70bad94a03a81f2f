"""`OfflineState`: user settings of the Offline page: a temperature ladder, two races, and the selected view."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.state.offline_races import (
    DEFAULT_RACES,
    GAUSSIAN,
    LIKELIHOOD,
    GaussianConfig,
    GaussianState,
    LikelihoodConfig,
    LikelihoodState,
)
from app.state.page_state import Frozen, PageState, frozen_copy_of
from app.state.parameters.knob import Axes, Choice, Knob
from app.state.parameters.knob_values import LinkReader, written

DIMS = {"plane": 2, "many": 21}
SPEEDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Rungs per second of the animation."""


class LadderState(PageState):
    """Settings of Algorithm 3 on one data set, and of its display."""

    target = Choice("plane", ["plane", "many"], "target", "Number of coordinates, with the intercept.", key="otarget")
    terms = Knob(1024, 16, 16_384, "data", "Number of terms f₁, …, f_T. The ladder has ⌈log₂T + 1⌉ rungs.", symbol="T",
                 plain="T", key="oT", whole=True)
    eta0 = Knob(1.0, 0.001, 20.0, "step size", "Step size η₀/(βT) at a rung: the drift of a step is the same at every"
                " temperature.", symbol="η<sub>0</sub>", plain="η₀", key="oeta")
    batch_size = Knob(9, 1, 1000, "batch per step", "Gradients evaluated at each step.", symbol="b", plain="b", key="ob",
                      whole=True)
    i_max = Knob(100, 10, 20_000, "steps a rung", "Steps at each temperature. η₀ λ iₘₐₓ/T should be 5 or more for the"
                 " least curvature λ.", symbol="i<sub>max</sub>", plain="iₘₐₓ", key="oi", whole=True)
    chains = Knob(256, 16, 1000, "chains", "Independent chains.", plain="chains", key="ok", whole=True)
    start = Knob(10.0, 0.0, 1000.0, "cold start at", "Distance from zero of the common start of all chains;"
                 " lowest: draws from the prior.", symbol="ρ", plain="ρ", key="ox", scale="log1p", lowest="prior")
    seed = Knob(1, 0, 999_999, "seed", "Same seed, same data and same chains.", plain="seed", key="os", scale="none",
                whole=True)
    speed = Choice(2, list(range(len(SPEEDS))), "speed", "Index of the rungs per second.", key="ospeed",
                   tokens=tuple(map(written, SPEEDS)))
    zoom = Choice("follow", ["follow", "fixed"], "window", "Whether the window shrinks with the target.", key="ozoom")
    axes = Axes((0, 1), key="oaxes", doc="Plotted coordinates.")

    def choose_target(self, target: str) -> None:
        """Set the target and load its default knobs; the display parameters are kept."""
        if target != self.target:
            self.base = DEFAULT_LADDERS[target]
            self.load(self.base.replace(speed=self.speed, zoom=self.zoom))

    @classmethod
    def read_query(cls, link: LinkReader, base: Any) -> Any:
        """Return the ladder in a link, with the target's defaults for the missing values."""
        target = cls.param.target.from_link(link, base.target)
        base = base if target == base.target else DEFAULT_LADDERS[target]
        read = {name: knob.from_link(link, getattr(base, name)) for name, knob in cls.linked().items()
                if name not in ("target", "axes")}
        axes = cls.param.axes.from_link(link, base.axes, base.dim)
        return base.replace(**read, axes=(0, 1) if base.dim == 2 and axes == "principal" else axes)


@frozen_copy_of(LadderState)
class LadderConfig(Frozen):
    """Configuration of Algorithm 3 on one data set, for a worker."""

    @property
    def dim(self) -> int:
        """Number of coordinates d, with the intercept."""
        return DIMS[self.target]

    @property
    def run(self) -> LadderConfig:
        """Copy with default display parameters, equal for equal runs."""
        return self.replace(speed=0, zoom="follow", axes=(0, 1))


DEFAULT_LADDERS = {"plane": LadderConfig(),
                   "many": LadderConfig(target="many", eta0=0.5, batch_size=16, i_max=1250, chains=128)}


LADDER = "ladder"
VIEWS = (LADDER, GAUSSIAN, LIKELIHOOD)


@dataclass(frozen=True)
class OfflineConfig(Frozen):
    """Configurations of the three views, and the selected view."""

    view: str = LADDER
    ladder: LadderConfig = field(default_factory=LadderConfig)
    w2: GaussianConfig = field(default_factory=GaussianConfig)
    nll: LikelihoodConfig = field(default_factory=LikelihoodConfig)


class OfflineState(PageState):
    """The selected view; `ladder`, `w2` and `nll` are the states of the three views."""

    Record = OfflineConfig
    view = Choice(LADDER, VIEWS, "Experiment", key="oview")

    def __init__(self, **params: Any) -> None:
        self.ladder = LadderState(base=DEFAULT_LADDERS["plane"])
        self.w2, self.nll = GaussianState(base=DEFAULT_RACES[GAUSSIAN]), LikelihoodState(base=DEFAULT_RACES[LIKELIHOOD])
        super().__init__(**params)

    def part(self, view: str) -> PageState:
        """Return the state of one view."""
        return getattr(self, view)

    def frozen(self) -> OfflineConfig:
        """Return a copy that never changes."""
        return OfflineConfig(self.view, *(self.part(view).frozen() for view in VIEWS))

    def load(self, record: OfflineConfig) -> None:
        """Set everything from a frozen copy, the selected view last."""
        self.ladder.base = DEFAULT_LADDERS[record.ladder.target]
        for view in VIEWS:
            self.part(view).load(getattr(record, view))
        self.view = record.view

    @classmethod
    def to_query(cls, record: Any) -> dict[str, str]:
        """Return everything except the user's file as URL parameters."""
        return super().to_query(record) | {key: value for view, state in PARTS.items()
                                           for key, value in state.to_query(getattr(record, view)).items()}

    @classmethod
    def read_query(cls, link: LinkReader, base: OfflineConfig) -> OfflineConfig:
        """Return `base` updated from the link."""
        view = cls.param.view.from_link(link, base.view)
        return OfflineConfig(view, *(state.read_query(link, getattr(base, part)) for part, state in PARTS.items()))


PARTS = {LADDER: LadderState, GAUSSIAN: GaussianState, LIKELIHOOD: LikelihoodState}
