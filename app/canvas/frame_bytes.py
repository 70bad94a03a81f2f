"""`Cloud`: content of one frame of the chain view, in the two plotted coordinates; all arrays are float32.

`encode` packs it into bytes, 16 int32 words followed by float32 values, which app/js/canvas/frame_bytes.js reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from app.canvas.contours import thin_loop


@dataclass(frozen=True, eq=False)
class Arrows:
    """The three terms of one step of the followed chain, end to end, in plotted coordinates (float32)."""

    ends: np.ndarray
    """(4, 2): the chain before the step; minus eta_t (prior gradient + scaled fresh gradients); minus eta_t correction, the
    same point when switched off; plus sqrt(2 eta_t) xi, the chain after the step."""
    path: np.ndarray  #: (m, 2) positions at the earlier steps of this epoch, oldest first, m <= 60
    batch_size: int
    t: int


@dataclass(frozen=True, eq=False)
class Outline:
    """Ellipse around the chains of a ghost run."""

    center: np.ndarray  #: (2,)
    shape: np.ndarray  #: (2, 2) symmetric matrix that maps the unit circle to the outline, relative to the centre


@dataclass(frozen=True, eq=False)
class Rung:
    """Target at the current rung of a temperature ladder, in plotted coordinates."""

    contours: tuple[np.ndarray, ...] = ()  #: (m, 2) loops of 50, 90, 99 % of its mass; empty at the last rung
    start: np.ndarray | None = None  #: (2,) common starting point of all chains


@dataclass(frozen=True, eq=False)
class Cloud:
    """The chains, the target, the balls and the window, in the two plotted coordinates (float32)."""

    positions: np.ndarray  #: (K, 2)
    reset: np.ndarray  #: (K,) bool: the chain jumped since the last frame, so its trail is broken here
    mode: np.ndarray  #: (2,)
    contours: tuple[np.ndarray, ...]  #: (m, 2) loops of 50, 90, 99 % of the target's mass; may be empty
    escape_distance: float  #: R / sqrt(t + c), or R when rescaled
    acceptance_distance: float  #: C' / sqrt(t + c), or C' when rescaled
    balls: tuple[tuple[int, np.ndarray, float], ...]  #: (epoch, centre (2,), radius) at checkpoints
    half_width: float  #: half the side of the square window; fixed between two checkpoints; the browser zooms to arrows
    center: np.ndarray  #: (2,) centre of the window
    resets: np.ndarray  #: (n, 5) chain, from x, from y, to x, to y of the newest epoch; n <= 32
    exits: np.ndarray  #: (n, 3) chain, x, y of a position outside the ball in the newest epoch; n <= 32
    axis_names: tuple[str, str]  #: such as ("θ₁", "θ₂") or ("widest axis", "2nd axis")
    arrows: Arrows | None = None  #: only at two steps a second or slower
    ghost: Outline | None = None  #: of another run's chains at this epoch
    rung: Rung | None = None  #: replaces the arrows on a temperature ladder
    checkpoints: np.ndarray = field(default_factory=lambda: np.empty((0, 2), np.float32))  #: (K, 2); empty: the mode
    acceptance_balls: np.ndarray | None = None
    """(K, 5), replaces acceptance_distance for chains with their own metrics: xx, xy, yy of a symmetric matrix that maps the
    unit circle to the outline of the ball's projection on the plotted plane, relative to the checkpoint; whether a chain
    outside the ball would be reset; and the radius C' in standard deviations of the metric."""


FRAME = 1
"""First word of every frame."""

_WORDS = 16
_SCENERY, _ARROWS, _RESCALED, _RUNG, _ELLIPSE, _GHOST = 1, 2, 4, 8, 16, 32


def encode(
    cloud: Cloud,
    *,
    sequence: int,
    frame: int,
    t: int,
    run: int,
    follow: int | None = None,
    rescaled: bool = False,
    coordinates: int = 0,
    scenery: bool = True,
) -> bytes:
    """Pack a frame.

    Parameters
    ----------
    cloud
        The chains and their surroundings, in plotted coordinates.
    sequence
        Number that the browser returns as the acknowledgement of the painted frame.
    frame, t, run
        Snapshot number, epoch, run number.
    follow
        Followed chain, or None: checkpoint and acceptance ball are then those of chain 0.
    rescaled
        Whether positions are multiplied by sqrt(t + c).
    coordinates
        Version number of the coordinate system; old and new positions are comparable only under the same number.
    scenery
        Whether to include the contours and the older balls.

    Returns
    -------
    bytes
        64 + 36 + 8 K + 4 ceil(K / 32) bytes, plus 20 per reset, 12 per exit, 24 for an ellipse, 20 for a ghost, the arrows
        or the rung, and the scenery.
    """
    positions = np.asarray(cloud.positions, np.float32)
    resets = _table(cloud.resets, 5)
    exits = _table(cloud.exits, 3)
    radii = (cloud.escape_distance, cloud.acceptance_distance)
    chain = follow if follow in range(len(cloud.checkpoints)) else 0
    checkpoint = cloud.checkpoints[chain] if len(cloud.checkpoints) else cloud.mode
    geometry = np.array([*cloud.mode, *checkpoint, *radii, *cloud.center, cloud.half_width], np.float32)
    parts = [geometry, positions.ravel(), _bits(cloud.reset), resets.ravel(), exits.ravel()]
    head = np.zeros(_WORDS, np.int32)
    flags = _RESCALED if rescaled else 0
    if cloud.acceptance_balls is not None:
        flags |= _ELLIPSE
        *outline, in_force, radius = cloud.acceptance_balls[chain]
        parts.append(np.array([radius, chain, in_force, *outline], np.float32))
    if cloud.ghost is not None:
        flags |= _GHOST
        (xx, xy), (_, yy) = cloud.ghost.shape
        parts.append(np.array([*cloud.ghost.center, xx, xy, yy], np.float32))
    if cloud.arrows is not None:
        flags |= _ARROWS
        arrows, path = cloud.arrows, _table(cloud.arrows.path, 2)
        head[10:13] = len(path), arrows.batch_size, arrows.t
        parts += [_table(arrows.ends, 2).ravel(), path.ravel()]
    elif cloud.rung is not None:
        flags |= _RUNG
        rung = cloud.rung
        head[10:12] = len(rung.contours), rung.start is not None
        parts.append(np.asarray(np.zeros(2) if rung.start is None else rung.start, np.float32))
        parts += [thin_loop(loop).ravel() for loop in rung.contours]
    if scenery:
        flags |= _SCENERY
        head[14:16] = len(cloud.contours), len(cloud.balls)
        parts += [thin_loop(loop).ravel() for loop in cloud.contours]
        parts += [np.array([epoch, *center, radius], np.float32) for epoch, center, radius in cloud.balls]
    followed = -1 if follow is None else follow
    head[:10] = FRAME, sequence, frame, t, run, len(positions), flags, followed, len(resets), len(exits)
    head[13] = coordinates
    return np.concatenate([head.view(np.float32), *parts]).tobytes()


def _table(rows: np.ndarray, columns: int) -> np.ndarray:
    return np.asarray(rows, np.float32).reshape(-1, columns)


def _bits(flags: np.ndarray) -> np.ndarray:
    """Return one bit per chain in 32-bit words (chain k is bit k % 32 of word k // 32), viewed as float32."""
    packed = np.packbits(flags, bitorder="little")
    return np.pad(packed, (0, -len(packed) % 4)).view(np.float32)
