"""`CoresetResult`: what the worker hands to the page; immutable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.coreset.data_plane import PlaneData, PlanePoints
from app.state.coreset import CoresetConfig, RunKey


@dataclass(frozen=True, eq=False)
class RunTrace:
    """One run so far, at log-spaced iterations."""

    key: RunKey
    t: int
    iterations: np.ndarray  #: (j,)
    z: np.ndarray  #: (j,) average squared z-score, Eq. 6
    variance: np.ndarray  #: (j,) coreset over full-data posterior variance
    sums: np.ndarray  #: (j,) sum of weights / N
    norms: np.ndarray  #: (j,) gradient norms, medians since the point before
    checks: np.ndarray  #: (c, 2) iteration, hot-start statistic
    statistic: np.ndarray  #: (s, 2) the same at log-spaced iterations of the warm-up
    rate_iterations: np.ndarray  #: (h,)
    rates: np.ndarray  #: (h, 3) 10, 50, 90 % points over weights of the effective rate; nan before training
    zeros: float  #: share of weights that are zero
    hot_at: int | None  #: iteration after which the weights are trained; None while it is waited for
    passed: bool | None  #: False when the cap ended the wait
    terms: int  #: log-likelihood terms the algorithm needed
    seconds: float  #: spent in it
    notices: tuple[str, ...] = ()
    fault: str = ""  #: why it stopped, in words

    @property
    def score(self) -> float:
        """Last z-score; nan before the first."""
        return float(self.z[-1]) if self.z.size else float("nan")

    @property
    def spread(self) -> float:
        """Last variance ratio."""
        return float(self.variance[-1]) if self.variance.size else float("nan")


@dataclass(frozen=True, eq=False)
class CoresetResult:
    """One instant of all runs."""

    config: CoresetConfig  #: as run
    title: str  #: of the data
    n: int
    dim: int  #: D, coordinates of theta
    truth: str  #: how the full-data posterior is known, in words
    floor: np.ndarray | None  #: (2, j) iterations and the least z-score, on the Gaussian model
    truth_noise: float  #: what the truth's own error adds to a z-score; taken off every score
    traces: tuple[RunTrace, ...]
    background: PlaneData
    points: PlanePoints | None  #: of the run that is looked at
    notes: tuple[str, ...] = ()
    has_gradients: bool = True

    @property
    def t(self) -> int:
        """Iterations that every run has done."""
        return min((trace.t for trace in self.traces if not trace.fault), default=0)

    def floor_at(self, t: float) -> float | None:
        """The least z-score at T = t, None where it is not known."""
        if self.floor is None or t < 1:
            return None
        return float(self.floor[1, 0] * self.floor[0, 0] / t)

    def trace(self, key: RunKey) -> RunTrace | None:
        """Return one run, None when it has not begun."""
        return next((trace for trace in self.traces if trace.key == key), None)
