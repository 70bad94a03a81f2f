"""The assumption meter: the constants of LMV-n's three assumptions as this stream shows them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from app.live.snapshot import Assumption

if TYPE_CHECKING:
    from app.live.run import LiveRun

UNEVEN = 10.0
"""A term this many times as curved as the average one strains smoothness; so does a condition this far from 1."""
GROWS = 1.5
"""C that grows this much while the data quadruple is no constant."""
FAR = 2.5
"""A mode that moves this many times C is not drifting slowly."""
EARLY = 32


class Constants:
    """Modes and spreads of every epoch so far. They depend on the data only, so a replay may share them."""

    def __init__(self, dim: int) -> None:
        self._modes = np.zeros((64, dim), dtype=np.float32)
        self._spreads = np.zeros(64)

    def add(self, run: LiveRun) -> None:
        """Take in the mode and the root second moment about it at the end of an epoch."""
        t = run.t
        if t >= len(self._modes):
            self._modes = np.concatenate((self._modes, np.zeros_like(self._modes)))
            self._spreads = np.concatenate((self._spreads, np.zeros_like(self._spreads)))
        self._modes[t] = run.tracker.mode
        variance = float(np.trace(run.tracker.covariance))
        self._spreads[t] = math.sqrt(variance) if math.isfinite(variance) else 0.0

    def lines(self, run: LiveRun) -> tuple[Assumption, ...]:
        """Return the three lines of the meter at the end of the last epoch."""
        t, offset = run.t, run.saga.settings.offset
        if t < 2 or not run.done and t < 3:
            return tuple(Assumption(n, name, f"{s} = …", None, help) for n, name, s, help in _NAMES)
        t = t if run.done else t - 1
        smooth, uneven = _smoothness(run, t)
        spread = self._spreads[t] * math.sqrt(t + offset)
        before = self._spreads[max(1, t // 4)] * math.sqrt(max(1, t // 4) + offset)
        drift = self._drift(t, offset)
        condition = _unevenness(run.tracker.hessian)
        early = t < EARLY
        verdicts = (
            None if early else uneven <= UNEVEN and condition <= UNEVEN,
            None if early else spread <= GROWS * before and condition <= UNEVEN,
            None if early else drift <= FAR * spread,
        )
        texts = (_text(smooth), _text(spread), _text(drift))
        return tuple(
            Assumption(n, name, f"{s} = {text}", ok, help)
            for (n, name, s, help), text, ok in zip(_NAMES, texts, verdicts, strict=True)
        )

    def _drift(self, t: int, offset: float) -> float:
        """D: largest sqrt(tau + c) ||x*_t - x*_tau|| over tau from t/2 to t."""
        epochs = np.unique(np.linspace(max(1, t // 2), t, 65).astype(int))
        moved = np.linalg.norm(self._modes[t] - self._modes[epochs], axis=1)
        return float((np.sqrt(epochs + offset) * moved).max())


_NAMES = (
    (
        1,
        "smooth",
        "L",
        "Largest curvature of one term. Outliers and directions of very different curvature strain it.",
    ),
    (
        2,
        "concentrated",
        "C",
        "Root second moment of the target about its mode, times √(t + c). It should stay put as data arrive.",
    ),
    (
        3,
        "slow drift",
        "D",
        "How far the mode moved while the data doubled, times √(t + c). A truth that drifts makes it grow.",
    ),
)


def _smoothness(run: LiveRun, t: int) -> tuple[float, float]:
    """L, and how many times the average curvature it is; at the mode where no bound exists."""
    problem = run.data.problem
    if run.data.kind == "gaussian_mean":
        return problem.curvature_bound, 1.0
    squares = run.data.lengths(t) ** 2
    if math.isfinite(problem.curvature_bound):
        curvatures = problem.curvature_bound * squares
    else:
        posterior = run.tracker.posterior
        curvatures = problem.score_curvature(posterior.scores(run.tracker.mode))[:t] * squares
    return float(curvatures.max()), float(curvatures.max() / max(curvatures.mean(), 1e-300))


def _unevenness(hessian: np.ndarray) -> float:
    """tr(H) tr(H^-1)/d^2: 1 where every direction is as curved as the others."""
    values = np.linalg.eigvalsh(hessian)
    return float(values.mean() * (1.0 / values).mean()) if values[0] > 0 else math.inf


def _text(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"
