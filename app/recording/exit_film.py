"""`film_epoch`: the chains that the Exit time page draws, where they stand step after step of one epoch."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np

from app.canvas.cloud import Cloud
from app.exit_time.job import BLOCK, ExitJobs
from app.exit_time.result import ExitResult
from app.exit_time.setup import prepare_exits
from app.recording.film import Frame

MOST_FRAMES = 500
"""Of an epoch; a longer one shows every so many steps."""
LEVELS = (0.5, 0.9, 0.99)
"""Of the target, drawn where it is a bowl."""
REACH = 1.12
"""Half the side of the picture over the ball's radius."""


def film_epoch(result: ExitResult, exit_jobs: type[ExitJobs] = ExitJobs) -> Iterator[Frame]:
    """Yield the frames of an epoch; a chain that has left is seen no more, a ring where it left.

    Parameters
    ----------
    result : ExitResult
        Complete. Its first chains are run once more, the same paths again.
    exit_jobs
        What makes the simulation.
    """
    setup = prepare_exits(result.config, result.live)
    lanes = max(16, BLOCK // setup.config.dim // 8 * 8)
    simulation = exit_jobs.simulation(setup, min(lanes, setup.chains))
    shown, steps = len(result.crowd.paths), simulation.steps
    stride = -(-steps // MOST_FRAMES)
    contours = _contours(setup.curvature) if result.config.target == "quadratic" else ()
    gone = np.zeros(shown, bool)
    for step in (0, *range(stride, steps, stride), steps):
        simulation.advance(step - simulation.steps_done) if step else None
        points = _plane(simulation.displacements[:shown])
        left = simulation.exit_steps[:shown] > 0
        new = np.flatnonzero(left & ~gone)
        exits = np.column_stack([new, points[new]]).astype(np.float32)
        gone = left
        yield _frame(step, steps, result.config, np.where(left[:, None], np.nan, points), exits, contours)


def _frame(step: int, steps: int, config, positions: np.ndarray, exits: np.ndarray, contours: tuple) -> Frame:
    nothing = np.zeros((len(positions), 2), np.float32)
    cloud = Cloud(
        positions.astype(np.float32), np.zeros(len(positions), bool), np.zeros(2, np.float32), contours,
        nothing[0], float(config.radius), float("nan"), (), REACH * config.radius, np.zeros(2, np.float32),
        np.zeros((0, 5), np.float32), exits, ("θ₁", "θ₂"))
    moment = SimpleNamespace(t=step, step=step, run_length=steps, step_size=config.step_size, cloud=cloud)
    return Frame(moment, step, nothing, None)


def _plane(points: np.ndarray) -> np.ndarray:
    """The first two coordinates: the shadow of the ball is a disc of its radius."""
    return points[:, :2] if points.shape[1] > 1 else np.column_stack([points, np.zeros(len(points))])


def _contours(curvature: float) -> tuple[np.ndarray, ...]:
    """Circles that hold so much of a Gaussian of that curvature in the plane; none of a flat F."""
    if curvature <= 0.0:
        return ()
    angle = np.linspace(0.0, 2.0 * np.pi, 96, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return tuple((np.sqrt(-2.0 * np.log1p(-level) / curvature) * circle).astype(np.float32) for level in LEVELS)
