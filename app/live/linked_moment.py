"""The moment that a link to the Live page shows: found in one, and written into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.live.moment import Moment, moment_in
from app.live.snapshot import HORIZON
from app.page import LINK_COPIED
from app.state.live import LiveState

if TYPE_CHECKING:
    from app.live.snapshot import Snapshot
    from app.state.live import LiveConfig


def moment_of(query: dict[str, Any], config: LiveConfig) -> tuple[Moment | None, list[str]]:
    """Return the moment a link shows of a run that the configuration describes, with words about what was wrong."""
    return moment_in(query, config, HORIZON if config.given is None else min(config.given.t, HORIZON))


def link_to(shown: Snapshot) -> tuple[dict[str, str], str]:
    """Return the URL parameters of the picture on show, its epoch and history among them, and words about them."""
    link = LiveState.to_query(shown.config) | shown.moment.query(shown.config)
    if "log" not in link:
        return link, f"{LINK_COPIED}: these knobs from the start. The history of this run is too long for a link."
    changes = len(shown.moment.way)
    way = f" with {changes} change{'s' if changes > 1 else ''}" if changes else ""
    return link, f"{LINK_COPIED}: epoch {shown.moment.t:,}{way}"


def settled_of(shown: Snapshot) -> tuple[Any, ...]:
    """Return what a link to it says; how far the run has come only while it is paused."""
    return shown.playing, shown.config, shown.run, None if shown.playing else (shown.t, shown.step)
