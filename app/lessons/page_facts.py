"""The pages a story may be told on: their places, their knobs and how a setting is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.lessons.places import EXIT, EXIT_SIDES, LIVE, LIVE_SIDES, Place, Spot
from app.state.live import RESTARTING, LiveState


@dataclass(frozen=True)
class PageFacts:
    """What the lessons know of one page."""

    key: str  #: key of its tab
    label: str
    places: dict[str, Place]
    sides: dict[str, tuple[Spot, ...]]  #: "left" and "right": what the card lies over
    keys: tuple[str, ...]  #: URL parameters a lesson may set
    wrong: Callable[[dict[str, str]], list[str]]  #: words about settings that are out of range
    fixed: tuple[str, ...] = ()  #: parameters whose change starts again, so not for a timed change
    timed: bool = False  #: whether the page has epochs, so that a lesson may change settings at one


def _live() -> PageFacts:
    keys = tuple(knob.key for knob in LiveState.linked().values())
    return PageFacts("live", "Live", LIVE, LIVE_SIDES, keys, lambda query: LiveState.from_query(query)[1],
                  fixed=RESTARTING, timed=True)


def _exit() -> PageFacts:
    from app.exit_time.presets import default_config, from_query
    from app.state.exit_time import ExitState

    keys = ("preset", *ExitState.to_query(default_config()))
    return PageFacts("exit", "Exit time", EXIT, EXIT_SIDES, keys, lambda query: from_query(query)[1])


_FACTS: dict[str, Callable[[], PageFacts]] = {"live": _live, "exit": _exit}


def facts_of(page: str) -> PageFacts | None:
    """Return what the lessons know of a page; None when they know nothing of it."""
    make = _FACTS.get(page)
    return None if make is None else make()


def told_pages() -> tuple[str, ...]:
    """Return the keys of the pages lessons can be told on."""
    return tuple(_FACTS)
