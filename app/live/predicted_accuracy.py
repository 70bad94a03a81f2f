"""What eta0 predicts for the chains on show: the closed Gaussian model, fed with where they really start."""

from __future__ import annotations

from collections import deque

import numpy as np

from app.live.recent_samples import EPOCHS
from app.live.run_state import RunState
from sampler import GradientNoise, predict_accuracy

EVERY = 4
"""Of the pooled epochs, the starts of one in this many are used."""
MOST_NUMBERS = 256
"""Starts times dimensions in one prediction: a few milliseconds."""
GROWTH = 1.05
"""Of the data, until the gradient noise is measured anew."""


class Foresight:
    """Keeps recent starting points and the gradient noise of the last time the data had grown by 5 %."""

    def __init__(self) -> None:
        self._starts: deque[tuple[int, np.ndarray]] = deque(maxlen=EPOCHS // EVERY)
        self._noise: GradientNoise | None = None
        self._noise_t = 0

    def add(self, state: RunState) -> None:
        """Remember where the chains began the epoch that has just ended, about its mode."""
        if state.t % EVERY:
            return
        self._starts.append((state.count, (state.starts - state.tracker.mode)[~state.saga.diverged]))

    def accuracy(self, state: RunState) -> float | None:
        """Predicted marginal accuracy of the pooled samples; None where the model does not hold."""
        if not state.pool.size or not state.measurable or not np.isfinite(state.tracker.covariance).all():
            return None
        t, settings = state.count, state.saga.settings
        if self._noise is None or not self._noise_t <= state.t <= GROWTH * self._noise_t:
            tracker = state.tracker
            try:
                self._noise = GradientNoise.of_posterior(
                    tracker.posterior, tracker.mode, tracker.hessian, metric=state.metric)
            except ValueError:  # no curvature in some direction: there is no Gaussian model
                return None
            self._noise_t = state.t
        predicted = predict_accuracy(
            self._noise,
            settings,
            t,
            start=self._pooled(t, settings.offset),
            draws=state.pool.size,
            reference_draws=state.pool.reference_draws,
        )
        return predicted.accuracy if predicted.stable else None

    def _pooled(self, t: int, offset: float) -> np.ndarray | None:
        scaled = [starts * np.sqrt((s + offset) / (t + offset)) for s, starts in self._starts if s <= t]
        if not scaled:
            return None
        starts = np.concatenate(scaled)
        keep = max(1, MOST_NUMBERS // starts.shape[1])
        starts = starts[:: -(-len(starts) // keep)]
        return starts if len(starts) and np.abs(starts).max() < 1e6 else None
