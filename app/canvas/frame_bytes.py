"""One frame of the chain view as bytes: 16 int32 words, then float32 values (read by app/js/canvas/frame_bytes.js)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.canvas.contours import thin_loop

if TYPE_CHECKING:
    from app.canvas.cloud import Cloud

FRAME = 1
"""First word of a frame."""

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
        The chains and what surrounds them, in plotted coordinates.
    sequence
        Number that the browser sends back once the frame is painted.
    frame, t, run
        Snapshot number, epoch, run number.
    follow
        Followed chain, or None: the checkpoint and the acceptance ball are then chain 0's.
    rescaled
        Whether positions are multiplied by sqrt(t + c).
    coordinates
        Number that changes whenever old positions no longer share the coordinates of new ones.
    scenery
        Whether to send the contours and the older balls too.

    Returns
    -------
    bytes
        64 + 36 + 8 K + 4 ceil(K / 32) bytes, plus 20 a reset, 12 an exit, 24 for an ellipse, 20 for a ghost, the arrows
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
    """One bit a chain, in 32-bit words (chain k is bit k % 32 of word k // 32), seen as float32."""
    packed = np.packbits(flags, bitorder="little")
    return np.pad(packed, (0, -len(packed) % 4)).view(np.float32)
