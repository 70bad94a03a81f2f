"""`Measures`: measurements at the end of an epoch, inputs of verdict and meters, and the epoch since which each counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.live.history import RECENT, History, is_charted
from app.live.recent_samples import EPOCHS
from app.live.snapshot import Meter
from sampler.tuning import Measurements

if TYPE_CHECKING:
    from app.live.predicted_accuracy import AccuracyForecast
    from app.live.run_position import RunPosition
    from app.live.timeline import Change, Timeline
    from sampler import Settings

NOISE_EVERY, PREDICTED_EVERY = 4, 16
"""Epochs between two measurements of the gradient variance, and two predictions, besides the charted epochs. Counts rather
than times, so that results do not depend on the machine's speed."""
NOISE_WINDOW = 32
"""Epochs over which the verdict averages the gradient variance."""
RESET_SHARE = 0.1
"""Fraction of a chain's epochs with a reset above which the cloud is dominated by the checkpoints."""
MARGIN = 0.8
"""Ratio of the suggested to the largest stable eta0."""


@dataclass(frozen=True)
class CountedSince:
    """Epochs after which each measure counts; 0 is the start."""

    knobs: int = 0  #: for cloud, memory, noise and accuracy, which depend on any knob of the chains
    resets: int = 0
    exits: int = 0

    def words(self, t: int, reset: bool, kind: str) -> str:
        """Return sentences on the epochs since which the measures of a verdict at epoch t count, if changed recently."""
        if kind == "diverged" or not self.knobs:
            return ""
        recent = kind != "waiting" and t - self.knobs < RECENT
        sentences = f" Measured since epoch {self.knobs:,}, the last change." if recent else ""
        if reset and t <= self.resets:
            sentences += f" Resets count again from epoch {self.resets:,} on, the first checkpoint of these knobs."
        return sentences


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile of ascending values by linear interpolation, as `numpy.quantile`."""
    place = share * (len(values) - 1)
    low = math.floor(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def cloud_values(inside: Sequence[float], farthest: float) -> dict[str, float]:
    """Return the recorded quantiles of squared distances over r^2; ``inside`` are those at the epoch's end, ascending."""
    if not len(inside):
        return {}
    return {"median": quantile(inside, 0.5), "q95": quantile(inside, 0.95), "farthest": farthest}


def pool_values(accuracy: float, ceiling: tuple[float, float], memory: float | None) -> dict[str, float | None]:
    """Return the recorded values of the pooled samples; ``ceiling``: mean and standard deviation for exact draws."""
    mean, sd = ceiling
    return {"accuracy": accuracy, "tv": 1.0 - accuracy, "ceiling_low": mean - 2 * sd,
            "ceiling_high": min(mean + 2 * sd, 1.0), "memory": memory}


def is_noise_due(t: int, turned: bool) -> bool:
    """Return whether the gradient variance is due at epoch t; ``turned``: a knob changed since the last prediction."""
    return is_charted(t) or turned or t % NOISE_EVERY == 0


def is_prediction_due(t: int, turned: bool) -> bool:
    """Return whether a prediction of the accuracy is due at epoch t."""
    return is_charted(t) or turned or t % PREDICTED_EVERY == 0


def noise_share(variances: Sequence[float], span: tuple[int, int, int], reduced: bool, preconditioned: bool,
                step: float) -> float | None:
    """Return the ratio of the gradient error's variance to the injected noise's; None without measurements.

    Parameters
    ----------
    variances : of epochs 0, 1, ...; NaN if not measured
    span : current epoch, last recorded epoch, and epoch after which the measures count
    reduced : whether gradients are variance-reduced
    preconditioned : whether lengths are in the chain's own metric
    step : eta/(2 d)
    """
    t, last, since = span
    power = (1 if reduced else 2) - (1 if preconditioned else 0)  # growth in t: 1 or 2, less 1 in a metric
    measured = [variances[s] * (t / s) ** power for s in range(max(1, since + 1, t - NOISE_WINDOW + 1), last + 1)]
    measured = [value for value in measured if math.isfinite(value)]
    return step * sum(measured) / len(measured) if measured else None


def windows(t: int, since: CountedSince) -> tuple[int, int, bool]:
    """Return the numbers of epochs over which exits and resets are counted, and if the checkpoint has the current knobs."""
    own = t > since.resets
    return min(RECENT, t - since.exits), min(RECENT, t - (since.resets if own else since.knobs)), own


def judged_from(t: int, begun: int, since: CountedSince, history: History, chains: int) -> int:
    """Return the epoch after which the cloud is a sample under the current knobs.

    ``begun`` is the start or the last revival. If resets to older checkpoints dominate, it is the first one of the knobs.
    """
    last = min(t, since.resets)
    epochs = last - max(since.knobs, t - EPOCHS)
    thrown = epochs > 0 and history.count("resets", last, epochs) > RESET_SHARE * epochs * chains
    return max(begun, since.resets if thrown else since.knobs)


def largest_eta0(eta0: float, step_size: float, curvature: float | None) -> float | None:
    """Return the eta0 to suggest if the current one is unstable; None if the curvature is unknown."""
    return MARGIN * 2 * eta0 / (step_size * curvature) if curvature else None


