"""`CloudColumns`: what the canvas shows, frame after frame, as columns."""

from __future__ import annotations

import numpy as np

from app.canvas.contours import LOOP_POINTS, thin_loop
from app.recording.film import Frame
from app.recording.packing import Blocks, differences, quantised

NUMBERS = ("mode_x", "mode_y", "escape", "acceptance", "x", "y", "half", "step_size")
"""float32 columns, one value a frame."""
COUNTS = ("t", "ended", "step", "run_length", "coordinates")
"""int32 columns, one value a frame; `ended` is the last epoch that has ended."""


class CloudColumns:
    """Takes frames in order; `pack` adds them to a file."""

    def __init__(self) -> None:
        self._numbers: list[tuple] = []
        self._counts: list[tuple] = []
        self._positions: list[np.ndarray] = []
        self._jumped: list[np.ndarray] = []
        self._resets: dict[tuple, tuple] = {}
        self._exits: dict[tuple, tuple] = {}
        self._scenery: list[tuple[int, tuple, tuple]] = []
        self._checkpoints: list[tuple[int, np.ndarray]] = []
        self._outlines: list[tuple[int, np.ndarray]] = []
        self._coordinates, self._names = 0, None
        self.length = 0  #: frames so far

    def add(self, frame: Frame) -> None:
        """Take in a frame."""
        snapshot, cloud = frame.snapshot, frame.snapshot.cloud
        if self._names not in (None, cloud.axis_names):
            self._coordinates += 1  # old positions no longer share the plane of new ones
        self._names = cloud.axis_names
        center, half, number = np.asarray(cloud.center, np.float64), float(cloud.half_width), self.length
        radii = cloud.escape_distance, cloud.acceptance_distance
        self._numbers.append((*cloud.mode, *radii, *center, half, snapshot.step_size))
        self._counts.append((snapshot.t, frame.ended, snapshot.step, snapshot.run_length, self._coordinates))
        self._positions.append(quantised(cloud.positions, center, half))
        self._jumped.append(np.packbits(cloud.reset, bitorder="little"))
        for kept, rows in ((self._resets, cloud.resets), (self._exits, cloud.exits)):
            for row in np.asarray(rows, np.float64):  # frames repeat those of their epoch: each is kept once
                kept.setdefault((snapshot.t, int(row[0])), (number, *row))
        self._change(self._checkpoints, frame.checkpoints, lambda a, b: np.array_equal(a, b))
        if frame.outlines is not None:
            self._change(self._outlines, frame.outlines, lambda a, b: np.array_equal(a, b))
        self._look_round(cloud)
        self.length += 1

    def _change(self, kept: list, value: np.ndarray, same) -> None:
        if not kept or not same(kept[-1][1], value):
            kept.append((self.length, value))

    def _look_round(self, cloud) -> None:
        """Keep contours and older balls when they change."""
        last = self._scenery[-1] if self._scenery else None
        balls = tuple((epoch, *map(float, center), float(radius)) for epoch, center, radius in cloud.balls)
        if last is None or last[1] is not cloud.contours or last[2] != balls:
            self._scenery.append((self.length, cloud.contours, balls))

    def windows(self, frames: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Centres (n, 2) and half-widths (n,) of the windows of these frames, as the file has them: in float32."""
        table = np.array(self._numbers, np.float32)[frames]
        return table[:, 4:6].astype(np.float64), table[:, 6].astype(np.float64)

    @property
    def axis_names(self) -> tuple[str, str]:
        """Names of the axes."""
        return self._names or ("θ₁", "θ₂")

    @property
    def own_metric(self) -> bool:
        """Whether chains have a metric of their own."""
        return bool(self._outlines)

    def epochs(self) -> np.ndarray:
        """(F,) int epoch of each frame."""
        return np.array(self._counts, np.int64).reshape(-1, len(COUNTS))[:, 0]

    def pack(self, blocks: Blocks) -> None:
        """Add all columns to a file."""
        numbers = np.array(self._numbers, np.float32).reshape(-1, len(NUMBERS))
        counts = np.array(self._counts, np.int32).reshape(-1, len(COUNTS))
        for name, column in zip(NUMBERS, numbers.T, strict=True):
            blocks.add(name, "f4", column)
        for name, column in zip(COUNTS, counts.T, strict=True):
            blocks.add(name, "i4", column)
        positions = np.array(self._positions)  # (F, K, 2); a chain's path is one run of numbers in the file
        blocks.add("positions", "i2", differences(positions).transpose(1, 2, 0))
        blocks.add("jumped", "u1", np.array(self._jumped))
        blocks.add("resets", "f4", np.array(list(self._resets.values())).reshape(-1, 6))
        blocks.add("exits", "f4", np.array(list(self._exits.values())).reshape(-1, 4))
        self._pack_seldom(blocks)

    def _pack_seldom(self, blocks: Blocks) -> None:
        """Add what is kept only when it changes: the frame numbers, then the values."""
        frames = [number for number, _ in self._checkpoints]
        center, half = self.windows(frames)
        values = np.array([value for _, value in self._checkpoints])
        blocks.add("checkpoint_frames", "i4", np.array(frames))
        blocks.add("checkpoints", "i2", quantised(values, center[:, None], half[:, None]))
        blocks.add("outline_frames", "i4", np.array([number for number, _ in self._outlines]))
        blocks.add("outlines", "f4", np.array([value for _, value in self._outlines]))
        frames = [number for number, _, _ in self._scenery]
        center, half = self.windows(frames)
        loops = [quantised(thin_loop(loop), center[i], np.full(LOOP_POINTS, half[i]))
                 for i, (_, contours, _) in enumerate(self._scenery) for loop in contours]
        blocks.add("scenery_frames", "i4", np.array(frames))
        blocks.add("loops", "u1", np.array([len(contours) for _, contours, _ in self._scenery]))
        blocks.add("contours", "i2", differences(np.array(loops)) if loops else np.empty(0))
        blocks.add("balls_here", "u1", np.array([len(balls) for _, _, balls in self._scenery]))
        blocks.add("balls", "f4", np.array([ball for _, _, balls in self._scenery for ball in balls]).reshape(-1, 4))
