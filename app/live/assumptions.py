"""The assumption meter: the constants of LMV-n's three assumptions as this stream shows them, with ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.live.snapshot import Assumption

if TYPE_CHECKING:
    from sampler.theory import AssumptionMeter

MAX_CURVATURE_RATIO = 10.0
"""A term this many times as curved as the mean one strains smoothness."""
MAX_UNEVENNESS = 3.0
"""tr(H) tr(H^-1)/d^2 of the paper's streams stays below 1.7; so uneven a Hessian strains both 1 and 2."""
MAX_GROWTH = 1.5
"""C that grows this much while the data quadruple is no constant."""
MAX_DRIFT_RATIO = 3.0
"""A mode that ever moved this many times C is not drifting slowly; on still truths the largest move reached 2.8."""
FIRST_TICK = 64
"""Before this epoch no tick."""
NO_TICKS = (None, None, None)

_LINES = (
    ("smooth", "L", "Largest curvature of one term. Outliers and directions of uneven curvature strain it."),
    (
        "concentrated",
        "C",
        "Root second moment of the target about its mode, times √(t + c). It should stay put as data arrive.",
    ),
    (
        "slow drift",
        "D",
        "How far the mode ever moved while the data doubled, times √(t + c). A truth that drifts makes it grow.",
    ),
)


class Constants:
    """Measured constants; they depend on the data only.

    Parameters
    ----------
    meter : remembers the modes and says how far they moved, as `sampler.theory.AssumptionMeter`
    even : whether every term has the same Hessian (the Gaussian mean)
    gradients_only : whether only gradients are seen, which do not tell how curved one term is
    """

    def __init__(self, meter: AssumptionMeter, even: bool, gradients_only: bool = False) -> None:
        self.meter, self._even, self._gradients_only = meter, even, gradients_only
        self.modes: dict[int, Sequence[float]] = {}  #: mode at epochs 2^k
        self._spreads: dict[int, float] = {}  # at epochs 2^k: root second moment about the mode
        self._squares = 0.0

    def add(self, t: int, mode: Sequence[float], variances: Sequence[float], *row: Sequence[float]) -> None:
        """Take in the datum that opens epoch t, with the target's mode and variances once it has it."""
        length = 1.0 if self._even else math.hypot(*row[0])
        self._squares += length**2
        self.meter.add(length, mode)
        if t & (t - 1) == 0:
            self.modes[t] = [*mode]
            self._spreads[t] = spread_of(variances)

    def last_mode(self, t: int, now: Sequence[float]) -> Sequence[float]:
        """Return the mode at the largest power of two up to t; ``now`` where none has been taken in."""
        return self.modes.get(1 << (max(t, 1).bit_length() - 1), now)

    @property
    def smoothness(self) -> float | None:
        """L: largest curvature of a term so far; None where only gradients are seen."""
        return None if self._gradients_only else self.meter.smoothness

    def largest_drift(self, offset: float) -> float:
        """D: how far the mode ever moved while the data doubled, times sqrt(t + c)."""
        self.meter.offset = offset
        return self.meter.largest_drift

    def lines(self, t: int, concentration: float, variances: Sequence[float], curvatures: Sequence[float],
              offset: float) -> tuple[Assumption, ...]:
        """Return the three lines of the meter at epoch t.

        Parameters
        ----------
        concentration : C
        variances, curvatures : (d,), diagonals of the covariance and the Hessian at the mode
        offset : c
        """
        if t < 2 or not all(math.isfinite(one) for one in variances):
            return not_measured()
        constants = (self.smoothness, concentration, self.largest_drift(offset))
        if t < FIRST_TICK:
            return lines_of(constants, NO_TICKS)
        return lines_of(constants, ticks_of(constants, self.meter.curvature_bound * self._squares / t, concentration_before(
            t, self._spreads, offset), unevenness_of(curvatures, variances)))


def spread_of(variances: Sequence[float]) -> float:
    """Return the root second moment of a target about its mode; 0 where it has none."""
    return math.sqrt(variance) if math.isfinite(variance := float(sum(variances))) else 0.0


def concentration_before(t: int, spreads: dict[int, float], offset: float) -> float:
    """Return C at the power of two at a quarter of the data, or just below; ``spreads``: `spread_of` at powers of two."""
    before = 1 << max(t // 4, 1).bit_length() - 1
    return spreads.get(before, 0.0) * math.sqrt(before + offset)


def unevenness_of(curvatures: Sequence[float], variances: Sequence[float]) -> float:
    """Return tr(H) tr(H^-1)/d^2 from the two diagonals: 1 where every direction is as curved as the others."""
    return float(sum(curvatures) * sum(variances)) / len(variances) ** 2


def not_measured() -> tuple[Assumption, ...]:
    """Return the three lines of a run of which nothing is known yet."""
    return tuple(Assumption(n, name, f"{symbol} = …", None, help) for n, (name, symbol, help) in enumerate(_LINES, 1))


def lines_of(constants: tuple[float | None, ...], ticks: tuple[bool | None, ...]) -> tuple[Assumption, ...]:
    """Return the three lines of L, C and D, and whether each holds; None: not known."""
    return tuple(Assumption(n, name, f"{symbol} = {_text(value)}", ok, help)
                 for n, ((name, symbol, help), value, ok) in enumerate(zip(_LINES, constants, ticks, strict=True), 1))


def ticks_of(constants: tuple[float | None, ...], curvature: float, then: float,
             unevenness: float) -> tuple[bool | None, bool, bool]:
    """Return whether each assumption holds.

    Parameters
    ----------
    constants : L (None: not known), C and D
    curvature : mean one of a term
    then : C when there were a quarter of the data
    unevenness : of the Hessian, tr(H) tr(H^-1)/d^2
    """
    smooth, spread, drift = constants
    even = bool(unevenness <= MAX_UNEVENNESS)
    return (None if smooth is None else math.isfinite(smooth) and bool(smooth <= MAX_CURVATURE_RATIO * curvature) and even,
            bool(spread <= MAX_GROWTH * then) and even, bool(drift <= MAX_DRIFT_RATIO * spread))


def _text(value: float | None) -> str:
    if value is None:
        return "not known"
    if not math.isfinite(value):
        return "∞"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"
