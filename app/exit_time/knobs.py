"""The knobs of the Exit time page, and what happens to a number that is slid or typed."""

from __future__ import annotations

from app.exit_time.config import LIMITS, ExitConfig
from app.knobs import KnobSpec, knobs_within

_knob = knobs_within(LIMITS)

KNOBS: dict[str, KnobSpec] = {knob.name: knob for knob in (
    _knob("radius", "r", "r", "escape radius", "Radius of the ball round the mode that a chain should not"
          " leave: r = R/√(t + c) in epoch t.", token="esc"),
    _knob("step_size", "η", "η", "step size", "Length of one step; in epoch t it is η₀/(t + c)."),
    _knob("dim", "d", "d", "dimension", "Number of coordinates.", whole=True),
    _knob("steps", "i<sub>max</sub>", "i_max", "steps", "Steps in the epoch, n.", whole=True),
    _knob("curvature", "m", "m", "curvature", "F = m‖x‖²/2: how hard the gradient pulls a chain back."
          " 0 is a flat F, the free walk.", scale="log1p"),
    _knob("noise", "S", "S", "gradient noise", "Length of the gradient's error ζ at every step, in a random"
          " direction. A bound needs the largest there can be.", scale="log1p"),
    _knob("truncation", "C<sub>ξ</sub>", "C_ξ", "noise cut-off", "Where Azuma's bounds cut ‖ξ‖ off, √(2d) or"
          " more. It moves the printed and the corrected bound only.", scale="log1p", lowest="best"),
    _knob("distance", "ρ<sub>0</sub>", "ρ₀", "start at distance", "How far from the mode every chain starts,"
          " in a random direction.", scale="log1p"),
    _knob("chains", "", "chains", "chains", "Independent chains. More of them narrow the band.", whole=True),
)}


def turn(config: ExitConfig, name: str, given: float | str) -> ExitConfig:
    """Return the configuration with one knob turned.

    Raises
    ------
    ValueError
        The words for the person: what is wrong, the allowed range, what was kept.
    """
    kept = f"Kept {KNOBS[name].say(getattr(config, name))}."
    value = KNOBS[name].read(given, getattr(config, name))
    config = config.replace(adopt=False)
    if name in ("dim", "curvature") and config.needs_live:  # the data fix both
        config = config.replace(target="quadratic", start="mode")
    return _together(config, config.replace(**{name: value}), name, isinstance(given, str), kept)


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

