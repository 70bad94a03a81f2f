"""The four meters under Live's verdict: width bias, gradient noise, memory, share of epochs that reset a chain."""

from __future__ import annotations

from dataclasses import dataclass

from sampler.tuning import Measurements


@dataclass(frozen=True)
class Meter:
    """One of the verdict's four meters."""

    key: str  #: "width", "noise", "memory" or "resets"
    label: str  #: "width bias", "gradient noise", "memory", "epochs reset"
    text: str  #: "6 %", "5.7 ×", "3", or "…" while there is nothing to show
    fill: float  #: in [0, 1], length of the bar
    tick: float  #: in [0, 1], where the limit stands
    bad: bool  #: past its limit


def meters(measured: Measurements) -> tuple[Meter, ...]:
    """Width bias, gradient noise, memory and the share of epochs that reset a chain, with the limits of this measurement."""
    noise, memory, limits = measured.noise_share, measured.memory, measured.limits
    resets = None if measured.resets_window == 0 or measured.t == 0 else measured.reset_rate
    allowed = limits["resets"] if measured.own_checkpoint else max(limits["resets"], resets or 0.0)
    return (
        _meter("width", "width bias", measured.width_bias, limits["width"], 0.25, _percent),
        _meter("noise", "gradient noise", noise, limits["noise"], 0.5, _share),
        _meter("memory", "memory", None if memory is None else max(memory, 0.0), limits["memory"], 0.5, _percent),
        _meter("resets", "epochs reset", resets, allowed, 0.5, lambda n: f"{100 * n:.2g} %"),
    )


def _meter(key: str, label: str, value: float | None, limit: float, tick: float, text) -> Meter:
    if value is None:
        return Meter(key, label, "…", 0.0, tick, False)
    fill = min(1.0, max(0.0, value / limit * tick))
    return Meter(key, label, text(value), fill, tick, value > limit)


def _percent(value: float) -> str:
    if value >= 10:
        return f"{1 + value:,.0f} ×" if value < 9_999 else "> 10⁴ ×"
    return f"{100 * value:.0f} %".replace("-0 %", "0 %")


def _share(value: float) -> str:
    return f"{value:,.1f} ×" if value >= 2 else _percent(value)
