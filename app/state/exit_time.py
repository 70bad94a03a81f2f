"""`ExitState`: user settings of the Exit time page, one epoch of many chains; its presets.

The rules between its knobs are plain Python, also translated for the lab in one file.
"""

from __future__ import annotations

import math
from typing import Any

import param

from app.state.page_state import Frozen, PageState, Preset, frozen_copy_of
from app.state.parameters.knob import Choice, Knob, in_link
from app.state.parameters.knob_values import LinkReader, shown


class ExitEpoch:
    """Derived values of a configuration of the page: a base of `ExitConfig`."""

    @property
    def needs_live(self) -> bool:
        """Whether the computation needs a state of the Live page."""
        return self.target == "live" or self.start == "live"

    @property
    def start_distance(self) -> float:
        """Common start distance rho_0 of the chains; 0 at the mode."""
        return self.distance if self.start == "distance" else 0.0

    @property
    def least_truncation(self) -> float:
        """Smallest cut-off for which eq. 38 is valid, sqrt(2 d)."""
        return math.sqrt(2 * self.dim)

    @property
    def cutoff(self) -> float | None:
        """C_xi for the library: None for the best one; otherwise raised to the minimum of eq. 38."""
        return None if self.truncation == 0.0 else max(self.truncation, self.least_truncation * (1 + 1e-9))


def chain_text(value: int | None) -> str:
    """Return the text of the selected chain in links."""
    return "auto" if value is None else str(value)


def chain_in(link: LinkReader, key: str, chains: int) -> int | None:
    """Return the chain under `key` in a link, below `chains`; None for "auto", an absent or, with a warning, invalid one."""
    text = link.text(key)
    if text is None or text == "auto":
        return None
    if text.isascii() and text.isdigit() and int(text[:9]) < chains:
        return int(text[:9])
    link.words.append(f"{key} = {shown(text)} is no chain; took one that left the ball.")
    return None


def turned(present: ExitEpoch, name: str, value: float, typed: bool, kept: str) -> dict[str, Any]:
    """Return all changes of setting a knob.

    Parameters
    ----------
    present
        Current configuration.
    name, value, typed
        The knob, its new value, and whether the number was typed: a slider is limited rather than refused.
    kept
        Last sentence of an error message: the value kept.

    Raises
    ------
    ValueError
        If the start is outside the ball or the cut-off below sqrt(2 d), with a message for the user.
    """
    changes: dict[str, Any] = {name: value, "adopt": False}
    start, radius, distance = present.start, present.radius, present.distance
    if name in ("dim", "curvature") and present.needs_live:  # the data fix both
        changes = {**changes, "target": "quadratic", "start": "mode"}
        start = "mode"
    if start == "distance" and name == "radius" and value <= distance:
        raise ValueError(f"r must be above the start ρ₀ = {distance:g}: the chains would start outside. {kept}")
    if start == "distance" and name == "distance" and value >= radius:
        raise ValueError(f"ρ₀ must be below r = {radius:g}: the chains would start outside. {kept}")
    if name == "truncation" and 0.0 < value < present.least_truncation:
        if typed:
            raise ValueError(f"Cξ must be √(2d) = {present.least_truncation:.3g} or more, or best. {kept}")
        low = value < 0.5 * present.least_truncation
        changes = {**changes, "truncation": 0.0 if low else round(present.least_truncation + 0.005, 2)}
    return changes


def kept_truncation(truncation: float, dim: int) -> float:
    """Return the cut-off for a dimension: 0 (the best) if it is below sqrt(2 d)."""
    return 0.0 if 0.0 < truncation < math.sqrt(2 * dim) else truncation


def chosen(present: ExitEpoch, name: str, value: str) -> dict[str, Any]:
    """Return all changes of selecting a target or a start."""
    changes: dict[str, Any] = {name: value, "adopt": False}
    if name == "target":
        changes = {**changes, "start": "live" if value == "live" else "mode", "adopt": value == "live"}
        if value != "live":  # the gradient noise of Live does not apply to a quadratic
            changes = {**changes, "noise": 0.0}
    if changes.get("start", present.start) == "distance" and present.distance >= present.radius:
        changes = {**changes, "distance": present.radius / 2}
    return changes


def corrected(config: ExitEpoch) -> tuple[dict[str, Any], list[str]]:
    """Return the corrections of an inconsistent start or cut-off in a link's configuration, and one warning for each."""
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
    """Index of a chain, or None for one that left the ball, if any."""

    def write(self, value: int | None) -> str:
        """Return the text of a value in links."""
        return chain_text(value)

    def from_link(self, link: LinkReader, default: int | None) -> int | None:
        """Return the chain in a link."""
        return chain_in(link, self.key, ExitState.param.chains.high)


