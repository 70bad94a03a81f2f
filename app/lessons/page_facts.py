"""The pages a story may be told on: their places, their knobs, how a setting is checked, and what a hint sets in words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.state.exit_time import ExitState
from app.state.live import RESTARTING, SPEEDS, LiveState
from app.state.live_menu import ALGORITHMS, PROBLEMS, STREAMS
from app.state.page_state import PageState
from app.state.parameters.knob import Knob, Switch


@dataclass(frozen=True)
class Spot:
    """One element: the first that matches `css`, through shadow roots, and holds `text` (anywhere inside it)."""

    css: str
    text: str = ""
    opens: bool = False  #: a press on it shows the place itself


@dataclass(frozen=True)
class Place:
    """A named place: where the first of its spots that can be seen is.

    On a phone a knob stands in a closed drawer and a chart behind a chip, so the button that opens it comes second.
    """

    name: str
    words: str  #: what a screen reader hears
    spots: tuple[Spot, ...]
    ring: bool = True  #: False: only the number, without a ring
    pad: int = 5  #: px between the place and its ring; below 0 the ring lies inside

    def message(self) -> dict[str, Any]:
        """Return what the browser needs."""
        return {"words": self.words, "ring": self.ring, "pad": self.pad, "spots": [asdict(spot) for spot in self.spots]}


DRAWER = Spot(".only-phone .knobs, .knobs.only-phone", opens=True)
VERDICT = Spot("section[aria-label=Verdict]")


def _places(kinds: dict[str, dict[str, Any]]) -> Iterator[Place]:
    """Yield the places of a page, a table a kind."""
    for name, (css, words) in kinds["knob"].items():
        yield Place(name, f"knob: {words}", (Spot(f".knob-{css}"), DRAWER))
    for name, label in kinds.get("switch", {}).items():
        yield Place(name, f"switch: {label}", (Spot(".row:has([role=switch])", label), DRAWER))
    for name, (title, chip) in kinds.get("panel", {}).items():
        yield Place(name, f"chart: {title}", (Spot(".panel", title), Spot(".chips button", chip, opens=True)), pad=-4)
    for name, label in kinds.get("meter", {}).items():
        yield Place(name, f"meter: {label}", (Spot(".meter", label), VERDICT))
    for name, (label, words, *part) in kinds.get("figure", {}).items():
        css = " ".join([f'section[aria-label="{label}"]', *(f".panel:{which}-child" for which in part)])
        yield Place(name, words, (Spot(css),), pad=-3 if part else 4)
    for name, one in kinds["other"].items():
        spots = (Spot(one["css"], one.get("text", "")), *([DRAWER] if one.get("drawer") else []))
        yield Place(name, one["words"], spots, one.get("ring", True))


PLACES: dict[str, dict[str, Place]] = {
    page: {place.name: place for place in _places(kinds)} for page, kinds in tomllib.loads(
        Path(__file__).with_name("places.toml").read_text(encoding="utf-8")).items()}
"""Page -> name -> place."""
SIDES = {"live": {"left": (Spot("[data-slot=chains]"),), "right": (Spot("[data-slot=charts]"),)},
         "exit": {"left": (Spot("[data-slot=crowd]"),), "right": (Spot("[data-slot=sums]"),)}}
"""Page -> side -> the column that the card lies over."""


@dataclass(frozen=True)
class PageFacts:
    """What the lessons know of one page."""

    key: str  #: key of its tab
    label: str
    state: type[PageState]  #: what can be set there; a lesson sets it by URL parameters
    places: dict[str, Place]
    sides: dict[str, tuple[Spot, ...]]  #: "left" and "right": what the card lies over
    fixed: tuple[str, ...] = ()  #: parameters whose change starts again, so not for a timed change
    timed: bool = False  #: whether the page has epochs, so that a lesson may change settings at one

    @property
    def keys(self) -> tuple[str, ...]:
        """URL parameters a lesson may set."""
        return tuple(filter(None, (self.state.preset_key, *(knob.key for knob in self.state.linked().values()))))


PAGE_FACTS = {facts.key: facts for facts in (
    PageFacts("live", "Live", LiveState, PLACES["live"], SIDES["live"], fixed=RESTARTING, timed=True),
    PageFacts("exit", "Exit time", ExitState, PLACES["exit"], SIDES["exit"]))}
"""Key -> what the lessons know of the page; a lesson is on one of these."""


def setting_words(page: str, settings: dict[str, str] | None) -> str:
    """Return "Sets d = 20 and r = 8; all else ..." for the URL parameters of a hint, as HTML; empty when it sets nothing."""
    if not settings:
        return ""
    state = PAGE_FACTS[page].state
    by_key = {knob.key: knob for knob in state.linked().values()}
    if "preset" in settings:
        return f"Shows the picture “{state.presets[settings['preset']].label}”."
    *first, last = [_in_words(by_key[key], key, value) for key, value in settings.items()]
    return f"Sets {', '.join(first)}{' and ' if first else ''}{last}; all else as in the lesson."


def _in_words(knob: object, key: str, value: str) -> str:
    if isinstance(knob, Switch):
        return f"“{knob.label}” {'on' if value == '1' else 'off'}"
    if isinstance(knob, Knob):
        number = int(float(value)) if knob.whole else float(value)
        return f"{knob.symbol or knob.plain} = {knob.format_value(number)}"
    if key == "speed":
        labels = [label for label, _, _ in SPEEDS]
        return f"the speed to {labels[knob.tokens.index(value)]}"
    menu = {"algorithm": ALGORITHMS, "problem": PROBLEMS, "stream": STREAMS}.get(key, {})
    return f"{knob.label} “{menu[value].label if value in menu else value}”"
