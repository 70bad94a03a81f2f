"""`Constants`: the constants of LMV-n's three assumptions measured on the stream, and their ticks on the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.live.snapshot import Assumption

if TYPE_CHECKING:
    from sampler.theory import AssumptionMeter

MAX_CURVATURE_RATIO = 10.0
"""Maximum ratio of the largest curvature of a term to the mean one for assumption 1."""
MAX_UNEVENNESS = 3.0
"""Maximum tr(H) tr(H^-1)/d^2 for assumptions 1 and 2; on the paper's streams it is below 1.7."""
MAX_GROWTH = 1.5
"""Maximum growth factor of C while the data quadruple for assumption 2."""
MAX_DRIFT_RATIO = 3.0
"""Maximum ratio of D to C for assumption 3; with fixed truths it reached 2.8."""
FIRST_TICK = 64
"""First epoch with ticks."""
NO_TICKS = (None, None, None)

_LINES = (
    ("smooth", "L", "Largest curvature of one term. Outliers and directions of uneven curvature increase it."),
    (
        "concentrated",
        "C",
        "Root second moment of the target about its mode, times √(t + c). It should be constant as data arrive.",
    ),
    (
        "slow drift",
        "D",
        "Largest displacement of the mode while the data doubled, times √(t + c). A drifting truth increases it.",
    ),
)


class Constants:
    """Measured constants, which depend on the data only.

    Parameters
    ----------
    meter : `sampler.theory.AssumptionMeter`, or an equivalent that records the modes and their displacements
    even : whether every term has the same Hessian (the Gaussian mean)
    gradients_only : whether only gradients are available, so that the curvature of a term is unknown
    """

    def __init__(self, meter: AssumptionMeter, even: bool, gradients_only: bool = False) -> None:
        self.meter, self._even, self._gradients_only = meter, even, gradients_only
        self.modes: dict[int, Sequence[float]] = {}  #: mode at epochs 2^k
        self._spreads: dict[int, float] = {}  # root second moment about the mode at epochs 2^k
        self._squares = 0.0

    def add(self, t: int, mode: Sequence[float], variances: Sequence[float], *row: Sequence[float]) -> None:
        """Add the datum of epoch t, with the mode and the variances of the target that includes it."""
        length = 1.0 if self._even else math.hypot(*row[0])
        self._squares += length**2
        self.meter.add(length, mode)
        if t & (t - 1) == 0:
            self.modes[t] = [*mode]
            self._spreads[t] = spread_of(variances)

    def last_mode(self, t: int, now: Sequence[float]) -> Sequence[float]:
        """Return the mode at the largest power of two up to t; ``now`` if it is not recorded."""
        return self.modes.get(1 << (max(t, 1).bit_length() - 1), now)

    @property
    def smoothness(self) -> float | None:
        """Largest curvature of a term so far, L; None if only gradients are available."""
        return None if self._gradients_only else self.meter.smoothness

    def largest_drift(self, offset: float) -> float:
        """Return D, the largest displacement of the mode while the data doubled, times sqrt(t + c)."""
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
    """Return the root second moment of a target about its mode; 0 if it is not finite."""
    return math.sqrt(variance) if math.isfinite(variance := float(sum(variances))) else 0.0


def concentration_before(t: int, spreads: dict[int, float], offset: float) -> float:
    """Return C at the largest power of two up to t/4; ``spreads``: `spread_of` at powers of two."""
    before = 1 << max(t // 4, 1).bit_length() - 1
    return spreads.get(before, 0.0) * math.sqrt(before + offset)


def unevenness_of(curvatures: Sequence[float], variances: Sequence[float]) -> float:
    """Return tr(H) tr(H^-1)/d^2 from the two diagonals: 1 if the curvature is equal in all directions."""
    return float(sum(curvatures) * sum(variances)) / len(variances) ** 2


def not_measured() -> tuple[Assumption, ...]:
    """Return the three lines of a run before its first measurement."""
    return tuple(Assumption(n, name, f"{symbol} = …", None, help) for n, (name, symbol, help) in enumerate(_LINES, 1))


def lines_of(constants: tuple[float | None, ...], ticks: tuple[bool | None, ...]) -> tuple[Assumption, ...]:
    """Return the three lines of L, C and D with their ticks; None: unknown."""
    return tuple(Assumption(n, name, f"{symbol} = {_text(value)}", ok, help)
                 for n, ((name, symbol, help), value, ok) in enumerate(zip(_LINES, constants, ticks, strict=True), 1))


def ticks_of(constants: tuple[float | None, ...], curvature: float, then: float,
             unevenness: float) -> tuple[bool | None, bool, bool]:
    """Return whether each assumption is met.

    Parameters
    ----------
    constants : L (None: unknown), C and D
    curvature : mean curvature of a term
    then : C at a quarter of the data
    unevenness : of the Hessian, tr(H) tr(H^-1)/d^2
    """
    smooth, spread, drift = constants
    even = bool(unevenness <= MAX_UNEVENNESS)
    return (None if smooth is None else math.isfinite(smooth) and bool(smooth <= MAX_CURVATURE_RATIO * curvature) and even,
            bool(spread <= MAX_GROWTH * then) and even, bool(drift <= MAX_DRIFT_RATIO * spread))


def _text(value: float | None) -> str:
    if value is None:
        return "unknown"
    if not math.isfinite(value):
        return "∞"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"
