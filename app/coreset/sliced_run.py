"""One run of the page: begun when its turn comes, advanced in slices, read out at log-spaced iterations."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from app.coreset.result import RunTrace
from app.state.coreset import RunKey
from sampler import coreset

PER_DECADE = 24
SPELL = 0.02
"""Seconds between two looks at whether to stop."""
FIRST = 9
"""Iteration from which the hot-start statistic says something."""


def marks(t: int) -> np.ndarray:
    """Iterations at which curves are drawn: whole numbers, 24 a decade, ``t`` the last; empty for t = 0."""
    if t < 1:
        return np.empty(0, dtype=np.int64)
    steps = np.arange(int(PER_DECADE * np.log10(t)) + 1)
    return np.unique(np.append(np.round(10 ** (steps / PER_DECADE)), t).astype(np.int64))


class SlicedRun:
    """A run and what went wrong with it; ``begin()`` makes it when its first slice is due."""

    def __init__(self, key: RunKey, begin: Callable[[], coreset.CoresetRun]) -> None:
        self.key, self._begin = key, begin
        self.run: coreset.CoresetRun | None = None
        self.fault = ""
        self.seconds = 0.0
        self._few = 8
        self._medians: dict[int, float] = {}
        self._statistics: dict[int, float] = {}

    @property
    def t(self) -> int:
        """Iterations done."""
        return 0 if self.run is None else self.run.t

    def advance(self, goal: int, seconds: float, stopped: Callable[[], bool]) -> None:
        """Go on to iteration ``goal``, for ``seconds`` at most; a failure becomes words."""
        began = time.monotonic()
        try:
            if self.run is None:
                self.run = self._begin()
            while self.run.t < goal and not stopped() and time.monotonic() - began < seconds:
                before = time.monotonic()
                self.run.advance(min(self._few, goal - self.run.t), stopped)
                self._suit(time.monotonic() - before)
        except ValueError as wrong:  # a likelihood that is not finite, weights that ran away: words for the user
            self.fault = str(wrong)
        self.seconds += time.monotonic() - began

    def _suit(self, took: float) -> None:
        """Choose how many iterations are asked for at once: some hundredths of a second's worth."""
        if took > 2 * SPELL:
            self._few = max(1, self._few // 2)
        elif took < SPELL:
            self._few = min(10_000, 2 * self._few)

    def trace(self) -> RunTrace:
        """Read the run out as it stands."""
        run, t = self.run, self.t
        at = marks(t)
        if run is None or t == 0:
            nothing = np.empty(0)
            return RunTrace(self.key, 0, at, nothing, nothing, nothing, nothing, np.empty((0, 2)), np.empty((0, 2)), nothing,
                         np.empty((0, 3)),
                         0.0, None, None, 0, self.seconds, (), self.fault)
        sums = run.weight_sums[at - 1]
        exact = run.model.variance_ratio(1.0)
        spread = (run.variance_ratio_at(at) if exact is None
                  else np.array([run.model.variance_ratio(total * run.model.n) for total in sums]))
        history = run.history
        return RunTrace(
            self.key, t, at, run.z_score_at(at), spread, sums, self._norms(run.gradient_norms, at),
            np.array(run.hot_start_checks, dtype=float).reshape(-1, 2), self._statistic(), np.array(history.iterations),
            np.array(history.rates).reshape(-1, 3), float(np.mean(run.weights == 0)), run.hot_start_iteration,
            run.hot_start_passed, run.likelihood_terms, self.seconds, tuple(run.notices), self.fault)

    def _statistic(self) -> np.ndarray:
        """Hot-start statistic at log-spaced iterations of the warm-up, (s, 2); finer than the checks."""
        return statistics(self.run, self._statistics) if self.key.hot else np.empty((0, 2))

    def _norms(self, norms: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Medians of ``norms`` (t,) over the iterations since the mark before; known ones are not computed again."""
        found, start = [], 0
        for end in at.tolist():
            value = self._medians.get(end)
            if value is None:
                value = float(np.median(norms[start:end]))
                if end != at[-1]:  # the last mark is wherever the run stands
                    self._medians[end] = value
            found.append(value)
            start = end
        return np.array(found)


def statistics(run: coreset.CoresetRun, known: dict[int, float]) -> np.ndarray:
    """Hot-start statistic at log-spaced iterations of a run's warm-up, (s, 2); ``known`` keeps what was computed."""
    end = run.t if run.hot_start_iteration is None else run.hot_start_iteration
    at = [t for t in marks(end).tolist() if t >= FIRST]
    potentials = run.log_potentials[:end]
    for t in at:
        if t not in known:
            known[t] = coreset.hot_start_statistic(potentials[:t])
    return np.array([(t, known[t]) for t in at]).reshape(-1, 2)
