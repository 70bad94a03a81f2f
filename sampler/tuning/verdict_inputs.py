"""What a verdict is made from, what it is, and the limits between good and bad."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sampler.settings import Settings

WIDTH_LIMIT = 0.10
"""A cloud this much wider than its target is too hot."""
NOISE_LIMIT = 0.20
"""Gradient noise at this share of the injected noise adds about a tenth to the width."""
MEMORY_LIMIT = 0.5
"""A chain that remembers more than half of its start gives no fresh sample."""
LARGEST_BATCH = 256
"""A larger batch is not suggested: a shorter step is cheaper."""
LONG_STEP = 0.5
"""Step times largest curvature from which a step is long; 2 is unstable."""
RESETS_LIMIT = 30.0
"""Resets in 480 epochs (a minute at 8 epochs a second)."""
LAG_LIMIT = 0.5
"""Target widths between the cloud's centre and the target's."""
STALE_LIMIT = 0.05
"""Share of cached gradients older than t/2."""
ACCURACY_MARGIN = 0.03
"""Below the ceiling by more than this (or three standard deviations) is not sampling noise."""
ENOUGH_DRAWS = 200.0
"""A reference of fewer effective draws decides nothing."""
OLD = 0.3
"""A reference this share of the stream behind, moved along with the mode, decides nothing."""
WARM_UP = 16
"""Epochs to wait for before judging."""


@dataclass(frozen=True)
class Verdict:
    """One judgement.

    kind is one of safe, hot, cold, noisy, resets, lagging, stale, weak_reference, diverged, waiting.
    """

    kind: str
    title: str
    subtitle: str
    sentence: str
    suggestion: str
    change: dict | None = None  #: for `Settings.replace(**change)`; None: nothing to press


@dataclass(frozen=True)
class Measured:
    """What `judge` looks at. None means not measured."""

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
