"""What the user can set on the Exit time page: one epoch of many chains; and its pictures to try.

The rules between its knobs are plain Python, for the lab in one file too.
"""

from __future__ import annotations

import math
from typing import Any

import param

from app.state.page_state import Frozen, PageState, Preset, frozen_copy_of
from app.state.parameters.knob import Choice, Knob, in_link
from app.state.parameters.knob_values import LinkReader, shown


class ExitEpoch:
    """What follows from a configuration of the page: a base of `ExitConfig`."""

    @property
    def needs_live(self) -> bool:
        """Whether it takes a state of the Live page to compute this."""
        return self.target == "live" or self.start == "live"

    @property
    def start_distance(self) -> float:
        """rho_0 where it is one number: 0 at the mode."""
        return self.distance if self.start == "distance" else 0.0

    @property
    def least_truncation(self) -> float:
        """sqrt(2 d), below which eq. 38 does not hold."""
        return math.sqrt(2 * self.dim)

    @property
    def cutoff(self) -> float | None:
        """C_xi as the library takes it: None for the best; never below what eq. 38 needs."""
        return None if self.truncation == 0.0 else max(self.truncation, self.least_truncation * (1 + 1e-9))


def chain_text(value: int | None) -> str:
    """Return the chain that is looked at as a link holds it."""
    return "auto" if value is None else str(value)


def chain_in(link: LinkReader, key: str, chains: int) -> int | None:
    """Return the chain that a link names under `key`, one of so many; None, also with words, for one that left."""
    text = link.text(key)
    if text is None or text == "auto":
        return None
    if text.isascii() and text.isdigit() and int(text[:9]) < chains:
        return int(text[:9])
    link.words.append(f"{key} = {shown(text)} is no chain; took one that left.")
    return None


def turned(present: ExitEpoch, name: str, value: float, typed: bool, kept: str) -> dict[str, Any]:
    """Return everything that changes when a knob is set.

    Parameters
    ----------
    present
        The configuration before.
    name, value, typed
        Of the knob; whether the number was typed: a slider cannot be refused on its way.
    kept
        Sentence that says what is kept where the number is refused.

    Raises
    ------
    ValueError
        Words for the user: a start outside the ball, a cut-off below sqrt(2 d).
    """
    changes: dict[str, Any] = {name: value, "adopt": False}
    start, radius, distance = present.start, present.radius, present.distance
    if name in ("dim", "curvature") and present.needs_live:  # the data fix both
        changes = {**changes, "target": "quadratic", "start": "mode"}
        start = "mode"
    if start == "distance" and name == "radius" and value <= distance:
        raise ValueError(f"r must be above the start ρ₀ = {distance:g}: the chains would begin outside. {kept}")
    if start == "distance" and name == "distance" and value >= radius:
        raise ValueError(f"ρ₀ must be below r = {radius:g}: the chains would begin outside. {kept}")
    if name == "truncation" and 0.0 < value < present.least_truncation:
        if typed:
            raise ValueError(f"Cξ must be √(2d) = {present.least_truncation:.3g} or more, or best. {kept}")
        low = value < 0.5 * present.least_truncation
        changes = {**changes, "truncation": 0.0 if low else round(present.least_truncation + 0.005, 2)}
    return changes


def kept_truncation(truncation: float, dim: int) -> float:
    """Return the cut-off under another dimension: one that d has outgrown gives way to the best."""
    return 0.0 if 0.0 < truncation < math.sqrt(2 * dim) else truncation


def chosen(present: ExitEpoch, name: str, value: str) -> dict[str, Any]:
    """Return everything that changes when target or start is chosen."""
    changes: dict[str, Any] = {name: value, "adopt": False}
    if name == "target":
        changes = {**changes, "start": "live" if value == "live" else "mode", "adopt": value == "live"}
        if value != "live":  # what Live's noise was says nothing about a bowl
            changes = {**changes, "noise": 0.0}
    if changes.get("start", present.start) == "distance" and present.distance >= present.radius:
        changes = {**changes, "distance": present.radius / 2}
    return changes


def corrected(config: ExitEpoch) -> tuple[dict[str, Any], list[str]]:
    """Return what must change in a link's configuration, and a sentence for each: start and cut-off that do not fit."""
    changes: dict[str, Any] = {}
    words = []
    if config.start == "distance" and config.distance >= config.radius:
        distance = config.radius / 2
        words.append(f"ρ₀ = {config.distance:g} must be below r = {config.radius:g}; took {distance:g}.")
        changes = {**changes, "distance": distance}
    if 0.0 < config.truncation < config.least_truncation:
        words.append(f"Cξ = {config.truncation:g} must be √(2d) = {config.least_truncation:.3g} or more; took the best.")
        changes = {**changes, "truncation": 0.0}
    return changes, words


TARGETS = ("quadratic", "live")
STARTS = ("mode", "distance", "live")


class Chain(in_link(param.Integer)):
    """Number of a chain, or None for one that left, if any."""

    def write(self, value: int | None) -> str:
        """Return a value as a link holds it."""
        return chain_text(value)

    def from_link(self, link: LinkReader, default: int | None) -> int | None:
        """Return the chain a link names."""
        return chain_in(link, self.key, ExitState.param.chains.high)