class Measures:
    """Measurements of a run; `finish` records an epoch in the history, the other methods evaluate the records."""

    def __init__(self, history: History, timeline: Timeline, first: tuple[Settings, float],
                 forecast: AccuracyForecast) -> None:
        self._history, self._timeline, self._first, self.forecast = history, timeline, first, forecast
        self.pooling = True  #: False far from the end of a replay, where the pool is not displayed
        self._predicted: float | None = None
        self._settings: Settings | None = None  # at the time of the prediction

    def finish(self, state: RunPosition) -> None:
        """Measure the epoch that has just ended and record it, unless already recorded (in a replay)."""
        t = state.t
        self.forecast.add(state)
        if state.truth.ready and self.pooling:
            state.pool_samples()
        if t <= self._history.t:
            return  # a replay: already recorded
        inside, farthest, exits = state.measure_cloud()
        evaluations, steps = state.work()
        chains = state.saga.chains
        values = {"exits": exits, "resets": len(state.chains_reset()), "checkpoint": state.new_checkpoint,
                  "cost": evaluations / chains, "full": state.count * steps / chains, **cloud_values(inside, farthest)}
        if state.pool.size:
            values = {**values, **pool_values(state.pool.accuracy(), state.pool.ceiling(), state.pool.memory())}
        self._history.record(t, values if state.halted else {**values, **self._measured_seldom(state)})

    def refresh(self, state: RunPosition) -> None:
        """Predict the accuracy at the end of a replay; all else is recorded."""
        if state.t and not state.halted:
            self._predict(state)

    def _measured_seldom(self, state: RunPosition) -> dict[str, float | None]:
        t, turned = state.t, state.saga.settings != self._settings
        values = state.noise_here() if is_noise_due(t, turned) else {}
        return {**values, "predicted": self._predict(state)} if is_prediction_due(t, turned) else values

    def _predict(self, state: RunPosition) -> float | None:
        self._settings, self._predicted = state.saga.settings, self.forecast.accuracy(state)
        return self._predicted

    # evaluation -------------------------------------------------------------------------------------------

    def since(self, state: RunPosition) -> CountedSince:
        """Return the epochs since which the inputs of the verdict count."""
        return counted_since(self._timeline.changes, self._first, state.t)

    def noise_share(self, state: RunPosition) -> float | None:
        """Return the gradient error's variance over the injected noise's, eta Var/(2 d), in the chain's own metric."""
        t, reduced = state.t, state.saga.settings.variance_reduction
        span = (t, min(t, self._history.t), self.since(state).knobs)  # the current epoch is not recorded yet
        column = self._history.column("saga" if reduced else "sgld", t)
        return noise_share(column, span, reduced, state.preconditioned, state.step_size / (2 * state.saga.dim))

    def stale_share(self, state: RunPosition) -> float:
        """Return the fraction of the followed chain's cached gradients older than t/2; 0 if they are refreshed."""
        return 0.0 if state.saga.settings.refresh or not state.t else state.stale_share()

    def measured(self, state: RunPosition) -> Measurements:
        """Return the inputs of the verdict."""
        saga, pool, t, history, since = state.saga, state.pool, state.t, self._history, self.since(state)
        window, resets_window, own = windows(t, since)
        width, lag, narrowness = pool.shape() if pool.size else (None, None, None)
        mean, sd = pool.ceiling() if pool.size else (None, 0.0)
        curvature, start = state.largest_curvature(), judged_from(t, state.since, since, history, saga.chains)
        return Measurements(
            settings=saga.settings,
            t=t,
            chains=saga.chains,
            epochs=max(0, t - start),
            counts_from=start,
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
    """Return the epochs since which the measures at epoch t count.

    A reset returns to a checkpoint, which is a sample under the knobs of its time: resets count again from the first
    checkpoint after a change. A smaller C' alone is judged immediately.

    Parameters
    ----------
    changes
        Changes of the knobs, in order.
    first
        Initial settings and escape radius.
    t
        Current epoch.
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


def meters(measured: Measurements) -> tuple[Meter, ...]:
    """Return the meters of width bias, gradient noise, memory and fraction of epochs with a reset, with their limits."""
    noise, memory, limits = measured.noise_share, measured.memory, measured.limits
    resets = None if measured.resets_window == 0 or measured.t == 0 else measured.reset_rate
    allowed = limits["resets"] if measured.own_checkpoint else max(limits["resets"], resets or 0.0)
    return (
        _meter("width", "width bias", measured.width_bias, limits["width"], 0.25, _percent),
        _meter("noise", "gradient noise", noise, limits["noise"], 0.5, _share),
        _meter("memory", "memory", None if memory is None else max(memory, 0.0), limits["memory"], 0.5, _percent),
        _meter("resets", "epochs reset", resets, allowed, 0.5, lambda n: f"{100 * n:.2g} %"),
    )


def _meter(key: str, label: str, value: float | None, limit: float, tick: float, text) -> Meter:
    if value is None:
        return Meter(key, label, "…", 0.0, tick, False)
    fill = min(1.0, max(0.0, value / limit * tick))
    return Meter(key, label, text(value), fill, tick, value > limit)


def _percent(value: float) -> str:
    if value >= 10:
        return f"{1 + value:,.0f} ×" if value < 9_999 else "> 10⁴ ×"
    return f"{100 * value:.0f} %".replace("-0 %", "0 %")


def _share(value: float) -> str:
    return f"{value:,.1f} ×" if value >= 2 else _percent(value)