class ExitState(PageState):
    """Settings of chains through one epoch: X' = X - eta (grad F + zeta) + sqrt(2 eta) xi, from X_0 to X_n."""

    radius = Knob(2.5, 0.01, 100.0, "escape radius", "Radius of the ball around the mode that a chain should not leave:"
                  " r = R/√(t + c) in epoch t.", symbol="r", plain="r", key="er", token="esc",
                  term="escape ball")
    step_size = Knob(5e-5, 1e-8, 1.0, "step size", "Step size η; in epoch t it is η₀/(t + c).",
                     symbol="η", plain="η", key="eeta", term="step size")
    dim = Knob(2, 1, 100, "dimension", "Number of coordinates.", symbol="d", plain="d", key="ed", whole=True,
               term="dimension")
    steps = Knob(10_000, 1, 100_000, "steps", "Steps in the epoch, n.", symbol="i<sub>max</sub>", plain="iₘₐₓ", key="en",
                 whole=True, term="step")
    curvature = Knob(0.0, 0.0, 10_000.0, "curvature", "Curvature m of F = m‖x‖²/2, which pulls a chain back. 0 is a flat F,"
                     " the free walk.", symbol="m", plain="m", key="em", scale="log1p", term="curvature")
    noise = Knob(0.0, 0.0, 100_000.0, "gradient noise", "Length of the gradient's error ζ at every step, in a random"
                 " direction. A bound needs its maximum.", symbol="S", plain="S", key="eS", scale="log1p",
                 term="gradient noise")
    truncation = Knob(0.0, 0.0, 60.0, "noise cut-off", "Cut-off of ‖ξ‖ in Azuma's bounds, √(2d) or more. It changes the"
                      " printed and the corrected bound only.", symbol="C<sub>ξ</sub>", plain="Cξ", key="eC",
                      scale="log1p", lowest="best", term="noise cut-off")
    distance = Knob(1.0, 0.0, 100.0, "start at distance", "Distance from the mode at which every chain starts, in a random"
                    " direction.", symbol="ρ<sub>0</sub>", plain="ρ₀", key="erho", scale="log1p", term="start distance")
    chains = Knob(10_000, 100, 20_000, "chains", "Independent chains. More chains narrow the band.", plain="chains",
                  key="ek", whole=True)
    target = Choice("quadratic", TARGETS, "target", 'A quadratic, or "live": the current posterior of the Live page.',
                    key="etarget")
    start = Choice("mode", STARTS, "start", 'Start of the chains; "live": the current positions of the Live page’s chains.',
                   key="estart")
    chain = Chain(None, key="echain", doc="Chain whose sums are shown; None: one that left the ball, if any.")
    adopt = param.Boolean(False, doc="Take r, η, d, iₘₐₓ, m and S from the Live page's state before computing.")

    def changes_for(self, name: str, value: float, typed: bool) -> dict[str, Any]:
        """Refuse a start outside the ball and a cut-off below sqrt(2 d); drop Live's state if it fixes the knob."""
        kept = f"Kept {self.param[name].format_value(getattr(self, name))}."
        return turned(self.frozen(), name, value, typed, kept)

    @param.depends("dim", watch=True)
    def _keep_truncation(self) -> None:
        """Replace a cut-off below sqrt(2 d) by the best one."""
        self.truncation = kept_truncation(self.truncation, self.dim)

    @classmethod
    def read_query(cls, link: LinkReader, base: ExitConfig) -> ExitConfig:
        """Return `base` updated from the link, corrected with warnings; a link with any knob adopts none from Live."""
        config = super().read_query(link, base).replace(adopt=base.adopt and not link.has(
            *(knob.key for knob in cls.knobs().values())))
        changes, words = corrected(config)
        link.words.extend(words)
        return config.replace(**changes)

    def choose(self, name: str, value: str) -> None:
        """Set target or start and update the dependent parameters."""
        self.param.update(**chosen(self.frozen(), name, value))


@frozen_copy_of(ExitState)
class ExitConfig(ExitEpoch, Frozen):
    """Configuration of chains through one epoch, for a worker."""

    @property
    def plain(self) -> ExitConfig:
        """Copy without the selected chain and without adoption of Live's values."""
        return self.replace(chain=None, adopt=False)


DEFAULT_PRESET = "printed"


PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("printed", "The printed bound fails",
           "A flat F and 2ηn = 1. By the bound as printed, at most two chains in 100,000 leave;"
           " in fact eight in a hundred do.",
           ExitConfig(radius=2.5, step_size=5e-5, dim=2, steps=10_000, curvature=0.0, chains=4_000)),
    Preset("quadratic", "Curvature makes it sharp",
           "A quadratic F, ηmn = 1. With its curvature, our bound improves from useless to a few times the truth.",
           ExitConfig(radius=2.8, step_size=2.5e-3, dim=2, steps=400, curvature=1.0, chains=20_000)),
    Preset("concentrates", "d = 20: distance concentrates",
           "In twenty dimensions all chains move outwards together: the squared distance is a sum of twenty terms and"
           " stays close to its mean, and the bound is close.",
           ExitConfig(radius=6.0, step_size=2.5e-3, dim=20, steps=400, curvature=1.0, chains=10_000)),
    Preset("live", "Logistic, as Live left it",
           "The current posterior, step size and chains of the Live page. If Live has not run in"
           " this session, its default is run here to epoch 256.",
           ExitConfig(target="live", start="live", chains=10_000, adopt=True)),
)}
ExitState.presets, ExitState.preset_key, ExitState.looks = PRESETS, "preset", ("chain",)
