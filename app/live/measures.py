"""What is measured at the end of an epoch, and what the verdict is made from."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from app.live.foresight import Foresight
from app.live.history import RECENT, History, is_charted
from app.live.run_state import RunState
from app.live.timeline import Timeline
from app.state.live import default_config
from sampler.metrics import measure_gradient_variance
from sampler.tuning import Measurements

PAUSE = 0.3
"""Seconds between two measurements of the gradient variance and of the prediction."""
LARGEST = 1e30
MARGIN = 0.8
"""Of the largest stable eta0, what is offered."""


class Measures:
    """Latest values; `finish` takes in an epoch and records it in `history`, the rest reads out."""

    def __init__(self, history: History, timeline: Timeline, clock: Callable[[], float]) -> None:
        self._history, self._timeline, self._now = history, timeline, clock
        self.pooling = True  #: False far from the end of a replay, whose pool nobody will see
        self.foresight = Foresight()
        self.values: dict[str, float | None] = {}
        self._noise: deque[tuple[float, float]] = deque(maxlen=8)  # SAGA's variance b/t, SGLD's b/t^2
        self._stale, self._predicted = 0.0, None
        self._clock = -math.inf
        self._settings: object = None

    def finish(self, state: RunState) -> None:
        """Measure the epoch that has just ended and record it, unless history has it already (a replay)."""
        saga, t = state.saga, state.t
        sound = ~saga.diverged
        samples, mode = saga.positions, state.tracker.mode
        self.foresight.add(state)
        if state.truth.known and self.pooling:
            scores = (samples - state.truth.mean) / state.truth.std
            state.pool.add(t, state.truth.uniforms(samples), scores, sound)
        if t <= self._history.t:
            return  # a replay: recorded when it was lived
        values = self.values = dict(self._pooled(state))
        square = state.escape_distance**2
        inside = np.minimum(((samples - mode) ** 2).sum(axis=1) / square, LARGEST)[sound]
        farthest = np.minimum(saga.farthest / square, LARGEST)[sound]
        if inside.size:
            values["median"], values["q95"] = np.quantile(inside, (0.5, 0.95))
            values["farthest"] = farthest.max()
        counts = saga.epoch()
        values["cost"] = counts.gradient_evaluations / saga.chains
        values["full"] = t * counts.steps / saga.chains
        if not state.halted:
            self._slowly(state, values)
        resets = int(saga.was_reset.sum())
        self._history.record(t, exits=int((farthest > 1.0).sum()), resets=resets, **values)

    def _pooled(self, state: RunState):
        if not state.pool.size:
            return
        accuracy = state.pool.accuracy()
        mean, sd = state.pool.ceiling(state.truth.draws)
        yield from {"accuracy": accuracy, "tv": 1.0 - accuracy}.items()
        yield from {"ceiling_low": mean - 2 * sd, "ceiling_high": min(mean + 2 * sd, 1.0)}.items()
        yield "memory", state.pool.memory()

    def refresh(self, state: RunState) -> None:
        """Measure at the end of a replay, without recording."""
        self.values = {}
        if state.t and not state.halted:
            self._noise.clear()
            self._clock = -math.inf
            self._slowly(state, self.values)

    def _slowly(self, state: RunState, values: dict) -> None:
        now, settings = self._now(), state.saga.settings
        due = is_charted(state.t) or now - self._clock > PAUSE or settings != self._settings
        if not due:
            return
        if settings != self._settings:
            self._noise.clear()
        self._clock, self._settings = now, settings
        self._variance(state, values)
        self._predict(state, values)

    def _variance(self, state: RunState, values: dict) -> None:
        saga, chain, t = state.saga, state.chain, state.t
        scores = saga.cached_scores(chain)
        cached = saga.cached_gradients(chain) if scores is None else None
        found = measure_gradient_variance(
            saga.posterior, saga.positions[chain], saga.settings.batch_size, scores, cached, seed=t
        )
        values["saga"], values["sgld"], values["bound"] = found.saga, found.sgld, found.bound
        b = saga.settings.batch_size
        self._noise.append((found.saga * b / t, found.sgld * b / t**2))
        if not saga.settings.refresh:
            self._stale = float((2 * saga.cached_epochs(chain) < t).mean())
        else:
            self._stale = 0.0

    def _predict(self, state: RunState, values: dict) -> None:
        values["predicted"] = self._predicted = self.foresight.accuracy(state)

    # reading out ------------------------------------------------------------------------------------------

    def noise_share(self, state: RunState) -> float | None:
        """Variance of the gradient's error over that of the injected noise, eta Var/(2 d)."""
        if not self._noise or not state.t:
            return None
        settings, t = state.saga.settings, state.t
        saga, sgld = np.mean(self._noise, axis=0) / settings.batch_size
        variance = saga * t if settings.variance_reduction else sgld * t**2
        return float(settings.step_size(t) * variance / (2 * state.saga.dim))

    def measured(self, state: RunState) -> Measurements:
        """Return what the verdict is made from."""
        saga, t, history = state.saga, state.t, self._history
        window = max(1, min(RECENT, t - self._timeline.last_change(t)))
        width, lag = state.pool.shape() if state.pool.size else (None, None)
        mean, sd = state.pool.ceiling(state.truth.draws) if state.pool.size else (None, 0.0)
        divergence = saga.divergence
        curvature = self.largest_curvature(state)
        return Measurements(
            settings=saga.settings,
            t=t,
            chains=saga.chains,
            epochs=t - state.since,
            accuracy=state.pool.accuracy(),
            ceiling=mean,
            ceiling_sd=sd,
            predicted=self._predicted,
            width_bias=width,
            noise_share=self.noise_share(state),
            memory=state.pool.memory(),
            lag=lag,
            resets=history.count("resets", t, window),
            exits=history.count("exits", t, window),
            window=window,
            checkpoint_epoch=saga.checkpoint_epoch,
            stale_share=self._stale,
            reference_draws=state.truth.draws,
            reference_epoch=state.truth.epoch,
            diverged=None if divergence is None else (divergence.chain, divergence.epoch, divergence.step),
            diverged_chains=int(saga.diverged.sum()),
            largest_curvature=curvature,
            largest_eta0=None if not curvature else MARGIN * 2 * (t + saga.settings.offset) / curvature,
            advised=default_config(state.config.problem, state.config.given).settings,
        )

    def largest_curvature(self, state: RunState) -> float | None:
        """Largest eigenvalue of the Hessian at the mode."""
        hessian = state.tracker.hessian
        return float(np.linalg.eigvalsh(hessian)[-1]) if np.isfinite(hessian).all() else None
