"""What is measured at the end of an epoch, and what the verdict is made from."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from app.live.counted_since import CountedSince, counted_since
from app.live.history import RECENT, History, is_charted
from app.live.predicted_accuracy import Foresight
from app.live.recent_samples import EPOCHS
from app.live.run_state import RunState
from app.live.timeline import Timeline
from app.state.live import default_config
from sampler import Settings
from sampler.metrics import measure_gradient_variance
from sampler.tuning import Measurements

NOISE_EVERY, PREDICTED_EVERY = 4, 16
"""Epochs between two measurements of the gradient variance, and of the prediction, where the charts do not ask for
one. Counted, never timed: a slow machine finds the same numbers."""
NOISE_WINDOW = 32
"""Epochs over which the verdict averages the gradient variance."""
THROWN = 0.1
"""Share of a chain's epochs with a reset from which on the cloud is that of the checkpoints."""
LARGEST = 1e30
MARGIN = 0.8
"""Of the largest stable eta0, what is offered."""


class Measures:
    """Latest values; `finish` takes in an epoch and records it in `history`, the rest reads out."""

    def __init__(self, history: History, timeline: Timeline, first: tuple[Settings, float]) -> None:
        self._history, self._timeline, self._first = history, timeline, first
        self.pooling = True  #: False far from the end of a replay, whose pool nobody will see
        self.foresight = Foresight()
        self._predicted: float | None = None
        self._settings: object = None  # when the prediction was made

    def finish(self, state: RunState) -> None:
        """Measure the epoch that has just ended and record it, unless history has it already (a replay)."""
        saga, t = state.saga, state.t
        sound = ~saga.diverged
        samples, mode = saga.positions, state.tracker.mode
        self.foresight.add(state)
        if state.truth.known and self.pooling:
            scores = (samples - state.truth.mean) / state.truth.std
            state.pool.add(t, state.truth.uniforms(samples), scores, sound, (state.truth.epoch, state.truth.ceiling_draws))
        if t <= self._history.t:
            return  # a replay: recorded when it was lived
        values = dict(self._pooled(state))
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
            self._measure_seldom(state, values)
        resets = int(saga.was_reset.sum())
        self._history.record(t, exits=int((farthest > 1.0).sum()), resets=resets, **values)

    def _pooled(self, state: RunState):
        if not state.pool.size:
            return
        accuracy = state.pool.accuracy()
        mean, sd = state.pool.ceiling()
        yield from {"accuracy": accuracy, "tv": 1.0 - accuracy}.items()
        yield from {"ceiling_low": mean - 2 * sd, "ceiling_high": min(mean + 2 * sd, 1.0)}.items()
        yield "memory", state.pool.memory()

    def refresh(self, state: RunState) -> None:
        """Predict at the end of a replay; the rest has been recorded."""
        if state.t and not state.halted:
            self._predict(state)

    def _measure_seldom(self, state: RunState, values: dict) -> None:
        t, turned = state.t, state.saga.settings != self._settings
        if is_charted(t) or turned or t % NOISE_EVERY == 0:
            values |= self._variance(state)
        if is_charted(t) or turned or t % PREDICTED_EVERY == 0:
            values["predicted"] = self._predict(state)

    def _variance(self, state: RunState) -> dict[str, float | None]:
        if not state.measurable:
            return {}
        saga, chain = state.saga, state.chain
        scores = saga.cached_scores(chain)
        cached = saga.cached_gradients(chain) if scores is None else None
        found = measure_gradient_variance(
            saga.posterior, saga.positions[chain], saga.settings.batch_size, scores, cached, seed=state.t,
            metric=state.metric)
        return {"saga": found.saga, "sgld": found.sgld, "bound": found.bound}

    def _predict(self, state: RunState) -> float | None:
        self._settings, self._predicted = state.saga.settings, self.foresight.accuracy(state)
        return self._predicted

    # reading out ------------------------------------------------------------------------------------------

    def since(self, state: RunState) -> CountedSince:
        """Since when what the verdict judges is counted."""
        return counted_since(self._timeline.changes, self._first, state.t)

    def _thrown_about(self, state: RunState, since: CountedSince) -> bool:
        """Whether the pool is of chains that old checkpoints throw about: then it is no sample of these knobs."""
        last = min(state.t, since.resets)
        epochs = last - max(since.knobs, state.t - EPOCHS)
        return epochs > 0 and self._history.count("resets", last, epochs) > THROWN * epochs * state.saga.chains

    def noise_share(self, state: RunState) -> float | None:
        """Variance of the gradient's error over that of the injected noise, eta Var/(2 d), in the chain's own metric."""
        t, settings = state.t, state.saga.settings
        last = min(t, self._history.t)  # the epoch under way has not been recorded
        epochs = np.arange(max(1, self.since(state).knobs + 1, t - NOISE_WINDOW + 1), last + 1)
        if not epochs.size:
            return None
        column, power = ("saga", 1) if settings.variance_reduction else ("sgld", 2)  # as t, or as its square
        if state.preconditioned:
            power -= 1  # a metric that grows as t takes one power off
        measured = self._history.column(column, t)[epochs] * (t / epochs) ** power
        known = np.isfinite(measured)
        if not known.any():
            return None
        return float(state.step_size * measured[known].mean() / (2 * state.saga.dim))

    def stale_share(self, state: RunState) -> float:
        """Share of the followed chain's cached gradients older than t/2; 0 where they are refreshed."""
        if state.saga.settings.refresh or not state.t:
            return 0.0
        return float((2 * state.saga.cached_epochs(state.chain) < state.t).mean())

    def measured(self, state: RunState) -> Measurements:
        """Return what the verdict is made from."""
        saga, t, history, since = state.saga, state.t, self._history, self.since(state)
        own = t > since.resets
        window, resets_window = (min(RECENT, t - begun) for begun in (since.exits, since.resets if own else since.knobs))
        width, lag, narrowness = state.pool.shape() if state.pool.size else (None, None, None)
        mean, sd = state.pool.ceiling() if state.pool.size else (None, 0.0)
        divergence = saga.divergence
        curvature = self.largest_curvature(state)
        return Measurements(
            settings=saga.settings,
            t=t,
            chains=saga.chains,
            epochs=max(0, t - max(state.since, since.resets if self._thrown_about(state, since) else since.knobs)),
            accuracy=state.pool.accuracy(),
            ceiling=mean,
            ceiling_sd=sd,
            predicted=self._predicted,
            width_bias=width,
            narrowness=narrowness,
            dim=saga.dim,
            draws=state.pool.size,
            pairs=state.pool.pairs,
            noise_share=self.noise_share(state),
            memory=state.pool.memory(),
            lag=lag,
            resets=history.count("resets", t, resets_window),
            exits=history.count("exits", t, window) if window else None,
            window=window,
            resets_window=resets_window,
            own_checkpoint=own,
            checkpoint_epoch=saga.checkpoint_epoch,
            stale_share=self.stale_share(state),
            reference_draws=state.truth.draws,
            reference_epoch=state.truth.epoch,
            diverged=None if divergence is None else (divergence.chain, divergence.epoch, divergence.step),
            diverged_chains=int(saga.diverged.sum()),
            largest_curvature=curvature,
            largest_eta0=None if not curvature else MARGIN * 2 * saga.settings.eta0 / (state.step_size * curvature),
            algorithm=state.config.algorithm,
            advised=default_config(state.config.problem, state.config.given, state.config.algorithm).settings,
        )

    def largest_curvature(self, state: RunState) -> float | None:
        """Largest eigenvalue of the Hessian at the mode, in the chain's own metric where it has one."""
        hessian = state.tracker.hessian
        if not (state.measurable and np.isfinite(hessian).all()):
            return None
        return float(eigh(hessian, state.metric, eigvals_only=True)[-1])
