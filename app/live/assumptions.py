"""The assumption meter: the constants of LMV-n's three assumptions as this stream shows them, with ticks."""

from __future__ import annotations

import copy
import math

import numpy as np

from app.live.run_state import RunState
from app.live.snapshot import Assumption
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
    """Measured constants; they depend on the data only, so what is kept of past epochs may be shared."""

    def __init__(self, curvature_bound: float, even: bool) -> None:
        self.meter = AssumptionMeter(curvature_bound)
        self.modes: dict[int, np.ndarray] = {}  #: mode at epochs 2^k
        self._even = even  # every term has the same Hessian (the Gaussian mean)
        self._spreads: dict[int, float] = {}  # at epochs 2^k: root second moment about the mode
        self._squares = 0.0

    def copy(self) -> Constants:
        """Return a copy that goes its own way, sharing what is known of past epochs."""
        other = copy.copy(self)
        other.meter = copy.deepcopy(self.meter)
        return other

    def add(self, state: RunState, *row: np.ndarray) -> None:
        """Take in the datum that opens an epoch, once the tracker has it."""
        length = 1.0 if self._even else float(np.linalg.norm(row[0]))
        self._squares += length**2
        t, tracker = state.tracker.t, state.tracker
        self.meter.add(length, tracker.mode)
        if t & (t - 1) == 0:
            self.modes[t] = tracker.mode.copy()
            variance = float(np.trace(tracker.covariance))
            self._spreads[t] = math.sqrt(variance) if math.isfinite(variance) else 0.0

    def lines(self, state: RunState) -> tuple[Assumption, ...]:
        """Return the three lines of the meter."""
        t, tracker = state.t, state.tracker
        known = t >= 2 and np.isfinite(tracker.covariance).all()
        if not known:
            return not_measured()
        self.meter.offset = state.saga.settings.offset
        mean = state.truth.mean if state.truth.known else tracker.mode
        spread = concentration_constant(t, self.meter.offset, tracker.covariance, mean, tracker.mode)
        smooth, drift = self.meter.smoothness, self.meter.largest_drift
        blind = state.data.kind == "oracle"  # a gradient alone does not tell how curved one term is
        texts = ("not known" if blind else _text(smooth), _text(spread), _text(drift))
        ticks = (None,) * 3 if t < EARLY else self._ticks(state, smooth, spread, drift)
        ticks = (None, *ticks[1:]) if blind else ticks
        return tuple(
            Assumption(n, name, f"{symbol} = {text}", ok, help)
            for n, ((name, symbol, help), text, ok) in enumerate(zip(_LINES, texts, ticks, strict=True), 1)
        )

    def _ticks(self, state: RunState, smooth: float, spread: float, drift: float) -> tuple[bool, bool, bool]:
        t, offset = state.t, self.meter.offset
        before = 1 << (t // 4).bit_length() - 1  # the power of two at a quarter of the data, or just below
        then = self._spreads.get(before, 0.0) * math.sqrt(before + offset)
        mean = self.meter.curvature_bound * self._squares / t
        even = _unevenness(state.tracker.hessian) <= SKEWED
        return (
            bool(math.isfinite(smooth) and smooth <= UNEVEN * mean and even),
            bool(spread <= GROWS * then and even),
            bool(drift <= FAR * spread),
        )


def not_measured() -> tuple[Assumption, ...]:
    """Return the three lines of a run of which nothing is known yet."""
    return tuple(Assumption(n, name, f"{symbol} = …", None, help) for n, (name, symbol, help) in enumerate(_LINES, 1))


def _unevenness(hessian: np.ndarray) -> float:
    """tr(H) tr(H^-1)/d^2: 1 where every direction is as curved as the others."""
    values = np.linalg.eigvalsh(hessian)
    return float(values.mean() * (1.0 / values).mean()) if values[0] > 0 else math.inf


def _text(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"
