"""The moment that a link to the Live page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.live.moment import Moment, moment_in
from app.live.snapshot import HORIZON

if TYPE_CHECKING:
    from app.state.live import LiveConfig


def moment_of(query: dict[str, Any], config: LiveConfig) -> tuple[Moment | None, list[str]]:
    """Return the moment a link shows of a run that the configuration describes, with words about what was wrong."""
    return moment_in(query, config, HORIZON if config.given is None else min(config.given.t, HORIZON))
