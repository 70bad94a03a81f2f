"""`View`: map of chains in d dimensions to the plotted plane: projection, rescaling, window, balls."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from app.live.run_state import ROUNDING, RunState
from app.state.live import LiveConfig
from sampler import PreconditionedSagaLD
from sampler.algorithms import PLAIN
from sampler.kernels import cloud

ZOOM = 1.1
"""Half-width of the window in units of the escape radius."""
ROOM = 1.4
"""The same if old data are forgotten: balls no longer shrink then, and move with a drifting truth."""
OWN_REACH = 6.5
"""Maximum standard deviations of the target at which an acceptance ball in its own metric is fitted into the window."""
LARGEST = 1e6
"""Bound for clipping coordinates, so that a diverging chain is drawn outside the window."""


def float32(values: np.ndarray) -> np.ndarray:
    """Return a float32 copy clipped to ±LARGEST."""
    return np.clip(values, -LARGEST, LARGEST).astype(np.float32)


class View:
    """Plane and window, refitted at powers of two and whenever the view is changed.

    If old data are forgotten, the window moves to the mode as soon as a part of the escape ball would leave it.

    `look` sets the current target; the other methods use it.
    """

    def __init__(self) -> None:
        self._key: tuple = ()  #: values for which plane and window were fitted

    def look(self, config: LiveConfig, t: int, mode: np.ndarray, covariance: np.ndarray, center: np.ndarray,
             names: Sequence[str], count: int | None = None) -> None:
        """Set the current target, and refit plane and window if due.

        Parameters
        ----------
        config : LiveConfig
        t : int
            Epoch.
        mode : (d,) array
        covariance : (d, d) array
            Covariance of the Laplace approximation.
        center : (d,) array
            Mode at the last power of two.
        names : sequence of d texts
            Names of the coordinates.
        count : int, optional
            Number of data in the target, which determines the size of balls; None is t.
        """
        self.config, self.t, self.mode, self._covariance = config, t, mode, covariance
        self._count = t if count is None else count
        self.bounded = bool(np.isfinite(covariance).all())  #: whether the target has a width in every direction
        self._root = math.sqrt(self._count + config.settings.offset) or 1.0
        self.scale = self._root if config.rescaled else 1.0  #: of lengths: sqrt(t + c) where they are rescaled
        self._origin = mode if config.rescaled else np.zeros(len(mode))
        octave = t.bit_length()
        reach = 3.0 if config.algorithm == PLAIN else min(max(config.acceptance_radius, 3.0), OWN_REACH)
        key = (octave, config.axes, config.rescaled, config.escape_radius, config.settings.offset, reach)
        power, follows = (1 << octave) // 2, self._count < t and not config.rescaled  # the largest power of two up to t
        if key != self._key:
            self._key = key
            self._choose_plane(names)
            shrunk = 1.0 if config.rescaled else math.sqrt(min(power, self._count) + config.settings.offset) or 1.0
            zoom = ROOM if follows and self._count < power else ZOOM
            self.half_width = zoom * max(config.escape_radius / shrunk, reach * self._spread())
            self.center = np.zeros(2) if config.rescaled else center @ self.projection
        if follows:
            now = mode @ self.projection
            apart = math.hypot(float(now[0] - self.center[0]), float(now[1] - self.center[1]))
            if apart + max(self.radius(config.escape_radius), reach * self._spread()) > self.half_width:
                self.center = now

    def points(self, theta: np.ndarray) -> np.ndarray:
        """Return plotted points (n, 2) of points (n, d): projected, and rescaled about the mode if selected."""
        return (theta - self._origin) * self.scale @ self.projection

    def loops(self, loops: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """Rescale loops of projected points, each (m, 2), as `points` does; float32."""
        return tuple(float32((loop - self._origin @ self.projection) * self.scale) for loop in loops)

    def radius(self, radius: float) -> float:
        """Return the plotted length of a ball's radius R or C'."""
        return radius if self.config.rescaled else radius / self._root

    def shadow(self, matrix: np.ndarray) -> np.ndarray:
        """Return the outline of the projected unit ball of a metric H, (d, d); NaN if H is not positive definite.

        The projection of {x: (x - c)' H (x - c) <= 1} is {p: (p - B'c)' (B' H^-1 B)^-1 (p - B'c) <= 1} for the (d, 2)
        projection B, so its outline is the unit circle times the square root of B' H^-1 B, (2, 2); for two coordinates
        that is the 2 x 2 block of H^-1. A chain outside the projection is outside the ball; one inside may be outside in
        the other coordinates. (The section of the ball would be smaller.) Not rescaled.
        """
        seen = np.empty((2, 2))
        inside = cloud.shadow(matrix.copy(), ROUNDING, self.projection.T.copy(), seen)
        return _matrix(root_of(*_shape(seen))) if inside else np.full((2, 2), np.nan)

    def shape(self, covariance: np.ndarray) -> np.ndarray:
        """Return the square root (2, 2) of the plotted part of a (d, d) covariance, rescaled as the plot."""
        return self.scale * _matrix(root_of(*self._seen(covariance)))

    def balls(self, modes: dict[int, np.ndarray]) -> tuple[tuple[int, np.ndarray, float], ...]:
        """Return the escape balls (epoch, centre, radius) at the last two earlier checkpoints; () if rescaled."""
        if self.config.rescaled:
            return ()
        radius, offset = self.config.escape_radius, self.config.settings.offset
        return tuple(
            (t, float32(np.array(modes[t]) @ self.projection), radius / (math.sqrt(min(t, self._count) + offset) or 1.0))
            for t in sorted([int(epoch) for epoch in modes])  # keys of JSON are texts
            if self.t / 4 <= t < self.t
        )

    def _spread(self) -> float:
        """Return the largest standard deviation of the target in the plane, rescaled as the plot."""
        if not self.bounded:
            return self.scale
        return self.scale * (largest_deviation(*self._seen(self._covariance)) or 1.0)

    def _seen(self, covariance: np.ndarray) -> tuple[float, float, float]:
        """Return the plotted part of a covariance as xx, xy, yy."""
        return _shape(self.projection.T @ covariance @ self.projection)

    def _choose_plane(self, names: Sequence[str]) -> None:
        axes, dim = self.config.axes, len(self.mode)
        if axes == "principal" and self.bounded:
            projection = np.empty((2, dim))
            cloud.widest_axes(self._covariance, projection)
            self.projection, self.names = projection.T, ("widest axis", "second axis")
            return
        pair = axes if isinstance(axes, tuple) else (0, 1)
        self.projection, self.names = np.eye(dim)[np.array(pair)].T, (names[pair[0]], names[pair[1]])


def root_of(xx: float, xy: float, yy: float) -> tuple[float, float, float]:
    """Return the symmetric square root of a symmetric 2 x 2 matrix, both as xx, xy, yy; negative eigenvalues become 0."""
    mean, half = 0.5 * (xx + yy), 0.5 * (xx - yy)
    radius = math.hypot(half, xy)  # the eigenvalues are mean + radius and mean - radius
    large, small = math.sqrt(max(mean + radius, 0.0)), math.sqrt(max(mean - radius, 0.0))
    level, slope = 0.5 * (large + small), 0.5 * (large - small) / radius if radius else 0.0
    return level + slope * half, slope * xy, level - slope * half


def largest_deviation(xx: float, xy: float, yy: float) -> float:
    """Return the largest standard deviation over directions of a 2 x 2 covariance; 0 if the variance is negative."""
    return math.sqrt(max(0.5 * (xx + yy) + math.hypot(0.5 * (xx - yy), xy), 0.0))


def _shape(matrix: np.ndarray) -> tuple[float, float, float]:
    return float(matrix[0, 0]), float(matrix[0, 1]), float(matrix[1, 1])


def _matrix(shape: tuple[float, float, float]) -> np.ndarray:
    xx, xy, yy = shape
    return np.array([[xx, xy], [xy, yy]])


class OwnBalls:
    """Acceptance balls of chains with their own metrics, cached because a ball is fixed between two checkpoints."""

    def __init__(self) -> None:
        self._roots = np.empty((0, 2, 2))  #: (K, 2, 2) of unit balls, not rescaled
        self._saga: PreconditionedSagaLD | None = None
        self._projection = self._checkpoints = np.empty(0)

    def rows(self, state: RunState, view: View, checkpoints: np.ndarray) -> np.ndarray | None:
        """Return `Cloud.acceptance_balls`, (K, 5) float32; None for plain chains.

        The balls are recomputed if `checkpoints` (K, d) or the plane have changed.
        """
        saga = state.saga
        if not state.preconditioned:
            return None
        if (saga is not self._saga or view.projection is not self._projection
                or not np.array_equal(checkpoints, self._checkpoints)):
            self._roots = _outlines(saga, view)  # first, so that an exception leaves the cache invalid
            self._saga, self._projection, self._checkpoints = saga, view.projection, checkpoints
        radius = min(saga.settings.acceptance_radius, LARGEST)
        roots = radius * view.scale * self._roots
        force = saga.acceptance_in_force & saga.settings.reset
        return float32(np.column_stack((roots[:, 0, 0], roots[:, 0, 1], roots[:, 1, 1], force, np.full(len(force), radius))))


def _outlines(saga: PreconditionedSagaLD, view: View) -> np.ndarray:
    """Return the outlines of the unit balls, (K, 2, 2); NaN (not drawn) for diverged chains and unbounded balls."""
    roots = np.empty((saga.chains, 2, 2))
    for chain in range(saga.chains):
        roots[chain] = view.shadow(saga.acceptance_matrix(chain))
    return roots