class ExitState(PageState):
    """Chains through one epoch: X' = X - eta (grad F + zeta) + sqrt(2 eta) xi, from X_0 to X_n."""

    radius = Knob(2.5, 0.01, 100.0, "escape radius", "Radius of the ball round the mode that a chain should not leave:"
                  " r = R/√(t + c) in epoch t.", symbol="r", plain="r", key="er", token="esc",
                  term="escape ball")
    step_size = Knob(5e-5, 1e-8, 1.0, "step size", "Length of one step; in epoch t it is η₀/(t + c).",
                     symbol="η", plain="η", key="eeta", term="step size")
    dim = Knob(2, 1, 100, "dimension", "Number of coordinates.", symbol="d", plain="d", key="ed", whole=True,
               term="dimension")
    steps = Knob(10_000, 1, 100_000, "steps", "Steps in the epoch, n.", symbol="i<sub>max</sub>", plain="iₘₐₓ", key="en",
                 whole=True, term="step")
    curvature = Knob(0.0, 0.0, 10_000.0, "curvature", "F = m‖x‖²/2: how hard the gradient pulls a chain back. 0 is a flat"
                     " F, the free walk.", symbol="m", plain="m", key="em", scale="log1p", term="curvature")
    noise = Knob(0.0, 0.0, 100_000.0, "gradient noise", "Length of the gradient's error ζ at every step, in a random"
                 " direction. A bound needs the largest there can be.", symbol="S", plain="S", key="eS", scale="log1p",
                 term="gradient noise")
    truncation = Knob(0.0, 0.0, 60.0, "noise cut-off", "Where Azuma's bounds cut ‖ξ‖ off, √(2d) or more. It moves the"
                      " printed and the corrected bound only.", symbol="C<sub>ξ</sub>", plain="Cξ", key="eC",
                      scale="log1p", lowest="best", term="noise cut-off")
    distance = Knob(1.0, 0.0, 100.0, "start at distance", "How far from the mode every chain starts, in a random"
                    " direction.", symbol="ρ<sub>0</sub>", plain="ρ₀", key="erho", scale="log1p", term="start distance")
    chains = Knob(10_000, 100, 20_000, "chains", "Independent chains. More of them narrow the band.", plain="chains",
                  key="ek", whole=True)
    target = Choice("quadratic", TARGETS, "target", 'A bowl, or "live": the posterior as the Live page left it.',
                    key="etarget")
    start = Choice("mode", STARTS, "start", 'Where the chains start; "live" is where the Live page’s chains stand.',
                   key="estart")
    chain = Chain(None, key="echain", doc="Chain whose sums are shown; None: one that left, if any.")
    adopt = param.Boolean(False, doc="Take r, η, d, iₘₐₓ, m and S from the Live page's state before computing.")

    def taken_along(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Refuse a start outside the ball and a cut-off below sqrt(2 d); leave Live's data where they fix the knob."""
        kept = f"Kept {self.param[name].say(getattr(self, name))}."
        return turned(self.frozen(), name, value, typed, kept)

    @param.depends("dim", watch=True)
    def _keep_truncation(self) -> None:
        """A cut-off that d has outgrown gives way to the best."""
        self.truncation = kept_truncation(self.truncation, self.dim)

    @classmethod
    def read_query(cls, link: LinkReader, base: ExitConfig) -> ExitConfig:
        """Return `base` with what the link says; a link with numbers takes none from Live, and what does not fit is said."""
        config = super().read_query(link, base).replace(adopt=base.adopt and not link.has(
            *(knob.key for knob in cls.knobs().values())))
        changes, words = corrected(config)
        link.words.extend(words)
        return config.replace(**changes)

    def choose(self, name: str, value: str) -> None:
        """Set target or start, with what follows from it."""
        self.param.update(**chosen(self.frozen(), name, value))


@frozen_copy_of(ExitState)
class ExitConfig(ExitEpoch, Frozen):
    """Chains through one epoch, as a worker takes them."""

    @property
    def plain(self) -> ExitConfig:
        """The same without the chain looked at."""
        return self.replace(chain=None, adopt=False)


DEFAULT_PRESET = "printed"


PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("printed", "The printed bound fails",
           "A flat F and 2ηn = 1. The bound as printed promises that all but two chains in 100,000 stay;"
           " eight in a hundred leave.",
           ExitConfig(radius=2.5, step_size=5e-5, dim=2, steps=10_000, curvature=0.0, chains=4_000)),
    Preset("quadratic", "Curvature makes it sharp",
           "A bowl, ηmn = 1. Counting the pull back takes our bound from useless to a few times the truth.",
           ExitConfig(radius=2.8, step_size=2.5e-3, dim=2, steps=400, curvature=1.0, chains=20_000)),
    Preset("concentrates", "d = 20: distance concentrates",
           "In twenty dimensions all chains climb together: the squared distance is a sum of twenty, so it"
           " strays little from its mean, and the bound is close.",
           ExitConfig(radius=6.0, step_size=2.5e-3, dim=20, steps=400, curvature=1.0, chains=10_000)),
    Preset("live", "Logistic, as Live left it",
           "The posterior, its step size and its chains as the Live page left them. When Live has not run in"
           " this session, its default is run here to epoch 256.",
           ExitConfig(target="live", start="live", chains=10_000, adopt=True)),
)}
ExitState.presets, ExitState.preset_key, ExitState.looks = PRESETS, "preset", ("chain",)
