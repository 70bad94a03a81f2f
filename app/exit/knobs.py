"""The knobs of the Exit time page, and what happens to a number that is slid or typed."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from app.exit.config import LIMITS, ExitConfig

_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


@dataclass(frozen=True)
class ExitKnob:
    """How one number is presented; the attributes a `Knob` reads."""

    name: str  #: field of `ExitConfig`
    symbol: str  #: HTML
    plain: str  #: the symbol in plain text, for messages
    words: str
    help: str
    scale: str = "log"
    whole: bool = False
    token: str = ""
    lowest: str = ""  #: what the lowest value is called

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest value."""
        return LIMITS[self.name]


KNOBS: dict[str, ExitKnob] = {knob.name: knob for knob in (
    ExitKnob("radius", "r", "r", "escape radius", "Radius of the ball round the mode that a chain should not"
             " leave: r = R/√(t + c) in epoch t.", token="esc"),
    ExitKnob("step_size", "η", "η", "step size", "Length of one step; in epoch t it is η₀/(t + c)."),
    ExitKnob("dim", "d", "d", "dimension", "Number of coordinates.", whole=True),
    ExitKnob("steps", "i<sub>max</sub>", "i_max", "steps", "Steps in the epoch, n.", whole=True),
    ExitKnob("curvature", "m", "m", "curvature", "F = m‖x‖²/2: how hard the gradient pulls a chain back."
             " 0 is a flat F, the free walk.", scale="log1p"),
    ExitKnob("noise", "S", "S", "gradient noise", "Length of the gradient's error ζ at every step, in a random"
             " direction. A bound needs the largest there can be.", scale="log1p"),
    ExitKnob("truncation", "C<sub>ξ</sub>", "C_ξ", "noise cut-off", "Where Azuma's bounds cut ‖ξ‖ off, √(2d) or"
             " more. It moves the printed and the corrected bound only.", scale="log1p", lowest="best"),
    ExitKnob("distance", "ρ<sub>0</sub>", "ρ₀", "start at distance", "How far from the mode every chain starts,"
             " in a random direction.", scale="log1p"),
    ExitKnob("chains", "", "chains", "chains", "Independent chains. More of them narrow the band.", whole=True),
)}


def read_number(given: float | str) -> float | None:
    """Return the number in 5e-6, 5 × 10⁻⁶, 100,000 or 0,5; None when there is none."""
    text = str(given).strip().translate(_DIGITS)
    text = re.sub(r"\s*[×x*]\s*10\s*\^?\s*", "e", text)
    if text.count(",") == 1 and "." not in text and len(text.split(",")[1]) != 3:
        text = text.replace(",", ".")
    try:
        value = float(text.replace(",", "").replace(" ", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def turn(config: ExitConfig, name: str, given: float | str) -> ExitConfig:
    """Return the configuration with one knob turned.

    Raises
    ------
    ValueError
        The words for the person: what is wrong, the allowed range, what was kept.
    """
    knob = KNOBS[name]
    kept = f"Kept {_say(knob, getattr(config, name))}."
    typed = isinstance(given, str)
    value = 0.0 if typed and given.strip().lower() == knob.lowest != "" else read_number(given)
    if value is None:
        raise ValueError(f"“{str(given)[:20]}” is not a number. {kept}")
    low, high = knob.limits
    if knob.whole and value != round(value):
        raise ValueError(f"{knob.plain} must be a whole number from {low:,g} to {high:,g}. {kept}")
    if not low <= value <= high:
        raise ValueError(f"{knob.plain} must be from {low:,g} to {high:,g}. {kept}")
    value = int(value) if knob.whole else float(value)
    config = config.replace(adopt=False)
    if name in ("dim", "curvature") and config.needs_live:  # the data fix both
        config = config.replace(target="quadratic", start="mode")
    return _together(config, config.replace(**{name: value}), name, typed, kept)


def _together(old: ExitConfig, new: ExitConfig, name: str, typed: bool, kept: str) -> ExitConfig:
    """What must hold between two knobs."""
    if new.start == "distance" and new.radius <= new.distance:
        if name == "radius":
            raise ValueError(f"r must be above the start ρ₀ = {old.distance:g}: the chains would begin outside."
                             f" {kept}")
        if name == "distance":
            raise ValueError(f"ρ₀ must be below r = {old.radius:g}: the chains would begin outside. {kept}")
    if 0.0 < new.truncation < new.least_truncation:
        if name == "truncation" and typed:
            raise ValueError(f"C_ξ must be √(2d) = {new.least_truncation:.3g} or more, or best. {kept}")
        if name == "truncation":  # a slider cannot be refused on its way up
            return new.replace(truncation=0.0 if new.truncation < 0.5 * new.least_truncation
                               else round(new.least_truncation + 0.005, 2))
        return new.replace(truncation=0.0)  # d grew past what C_xi allows
    return new


def _say(knob: ExitKnob, value: float) -> str:
    if knob.lowest and value == knob.limits[0]:
        return knob.lowest
    return f"{value:,}" if knob.whole else f"{value:g}"
