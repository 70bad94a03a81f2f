"""What is measured at the end of an epoch, and the verdict, meters and assumptions made from it."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from app.live.foresight import Foresight
from app.live.history import RECENT, is_charted
from app.live.meters import meters
from app.live.presets import default_config
from app.live.snapshot import Assumption, Meter
from sampler import judge
from sampler.metrics import measure_gradient_variance
from sampler.tuning import Measured

if TYPE_CHECKING:
    from app.live.run import LiveRun
    from sampler.tuning import Verdict

PAUSE = 0.3
"""Seconds between two measurements of the gradient variance and of the prediction."""
LARGEST = 1e30
MARGIN = 0.8
"""Of the largest stable eta0, what is offered."""


class Measures:
    """Latest values; `finish` takes in an epoch, the rest reads out."""

    def __init__(self) -> None:
        self.foresight = Foresight()
        self.values: dict[str, float | None] = {}
        self._noise: deque[tuple[float, float]] = deque(maxlen=8)  # SAGA's variance b/t, SGLD's b/t^2
        self._stale, self._predicted = 0.0, None
        self._clock = -math.inf
        self._settings: object = None

    def finish(self, run: LiveRun) -> None:
        """Measure the epoch that has just ended and record it, unless history has it already (a replay)."""
        saga, t = run.saga, run.t
        sound = ~saga.diverged
        samples, mode = saga.positions, run.tracker.mode
        self.foresight.add(run)
        if run.truth.known and run.pooling:
            scores = (samples - run.truth.mean) / run.truth.std
            run.pool.add(t, run.truth.uniforms(samples), scores, sound)
        if t <= run.history.t:
            return  # a replay: recorded when it was lived
        values = self.values = dict(self._pooled(run))
        square = run.escape_distance**2
        inside = np.minimum(((samples - mode) ** 2).sum(axis=1) / square, LARGEST)[sound]
        farthest = np.minimum(saga.farthest / square, LARGEST)[sound]
        if inside.size:
            values["median"], values["q95"] = np.quantile(inside, (0.5, 0.95))
            values["farthest"] = farthest.max()
        counts = saga.epoch()
        values["cost"] = counts.gradient_evaluations / saga.chains
        values["full"] = t * counts.steps / saga.chains
        if not run.halted:
            self._slowly(run, values)
        resets = int(saga.was_reset.sum())
        run.history.record(t, exits=int((farthest > 1.0).sum()), resets=resets, **values)

    def _pooled(self, run: LiveRun):
        if not run.pool.size:
            return
        accuracy = run.pool.accuracy()
        mean, sd = run.pool.ceiling(run.truth.draws)
        yield from {"accuracy": accuracy, "tv": 1.0 - accuracy}.items()
        yield from {"ceiling_low": mean - 2 * sd, "ceiling_high": min(mean + 2 * sd, 1.0)}.items()
        yield "memory", run.pool.memory()

    def refresh(self, run: LiveRun) -> None:
        """Measure at the end of a replay, without recording."""
        self.values = {}
        if run.t and not run.halted:
            self._noise.clear()
            self._clock = -math.inf
            self._slowly(run, self.values)

    def _slowly(self, run: LiveRun, values: dict) -> None:
        now, settings = run.clock(), run.saga.settings
        due = is_charted(run.t) or now - self._clock > PAUSE or settings != self._settings
        if not due:
            return
        if settings != self._settings:
            self._noise.clear()
        self._clock, self._settings = now, settings
        self._variance(run, values)
        self._predict(run, values)

    def _variance(self, run: LiveRun, values: dict) -> None:
        saga, chain, t = run.saga, run.chain, run.t
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

    def _predict(self, run: LiveRun, values: dict) -> None:
        values["predicted"] = self._predicted = self.foresight.accuracy(run)

    # reading out ------------------------------------------------------------------------------------------

    def noise_share(self, run: LiveRun) -> float | None:
        """Variance of the gradient's error over that of the injected noise, eta Var/(2 d)."""
        if not self._noise or not run.t:
            return None
        settings, t = run.saga.settings, run.t
        saga, sgld = np.mean(self._noise, axis=0) / settings.batch_size
        variance = saga * t if settings.variance_reduction else sgld * t**2
        return float(settings.step_size(t) * variance / (2 * run.saga.dim))

    def measured(self, run: LiveRun) -> Measured:
        """Return what the verdict is made from."""
        saga, t, history = run.saga, run.t, run.history
        window = max(1, min(RECENT, t - run.timeline.last_change(t)))
        width, lag = run.pool.shape() if run.pool.size else (None, None)
        mean, sd = run.pool.ceiling(run.truth.draws) if run.pool.size else (None, 0.0)
        divergence = saga.divergence
        curvature = self.largest_curvature(run)
        return Measured(
            settings=saga.settings,
            t=t,
            chains=saga.chains,
            epochs=t - run.since,
            accuracy=run.pool.accuracy(),
            ceiling=mean,
            ceiling_sd=sd,
            predicted=self._predicted,
            width_bias=width,
            noise_share=self.noise_share(run),
            memory=run.pool.memory(),
            lag=lag,
            resets=history.count("resets", t, window),
            exits=history.count("exits", t, window),
            window=window,
            checkpoint_epoch=saga.checkpoint_epoch,
            stale_share=self._stale,
            reference_draws=run.truth.draws,
            reference_epoch=run.truth.epoch,
            diverged=None if divergence is None else (divergence.chain, divergence.epoch, divergence.step),
            diverged_chains=int(saga.diverged.sum()),
            largest_curvature=curvature,
            largest_eta0=None if not curvature else MARGIN * 2 * (t + saga.settings.offset) / curvature,
            advised=default_config(run.config.problem, run.config.given).settings,
        )

    def verdict(self, run: LiveRun) -> tuple[Verdict, tuple[Meter, ...], tuple[Assumption, ...]]:
        """Return the verdict, its four meters and the three assumptions."""
        measured = self.measured(run)
        return judge(measured), meters(measured), run.constants.lines(run)

    def largest_curvature(self, run: LiveRun) -> float | None:
        """Largest eigenvalue of the Hessian at the mode."""
        hessian = run.tracker.hessian
        return float(np.linalg.eigvalsh(hessian)[-1]) if np.isfinite(hessian).all() else None
