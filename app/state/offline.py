"""What the user can set on the Offline page: a ladder of temperatures, two races, and which of the three is in front."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.state.offline_ladder import DEFAULT_LADDERS, LadderConfig, LadderState
from app.state.offline_races import (
    DEFAULT_RACES,
    GAUSSIAN,
    LIKELIHOOD,
    GaussianConfig,
    GaussianState,
    LikelihoodConfig,
    LikelihoodState,
)
from app.state.page_state import Frozen, PageState
from app.state.parameters.knob import Choice
from app.state.parameters.url_reader import LinkReader

LADDER = "ladder"
VIEWS = (LADDER, GAUSSIAN, LIKELIHOOD)


@dataclass(frozen=True)
class OfflineConfig(Frozen):
    """The three views and which of them is in front."""

    view: str = LADDER
    ladder: LadderConfig = field(default_factory=LadderConfig)
    w2: GaussianConfig = field(default_factory=GaussianConfig)
    nll: LikelihoodConfig = field(default_factory=LikelihoodConfig)

    def part(self, view: str) -> Any:
        """Return what one view shows."""
        return getattr(self, view)


class OfflineState(PageState):
    """Which view is in front; `ladder`, `w2` and `nll` are the states of the three."""

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
        """Set everything from a frozen copy, the view in front last."""
        self.ladder.base = DEFAULT_LADDERS[record.ladder.target]
        for view in VIEWS:
            self.part(view).load(record.part(view))
        self.view = record.view

    @classmethod
    def to_query(cls, record: Any) -> dict[str, str]:
        """Return everything as URL parameters but the user's file."""
        return super().to_query(record) | {key: value for view, state in PARTS.items()
                                           for key, value in state.to_query(getattr(record, view)).items()}

    @classmethod
    def read_query(cls, link: LinkReader, base: OfflineConfig) -> OfflineConfig:
        """Return `base` with what the link says."""
        view = cls.param.view.from_link(link, base.view)
        return OfflineConfig(view, *(state.read_query(link, base.part(part)) for part, state in PARTS.items()))


PARTS = {LADDER: LadderState, GAUSSIAN: GaussianState, LIKELIHOOD: LikelihoodState}


def from_query(query: dict[str, Any] | None) -> tuple[OfflineConfig, list[str]]:
    """Read URL parameters; never raises. Returns the configuration and a sentence for each thing that was wrong."""
    link = LinkReader(query)
    return OfflineState.read_query(link, OfflineConfig()), link.words
