"""`AccuracyForecast`: accuracy that eta0 predicts by the closed Gaussian model, from the chains' actual starts."""

from __future__ import annotations

from collections import deque

import numpy as np

from app.live.recent_samples import EPOCHS
from app.live.run_state import RunState
from sampler import GradientNoise, predict_accuracy

EVERY = 4
"""Stride of the pooled epochs of which the starts are used."""
MOST_NUMBERS = 256
"""Maximum of starts times dimensions in one prediction, which takes a few milliseconds."""
GROWTH = 1.05
"""Growth factor of the data after which the gradient noise is measured again."""


class AccuracyForecast:
    """Predictor of the accuracy, with recent starting points and the gradient noise, updated when the data grow by 5 %."""

    def __init__(self) -> None:
        self._starts: deque[tuple[int, np.ndarray]] = deque(maxlen=EPOCHS // EVERY)
        self._noise: GradientNoise | None = None
        self._noise_t = 0

    def add(self, state: RunState) -> None:
        """Store the chains' starts of the epoch that has just ended, relative to its mode."""
        if state.t % EVERY:
            return
        self._starts.append((state.count, (state.starts - state.tracker.mode)[~state.saga.diverged]))

    def accuracy(self, state: RunState) -> float | None:
        """Return the predicted marginal accuracy of the pooled samples; None if the model does not apply."""
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
