"""The assumption meter: the constants of LMV-n's three assumptions as this stream shows them, with ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from app.live.snapshot import Assumption
from sampler.reference import ModeTracker, OracleModeTracker
from sampler.theory import AssumptionMeter, concentration_constant

UNEVEN = 10.0
"""A term this many times as curved as the mean one strains smoothness."""
SKEWED = 3.0
"""tr(H) tr(H^-1)/d^2 of the paper's streams stays below 1.7; so uneven a Hessian strains both 1 and 2."""
GROWS = 1.5
"""C that grows this much while the data quadruple is no constant."""
FAR = 3.0
"""A mode that ever moved this many times C is not drifting slowly; on still truths the largest move reached 2.8."""
EARLY = 64

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
    """Measured constants; they depend on the data only."""

    def __init__(self, curvature_bound: float, even: bool) -> None:
        self.meter = AssumptionMeter(curvature_bound)
        self.modes: dict[int, np.ndarray] = {}  #: mode at epochs 2^k
        self._even = even  # every term has the same Hessian (the Gaussian mean)
        self._spreads: dict[int, float] = {}  # at epochs 2^k: root second moment about the mode
        self._squares = 0.0

    def add(self, tracker: ModeTracker | OracleModeTracker, *row: np.ndarray) -> None:
        """Take in the datum that opens an epoch, once the tracker has it."""
        length = 1.0 if self._even else float(np.linalg.norm(row[0]))
        self._squares += length**2
        t = tracker.t
        self.meter.add(length, tracker.mode)
        if t & (t - 1) == 0:
            self.modes[t] = tracker.mode.copy()
            self._spreads[t] = spread_of(tracker.covariance.diagonal())

    def lines(self, tracker: ModeTracker | OracleModeTracker, mean: np.ndarray, offset: float) -> tuple[Assumption, ...]:
        """Return the three lines of the meter, for the target's mean (d,) and the offset c."""
        t = tracker.t
        known = t >= 2 and np.isfinite(tracker.covariance).all()
        if not known:
            return not_measured()
        self.meter.offset = offset
        spread = concentration_constant(t, self.meter.offset, tracker.covariance, mean, tracker.mode)
        smooth, drift = self.meter.smoothness, self.meter.largest_drift
        blind = isinstance(tracker, OracleModeTracker)  # a gradient alone does not tell how curved one term is
        constants = (None if blind else smooth, spread, drift)
        variances, curvatures = tracker.covariance.diagonal(), tracker.hessian.diagonal()
        curvature = self.meter.curvature_bound * self._squares / t
        return lines_at(t, constants, curvature, concentration_before(t, self._spreads, offset),
                        unevenness_of(curvatures, variances))


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


def lines_at(t: int, constants: tuple[float | None, ...], curvature: float, then: float,
             unevenness: float) -> tuple[Assumption, ...]:
    """Return the three lines of epoch t, as `lines_of` and `ticks_of`; early, no tick."""
    return lines_of(constants, (None, None, None) if t < EARLY else ticks_of(constants, curvature, then, unevenness))


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
    even = bool(unevenness <= SKEWED)
    return (None if smooth is None else math.isfinite(smooth) and bool(smooth <= UNEVEN * curvature) and even,
            bool(spread <= GROWS * then) and even, bool(drift <= FAR * spread))


def _text(value: float | None) -> str:
    if value is None:
        return "not known"
    if not math.isfinite(value):
        return "∞"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"
