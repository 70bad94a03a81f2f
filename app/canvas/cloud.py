"""`Cloud`: what one frame of the chain view shows, in the two plotted coordinates; all arrays are float32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Arrows:
    """The three terms of one step of the followed chain, end to end, in plotted coordinates (float32)."""

    before: np.ndarray  #: (2,) the chain before the step
    after_guess: np.ndarray  #: (2,) less eta_t (prior gradient + scaled fresh gradients)
    after_correction: np.ndarray  #: (2,) less eta_t correction; after_guess itself when switched off
    after_noise: np.ndarray  #: (2,) plus sqrt(2 eta_t) xi: the chain after the step
    path: np.ndarray  #: (m, 2) the earlier steps of this epoch, oldest first, m <= 60
    batch_size: int
    t: int


@dataclass(frozen=True, eq=False)
class Ellipse:
    """Acceptance ball of one chain in that chain's own metric, as its shadow on the plotted plane."""

    radius: float  #: C', in standard deviations of the metric
    outline: np.ndarray  #: (2, 2) symmetric: the unit circle times this, round the checkpoint, is the outline
    chain: int  #: whose it is
    in_force: bool  #: whether that chain would be put back from outside it

    @classmethod
    def of(cls, balls: np.ndarray, chain: int, number: int) -> Ellipse:
        """Return the ball of one chain of all, (K, 5) as `Cloud.acceptance_balls`; `number` is what it is called."""
        xx, xy, yy, in_force, radius = balls[chain]
        return cls(float(radius), np.array([[xx, xy], [xy, yy]]), number, bool(in_force))


@dataclass(frozen=True, eq=False)
class Outline:
    """An ellipse round the cloud of a run that is kept as a ghost."""

    center: np.ndarray  #: (2,)
    shape: np.ndarray  #: (2, 2) symmetric: the unit circle times this, round the centre, is the outline


@dataclass(frozen=True, eq=False)
class Rung:
    """What a ladder of temperatures adds: the target at the present temperature, in plotted coordinates."""

    contours: tuple[np.ndarray, ...] = ()  #: (m, 2) loops of 50, 90, 99 % of it; empty at the last rung
    start: np.ndarray | None = None  #: (2,) the one point where all chains began


@dataclass(frozen=True, eq=False)
class Cloud:
    """The chains and what surrounds them, in the two plotted coordinates (float32)."""

    positions: np.ndarray  #: (K, 2)
    reset: np.ndarray  #: (K,) bool: the chain jumped since the last frame, so do not join the dots
    mode: np.ndarray  #: (2,)
    contours: tuple[np.ndarray, ...]  #: (m, 2) loops of 50, 90, 99 % of the target; may be empty
    checkpoint: np.ndarray  #: (2,) of the followed chain (chain 0 when none is followed)
    escape_distance: float  #: R / sqrt(t + c), or R when rescaled
    acceptance_distance: float  #: C' / sqrt(t + c), or C' when rescaled
    balls: tuple[tuple[int, np.ndarray, float], ...]  #: (epoch, centre (2,), radius) at checkpoints
    half_width: float  #: half the side of the square window; fixed between two checkpoints; the browser zooms to arrows
    center: np.ndarray  #: (2,) centre of the window
    resets: np.ndarray  #: (n, 5) chain, from x, from y, to x, to y of the newest epoch; n <= 32
    exits: np.ndarray  #: (n, 3) chain, x, y where a chain of the newest epoch stood outside the ball; n <= 32
    axis_names: tuple[str, str]  #: such as ("θ₁", "θ₂") or ("widest axis", "2nd axis")
    acceptance_ball: Ellipse | None = None  #: in place of acceptance_distance, where chains have a metric of their own
    arrows: Arrows | None = None  #: only at two steps a second or slower
    ghost: Outline | None = None  #: of another run's chains at this epoch
    rung: Rung | None = None  #: in place of arrows, where chains climb a ladder of temperatures
    checkpoints: np.ndarray | None = None  #: (K, 2) of every chain, where several people follow chains of their own
    acceptance_balls: np.ndarray | None = None  #: (K, 5) of every chain with a metric: xx, xy, yy, in force, C'
