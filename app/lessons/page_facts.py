"""`PAGE_FACTS`: places, settings and layout of the pages with lessons; `setting_words` describes the settings of a hint."""

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
    """Selector of an element: the first match of `css`, through shadow roots, that contains `text`."""

    css: str
    text: str = ""
    opens: bool = False  #: whether a click on it reveals the place


@dataclass(frozen=True)
class Place:
    """Named place on a page: the first visible one of its spots.

    On a phone a knob is in a closed drawer and a chart behind a chip, so the second spot is the button that opens it.
    """

    name: str
    words: str  #: description for screen readers
    spots: tuple[Spot, ...]
    ring: bool = True  #: False: number without a ring
    pad: int = 5  #: px between the place and its ring; negative: ring inside

    def message(self) -> dict[str, Any]:
        """Return the place as JSON for the browser."""
        return {"words": self.words, "ring": self.ring, "pad": self.pad, "spots": [asdict(spot) for spot in self.spots]}


DRAWER = Spot(".only-phone .knobs, .knobs.only-phone", opens=True)
VERDICT = Spot("section[aria-label=Verdict]")


def _places(kinds: dict[str, dict[str, Any]]) -> Iterator[Place]:
    """Yield the places of a page, from one table per kind."""
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
"""Page -> side -> the column that the card covers."""


@dataclass(frozen=True)
class PageFacts:
    """Settings, places and layout of one page with lessons."""

    key: str  #: key of its tab
    label: str
    state: type[PageState]  #: settings of the page, which lessons set by URL parameters
    places: dict[str, Place]
    sides: dict[str, tuple[Spot, ...]]  #: "left" and "right": columns that the card covers
    fixed: tuple[str, ...] = ()  #: parameters whose change restarts the run, refused in timed changes
    timed: bool = False  #: whether the page has epochs, at which a lesson may change settings

    @property
    def keys(self) -> tuple[str, ...]:
        """URL parameters that a lesson may set."""
        return tuple(filter(None, (self.state.preset_key, *(knob.key for knob in self.state.linked().values()))))


PAGE_FACTS = {facts.key: facts for facts in (
    PageFacts("live", "Live", LiveState, PLACES["live"], SIDES["live"], fixed=RESTARTING, timed=True),
    PageFacts("exit", "Exit time", ExitState, PLACES["exit"], SIDES["exit"]))}
"""Key -> facts of each page with lessons."""


def setting_words(page: str, settings: dict[str, str] | None) -> str:
    """Return "Sets d = 20 and r = 8; all else ..." for the URL parameters of a hint, as HTML; empty for none."""
    if not settings:
        return ""
    state = PAGE_FACTS[page].state
    by_key = {knob.key: knob for knob in state.linked().values()}
    if "preset" in settings:
        return f"Shows the picture “{state.presets[settings['preset']].label}”."
    *first, last = [_setting_text(by_key[key], key, value) for key, value in settings.items()]
    return f"Sets {', '.join(first)}{' and ' if first else ''}{last}; all else as in the lesson."


def _setting_text(knob: object, key: str, value: str) -> str:
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
