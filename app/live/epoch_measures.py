"""What is measured at the end of an epoch, what the verdict is made from, and since when each measure counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.live.measure_rules import (
    CountedSince,
    epochs_judged,
    is_noise_due,
    is_prediction_due,
    largest_eta0,
    noise_share,
    of_cloud,
    of_pool,
    of_work,
    windows,
)
from sampler.tuning import Measurements

if TYPE_CHECKING:
    from app.live.history import History
    from app.live.predicted_accuracy import Foresight
    from app.live.run_position import RunPosition
    from app.live.timeline import Change, Timeline
    from sampler import Settings


class Measures:
    """Latest values; `finish` takes in an epoch and records it in `history`, the rest reads out."""

    def __init__(self, history: History, timeline: Timeline, first: tuple[Settings, float], foresight: Foresight) -> None:
        self._history, self._timeline, self._first = history, timeline, first
        self.pooling = True  #: False far from the end of a replay, whose pool nobody will see
        self.foresight = foresight
        self._predicted: float | None = None
        self._settings: Settings | None = None  # when the prediction was made

    def finish(self, state: RunPosition) -> None:
        """Measure the epoch that has just ended and record it, unless history has it already (a replay)."""
        t = state.t
        self.foresight.add(state)
        if state.truth.ready and self.pooling:
            state.pool_samples()
        if t <= self._history.t:
            return  # a replay: recorded when it was lived
        inside, farthest, exits = state.measure_cloud()
        evaluations, steps = state.work()
        values = {"exits": exits, "resets": len(state.chains_reset()), "checkpoint": state.new_checkpoint,
                  **of_cloud(inside, farthest), **of_work(state.count, evaluations, steps, state.saga.chains)}
        if state.pool.size:
            values = {**values, **of_pool(state.pool.accuracy(), state.pool.ceiling(), state.pool.memory())}
        self._history.record(t, values if state.halted else {**values, **self._measured_seldom(state)})

    def refresh(self, state: RunPosition) -> None:
        """Predict at the end of a replay; the rest has been recorded."""
        if state.t and not state.halted:
            self._predict(state)

    def _measured_seldom(self, state: RunPosition) -> dict[str, float | None]:
        t, turned = state.t, state.saga.settings != self._settings
        values = state.noise_here() if is_noise_due(t, turned) else {}
        return {**values, "predicted": self._predict(state)} if is_prediction_due(t, turned) else values

    def _predict(self, state: RunPosition) -> float | None:
        self._settings, self._predicted = state.saga.settings, self.foresight.accuracy(state)
        return self._predicted

    # reading out ------------------------------------------------------------------------------------------

    def since(self, state: RunPosition) -> CountedSince:
        """Since when what the verdict judges is counted."""
        return counted_since(self._timeline.changes, self._first, state.t)

    def noise_share(self, state: RunPosition) -> float | None:
        """Variance of the gradient's error over that of the injected noise, eta Var/(2 d), in the chain's own metric."""
        t, reduced = state.t, state.saga.settings.variance_reduction
        span = (t, min(t, self._history.t), self.since(state).knobs)  # the epoch under way has not been recorded
        column = self._history.column("saga" if reduced else "sgld", t)
        return noise_share(column, span, reduced, state.preconditioned, state.step_size / (2 * state.saga.dim))

    def stale_share(self, state: RunPosition) -> float:
        """Share of the followed chain's cached gradients older than t/2; 0 where they are refreshed."""
        return 0.0 if state.saga.settings.refresh or not state.t else state.stale_share()

    def measured(self, state: RunPosition) -> Measurements:
        """Return what the verdict is made from."""
        saga, pool, t, history, since = state.saga, state.pool, state.t, self._history, self.since(state)
        window, resets_window, own = windows(t, since)
        width, lag, narrowness = pool.shape() if pool.size else (None, None, None)
        mean, sd = pool.ceiling() if pool.size else (None, 0.0)
        curvature = state.largest_curvature()
        return Measurements(
            settings=saga.settings,
            t=t,
            chains=saga.chains,
            epochs=epochs_judged(t, state.since, since, history, saga.chains),
            accuracy=pool.accuracy(),
            ceiling=mean,
            ceiling_sd=sd,
            predicted=self._predicted,
            width_bias=width,
            narrowness=narrowness,
            dim=saga.dim,
            draws=pool.size,
            pairs=pool.pairs,
            noise_share=self.noise_share(state),
            memory=pool.memory(),
            lag=lag,
            resets=history.count("resets", t, resets_window),
            exits=history.count("exits", t, window) if window else None,
            window=window,
            resets_window=resets_window,
            own_checkpoint=own,
            checkpoint_epoch=saga.forgotten + saga.checkpoint_epoch,
            stale_share=self.stale_share(state),
            reference_draws=state.truth.draws,
            reference_epoch=state.truth.epoch,
            diverged=state.diverged_at,
            diverged_chains=state.lost,
            largest_curvature=curvature,
            largest_eta0=largest_eta0(saga.settings.eta0, state.step_size, curvature),
            algorithm=state.config.algorithm,
            advised=state.advised,
        )


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
