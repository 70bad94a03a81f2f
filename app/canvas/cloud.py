"""`Cloud`: what one frame of the chain view shows, in the two plotted coordinates; all arrays are float32."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Arrows:
    """The three terms of one step of the followed chain, end to end, in plotted coordinates (float32)."""

    ends: np.ndarray
    """(4, 2): the chain before the step; less eta_t (prior gradient + scaled fresh gradients); less eta_t correction, the
    same point when switched off; plus sqrt(2 eta_t) xi, the chain after the step."""
    path: np.ndarray  #: (m, 2) the earlier steps of this epoch, oldest first, m <= 60
    batch_size: int
    t: int


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
    escape_distance: float  #: R / sqrt(t + c), or R when rescaled
    acceptance_distance: float  #: C' / sqrt(t + c), or C' when rescaled
    balls: tuple[tuple[int, np.ndarray, float], ...]  #: (epoch, centre (2,), radius) at checkpoints
    half_width: float  #: half the side of the square window; fixed between two checkpoints; the browser zooms to arrows
    center: np.ndarray  #: (2,) centre of the window
    resets: np.ndarray  #: (n, 5) chain, from x, from y, to x, to y of the newest epoch; n <= 32
    exits: np.ndarray  #: (n, 3) chain, x, y where a chain of the newest epoch stood outside the ball; n <= 32
    axis_names: tuple[str, str]  #: such as ("θ₁", "θ₂") or ("widest axis", "2nd axis")
    arrows: Arrows | None = None  #: only at two steps a second or slower
    ghost: Outline | None = None  #: of another run's chains at this epoch
    rung: Rung | None = None  #: in place of arrows, where chains climb a ladder of temperatures
    checkpoints: np.ndarray = field(default_factory=lambda: np.empty((0, 2), np.float32))  #: (K, 2); none: the mode
    acceptance_balls: np.ndarray | None = None
    """(K, 5) in place of acceptance_distance, where chains have a metric of their own: xx, xy, yy of a symmetric matrix (the
    unit circle times it, round the checkpoint, is the outline of the ball's shadow on the plotted plane), whether the chain
    would be put back from outside it, and its radius C' in standard deviations of the metric."""
