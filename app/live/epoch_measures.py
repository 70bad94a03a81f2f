"""What is measured at the end of an epoch, what the verdict is made from, and since when each measure counts."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from app.live import measure_rules as rules
from app.live.history import History
from app.live.measure_rules import CountedSince
from app.live.predicted_accuracy import Foresight
from app.live.run_state import RunState
from app.live.timeline import Change, Timeline
from app.state.live import default_config
from sampler import Settings
from sampler.kernels import cloud
from sampler.tuning import Measurements


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
        inside, result = np.empty(saga.chains), np.empty(3)
        cloud.measure_cloud(samples, sound, mode, saga.farthest, state.escape_distance**2, inside, result)
        counts = saga.epoch()
        values = {"exits": int(result[2]), "resets": int(saga.was_reset.sum()),
                  **rules.of_cloud(np.sort(inside[:int(result[0])]), result[1]),
                  **rules.of_work(t, counts.gradient_evaluations, counts.steps, saga.chains)}
        if state.pool.size:
            values |= rules.of_pool(state.pool.accuracy(), state.pool.ceiling(), state.pool.memory())
        if not state.halted:
            self._measure_seldom(state, values)
        self._history.record(t, values)

    def refresh(self, state: RunState) -> None:
        """Predict at the end of a replay; the rest has been recorded."""
        if state.t and not state.halted:
            self._predict(state)

    def _measure_seldom(self, state: RunState, values: dict) -> None:
        t, turned = state.t, state.saga.settings != self._settings
        if rules.is_noise_due(t, turned):
            values |= self._variance(state)
        if rules.is_prediction_due(t, turned):
            values["predicted"] = self._predict(state)

    def _variance(self, state: RunState) -> dict[str, float | None]:
        if not state.measurable:
            return {}
        variance = state.gradient_variance(state.chain, state.metric)
        return {"saga": variance.saga, "sgld": variance.sgld, "bound": variance.bound}

    def _predict(self, state: RunState) -> float | None:
        self._settings, self._predicted = state.saga.settings, self.foresight.accuracy(state)
        return self._predicted

    # reading out ------------------------------------------------------------------------------------------

    def since(self, state: RunState) -> CountedSince:
        """Since when what the verdict judges is counted."""
        return counted_since(self._timeline.changes, self._first, state.t)

    def noise_share(self, state: RunState) -> float | None:
        """Variance of the gradient's error over that of the injected noise, eta Var/(2 d), in the chain's own metric."""
        t, reduced = state.t, state.saga.settings.variance_reduction
        span = t, min(t, self._history.t), self.since(state).knobs  # the epoch under way has not been recorded
        column = self._history.column("saga" if reduced else "sgld", t)
        return rules.noise_share(column, span, reduced, state.preconditioned, state.step_size / (2 * state.saga.dim))

    def stale_share(self, state: RunState) -> float:
        """Share of the followed chain's cached gradients older than t/2; 0 where they are refreshed."""
        if state.saga.settings.refresh or not state.t:
            return 0.0
        return float(rules.is_stale(state.saga.cached_epochs(state.chain), state.t).mean())

    def measured(self, state: RunState) -> Measurements:
        """Return what the verdict is made from."""
        saga, t, history, since = state.saga, state.t, self._history, self.since(state)
        window, resets_window, own = rules.windows(t, since)
        width, lag, narrowness = state.pool.shape() if state.pool.size else (None, None, None)
        mean, sd = state.pool.ceiling() if state.pool.size else (None, 0.0)
        divergence = saga.divergence
        curvature = self.largest_curvature(state)
        return Measurements(
            settings=saga.settings,
            t=t,
            chains=saga.chains,
            epochs=rules.epochs_judged(t, state.since, since, history, saga.chains),
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
            largest_eta0=rules.largest_eta0(saga.settings.eta0, state.step_size, curvature),
            algorithm=state.config.algorithm,
            advised=default_config(state.config.problem, state.config.given, state.config.algorithm).settings,
        )

    def largest_curvature(self, state: RunState) -> float | None:
        """Largest eigenvalue of the Hessian at the mode, in the chain's own metric where it has one."""
        hessian = state.tracker.hessian
        if not (state.measurable and np.isfinite(hessian).all()):
            return None
        return float(eigh(hessian, state.metric, eigvals_only=True)[-1])


def counted_since(changes: tuple[Change, ...], first: tuple[Settings, float], t: int) -> CountedSince:
    """Return since when the measures at epoch t count.

    A reset goes back to a checkpoint, which is a sample of the knobs it was taken under: resets count again from the first
    checkpoint after a change. A smaller C', which no checkpoint excuses, is judged at once.

    Parameters
    ----------
    changes
        What has been turned, in order.
    first
        Settings and escape radius at the start.
    t
        The present epoch.
    """
    (settings, radius), knobs, resets, exits = first, 0, 0, 0
    for change in changes:
        if change.t > t:
            break
        new = change.settings
        if new != settings:
            tighter = new.acceptance_radius <= settings.acceptance_radius and new.replace(
                acceptance_radius=settings.acceptance_radius) == settings
            knobs = change.t
            resets = change.t if tighter else 1 << change.t.bit_length()  # the next power of two
        if new != settings or change.escape_radius != radius:
            exits = change.t
        settings, radius = new, change.escape_radius
    return CountedSince(knobs, resets, exits)
