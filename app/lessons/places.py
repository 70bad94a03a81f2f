"""The places a lesson may point at, by name, and where a browser finds them.

A place is found by trying its spots in order: the first that can be seen counts. On a phone a knob stands in a closed
drawer and a chart behind a chip, so the button that opens it comes second.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Spot:
    """One element: the first that matches `css`, through shadow roots, and holds `text` (anywhere inside it)."""

    css: str
    text: str = ""
    opens: bool = False  #: a press on it shows the place itself


@dataclass(frozen=True)
class Place:
    """A named place."""

    name: str
    words: str  #: what a screen reader hears
    spots: tuple[Spot, ...]
    ring: bool = True  #: False: only the number, without a ring
    pad: int = 5  #: px between the place and its ring; below 0 the ring lies inside

    def message(self) -> dict[str, Any]:
        """Return what the browser needs."""
        return {"words": self.words, "ring": self.ring, "pad": self.pad, "spots": [asdict(spot) for spot in self.spots]}


_DRAWER = Spot(".only-phone .knobs, .knobs.only-phone", opens=True)


def _knob(key: str, name: str, words: str) -> Place:
    return Place(key, f"knob: {words}", (Spot(f".knob-{name}"), _DRAWER))


def _switch(key: str, label: str) -> Place:
    return Place(key, f"switch: {label}", (Spot(".row:has([role=switch])", label), _DRAWER))


def _panel(key: str, title: str, chip: str) -> Place:
    return Place(key, f"chart: {title}", (Spot(".panel", title), Spot(".chips button", chip, opens=True)), pad=-4)


def _meter(key: str, label: str) -> Place:
    return Place(key, f"meter: {label}", (Spot(".meter", label), Spot("section[aria-label=Verdict]")))


def _named(*places: Place) -> dict[str, Place]:
    return {place.name: place for place in places}


LIVE = _named(
    _knob("eta0", "eta0", "step size"),
    _knob("b", "batch_size", "batch a step"),
    _knob("imax", "i_max", "steps an epoch"),
    _knob("C", "acceptance_radius", "acceptance radius"),
    _knob("R", "escape_radius", "escape radius"),
    _knob("c", "offset", "time offset"),
    _knob("chains", "chains", "chains"),
    _knob("seed", "seed", "seed"),
    _switch("vr", "Variance reduction"),
    _switch("reset", "Reset to checkpoint"),
    _switch("random", "Random number of steps"),
    _switch("refresh", "Refresh stale gradients"),
    Place("algorithm", "choice: algorithm", (Spot(".choice-algorithm"), _DRAWER)),
    Place("problem", "menu: target", (Spot(".menu-problem"), _DRAWER)),
    Place("stream", "menu: stream", (Spot(".menu-stream"), _DRAWER)),
    Place("assumptions", "assumptions, measured", (Spot(".assumptions"), _DRAWER)),
    Place("canvas", "the chains and their target", (Spot("section[aria-label=Chains] .canvas"),), ring=False),
    Place("verdict", "the verdict", (Spot("section[aria-label=Verdict]"),)),
    Place("meters", "the four meters", (Spot("section[aria-label=Verdict] .meters"),)),
    _meter("width", "width bias"),
    _meter("noise", "gradient noise"),
    _meter("memory", "memory"),
    _meter("resets", "epochs reset"),
    _panel("accuracy", "Marginal accuracy", "Accuracy"),
    _panel("distance", "Squared distance", "Distance"),
    _panel("variance", "Gradient variance", "Variance"),
    _panel("cost", "Cost", "Cost"),
    Place("speed", "slider: speed", (Spot(".speed"),)),
    Place("rewind", "slider: rewind", (Spot(".rewind"),)),
    Place("promise", "the theorem and this run", (Spot(".promise"), _DRAWER)),
    Place("restart", "button: restart", (Spot("[data-press=restart]"),)),
    Place("epoch", "the epoch", (Spot(".ro", "epoch t"),)),
)
"""Places of the Live page; knobs and switches go by their URL keys."""

LIVE_SIDES = {"left": (Spot("[data-slot=chains]"),), "right": (Spot("[data-slot=charts]"),)}
"""Column over which the card lies."""


def _exit_card(key: str, label: str, words: str, panel: str = "") -> Place:
    css = f'section[aria-label="{label}"]'
    return Place(key, words, (Spot(f"{css} {panel}"),) if panel else (Spot(css),), pad=-3 if panel else 4)


EXIT = _named(
    _knob("r", "radius", "escape radius"),
    _knob("eta", "step_size", "step size"),
    _knob("d", "dim", "dimension"),
    _knob("imax", "steps", "steps"),
    _knob("m", "curvature", "curvature"),
    _knob("S", "noise", "gradient noise"),
    _knob("Cxi", "truncation", "noise cut-off"),
    _knob("chains", "chains", "chains"),
    Place("presets", "pictures to try", (Spot(".presets"), _DRAWER)),
    Place("target", "choice: target F", (Spot(".seg.target"), _DRAWER)),
    _exit_card("paths", "Chains and their survival", "chart: paths of the chains", ".panel:first-child"),
    _exit_card("survival", "Chains and their survival", "chart: share still inside", ".panel:last-child"),
    _exit_card("sums", "Three sums of one chain", "chart: three sums", ".panel:first-child"),
    _exit_card("pushes", "Why the square", "charts: push of the noise"),
    _exit_card("square", "Why the square", "chart: push on the squared distance", ".panel:first-child"),
    _exit_card("plain", "Why the square", "chart: push on the distance", ".panel:last-child"),
    _exit_card("price", "The price of theory", "table: the price of theory"),
    _exit_card("process", "The exponential, a process of its own", "chart: the supermartingale", ".panel:first-child"),
    _exit_card("promise", "What the theorem promises, what is so", "chart: what the theorem promises", ".panel:first-child"),
    _exit_card("good", "Measured on Live runs", "chart: measured on Live’s run"),
)
"""Places of the Exit time page."""

EXIT_SIDES = {"left": (Spot("[data-slot=crowd]"),), "right": (Spot("[data-slot=sums]"),)}
