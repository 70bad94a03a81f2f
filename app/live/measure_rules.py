"""What measures make of an epoch's numbers: plain Python, which the lab in one file translates for the browser."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.live.history import RECENT, History, is_charted
from app.live.recent_samples import EPOCHS

NOISE_EVERY, PREDICTED_EVERY = 4, 16
"""Epochs between two measurements of the gradient variance, and of the prediction, where the charts do not ask for
one. Counted, never timed: a slow machine finds the same numbers."""
NOISE_WINDOW = 32
"""Epochs over which the verdict averages the gradient variance."""
THROWN = 0.1
"""Share of a chain's epochs with a reset from which on the cloud is that of the checkpoints."""
MARGIN = 0.8
"""Of the largest stable eta0, what is offered."""


@dataclass(frozen=True)
class CountedSince:
    """Epochs after which each measure counts; 0 is the start."""

    knobs: int = 0  #: of anything that moves the chains: cloud, memory, noise, accuracy
    resets: int = 0
    exits: int = 0

    def words(self, t: int, reset: bool, kind: str) -> str:
        """Return since when the measures of a kind of verdict at epoch t count, where that is no more than a minute."""
        if kind == "diverged" or not self.knobs:
            return ""
        recent = kind != "waiting" and t - self.knobs < RECENT
        sentences = f" Measured since epoch {self.knobs:,}, the last change." if recent else ""
        if reset and t <= self.resets:
            sentences += f" Resets count again from epoch {self.resets:,} on, the first checkpoint of these knobs."
        return sentences


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile of values in ascending order, linear between two, as `numpy.quantile`."""
    place = share * (len(values) - 1)
    low = math.floor(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def of_cloud(inside: Sequence[float], farthest: float) -> dict[str, float]:
    """Return what is recorded of squared distances in escape balls: ``inside`` at the epoch's end, ascending."""
    if not len(inside):
        return {}
    return {"median": quantile(inside, 0.5), "q95": quantile(inside, 0.95), "farthest": farthest}


def of_work(t: int, evaluations: float, steps: float, chains: int) -> dict[str, float]:
    """Return the gradients a chain took in epoch t, and would have taken from all data at each step."""
    return {"cost": evaluations / chains, "full": t * steps / chains}


def of_pool(accuracy: float, ceiling: tuple[float, float], memory: float | None) -> dict[str, float | None]:
    """Return what is recorded of the pooled samples; ``ceiling``: mean and standard deviation for exact draws."""
    mean, sd = ceiling
    return {"accuracy": accuracy, "tv": 1.0 - accuracy, "ceiling_low": mean - 2 * sd,
            "ceiling_high": min(mean + 2 * sd, 1.0), "memory": memory}


def is_noise_due(t: int, turned: bool) -> bool:
    """Whether the gradient variance is measured at epoch t; ``turned``: a knob has been since the last prediction."""
    return is_charted(t) or turned or t % NOISE_EVERY == 0


def is_prediction_due(t: int, turned: bool) -> bool:
    """Whether the accuracy is predicted at epoch t."""
    return is_charted(t) or turned or t % PREDICTED_EVERY == 0


def noise_share(variances: Sequence[float], span: tuple[int, int, int], reduced: bool, preconditioned: bool,
                step: float) -> float | None:
    """Return the variance of the gradient's error over that of the injected noise; None where none was measured.

    Parameters
    ----------
    variances : of epochs 0, 1, ...; NaN where it was not measured
    span : the present epoch, the last that is recorded, and the one after which the measures count
    reduced : whether gradients are variance-reduced
    preconditioned : whether lengths are those of the chain's own metric
    step : eta/(2 d)
    """
    t, last, since = span
    power = (1 if reduced else 2) - (1 if preconditioned else 0)  # as t, or as its square; a metric takes one off
    measured = [variances[s] * (t / s) ** power for s in range(max(1, since + 1, t - NOISE_WINDOW + 1), last + 1)]
    measured = [value for value in measured if math.isfinite(value)]
    return step * sum(measured) / len(measured) if measured else None


def is_stale(epoch, t):
    """Whether a gradient (or, of an array, each) cached at this epoch is older than t/2."""
    return 2 * epoch < t


def windows(t: int, since: CountedSince) -> tuple[int, int, bool]:
    """Return over how many epochs exits and resets are counted, and whether the checkpoint is of the present knobs."""
    own = t > since.resets
    return min(RECENT, t - since.exits), min(RECENT, t - (since.resets if own else since.knobs)), own


def epochs_judged(t: int, begun: int, since: CountedSince, history: History, chains: int) -> int:
    """Return of how many epochs the cloud is a sample of these knobs; ``begun``: the start, or the last revival.

    It is none before the first checkpoint of these knobs if older ones throw the chains about.
    """
    last = min(t, since.resets)
    epochs = last - max(since.knobs, t - EPOCHS)
    thrown = epochs > 0 and history.count("resets", last, epochs) > THROWN * epochs * chains
    return max(0, t - max(begun, since.resets if thrown else since.knobs))


def largest_eta0(eta0: float, step_size: float, curvature: float | None) -> float | None:
    """Return the eta0 that is offered where the present one is not stable; None where the curvature is not known."""
    return MARGIN * 2 * eta0 / (step_size * curvature) if curvature else None
