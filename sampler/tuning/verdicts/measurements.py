"""The measurements of a running setting that a verdict is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sampler.settings import Settings
from sampler.tuning.verdicts.limits import LONG_STEP, MEMORY_LIMIT, NOISE_LIMIT, RESETS_LIMIT, WIDTH_LIMIT


@dataclass(frozen=True)
class Measurements:
    """Measurements that `judge` reads. None means not measured."""

    LIMITS: ClassVar[dict[str, float]] = {
        "width": WIDTH_LIMIT,
        "noise": NOISE_LIMIT,
        "memory": MEMORY_LIMIT,
        "resets": RESETS_LIMIT,
    }

    settings: Settings
    t: int
    chains: int
    epochs: int  #: epochs measured since the start or the last revival
    accuracy: float | None = None  #: marginal accuracy in [0, 1]
    ceiling: float | None = None  #: what an exact sampler would score
    ceiling_sd: float = 0.0
    predicted: float | None = None  #: accuracy that eta0 predicts
    width_bias: float | None = None  #: cloud's sd over target's sd, less 1; the largest coordinate
    noise_share: float | None = None  #: gradient noise variance over the injected noise's
    memory: float | None = None  #: correlation of successive samples, largest coordinate
    lag: float | None = None  #: centre of the cloud to the target's, in target widths, largest coordinate
    resets: int = 0  #: in the last `window` epochs, all chains
    exits: int | None = 0  #: in the last `window` epochs, all chains; None: not counted
    window: int = 480  #: epochs counted over: since the last change of a knob, at most a minute
    checkpoint_epoch: int = 0
    stale_share: float = 0.0  #: cached gradients older than t/2, expected share
    reference_draws: float | None = None  #: effective draws; None: the target is known exactly or on a grid
    reference_epoch: int | None = None
    diverged: tuple[int, int, int] | None = None  #: chain, epoch, step
    diverged_chains: int = 0
    largest_curvature: float | None = None  #: largest eigenvalue of the Hessian of F_t at the mode
    largest_eta0: float | None = None  #: largest stable eta0 with a margin, measured
    advised: Settings | None = None  #: known good settings of this problem, if any

    @property
    def resets_a_minute(self) -> float:
        """Resets in 480 epochs, counted over a quarter of them at least."""
        return self.resets * 480.0 / max(self.window, 120)

    @property
    def long_step(self) -> bool:
        """Whether the step is long for the largest curvature."""
        return self.largest_curvature is not None and self.settings.step_size(self.t) * self.largest_curvature > LONG_STEP
