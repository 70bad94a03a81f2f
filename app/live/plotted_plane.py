"""From chains in d dimensions to the plotted plane: projection, rescaling, window, balls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from app.state.live import LiveConfig
from app.state.problem_menu import choice_of
from sampler.algorithms import PLAIN

ZOOM = 1.1
"""Half of the window in units of the escape ball."""
SLOW_ZOOM = 3.2
"""Half of the window in slow mode, in standard deviations of the target."""
OWN_REACH = 6.5
"""Standard deviations of the target up to which an acceptance ball in its own metric is fitted into the window."""
LARGEST = 1e6
"""Coordinates are clipped here: a chain that runs away is drawn off the window, not at infinity."""


def float32(values: np.ndarray) -> np.ndarray:
    """Clip to LARGEST and convert; a private copy."""
    return np.clip(values, -LARGEST, LARGEST).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Geometry:
    """Where the mode stands and how far the balls reach, in the coordinates of theta."""

    config: LiveConfig
    t: int
    mode: np.ndarray  #: (d,)
    covariance: np.ndarray  #: (d, d) Laplace covariance

    @property
    def scale(self) -> float:
        """sqrt(t + c), or 1 where that is 0."""
        return math.sqrt(self.t + self.config.settings.offset) or 1.0


class View:
    """The plane and the window, fitted anew at each checkpoint epoch and whenever the view is changed."""

    def __init__(self, dim: int) -> None:
        self.projection = np.eye(dim)[:, :2]
        self.names = ("θ₁", "θ₂")
        self.center = np.zeros(2)
        self.half_width = 1.0
        self._key: tuple = ()
        self._slow_key: tuple = ()

    def fit(self, geometry: Geometry, center: np.ndarray) -> None:
        """Fit plane and window if octave or view has changed since; `center` (d,) is the mode then."""
        config, octave = geometry.config, geometry.t.bit_length()
        reach = 3.0 if config.algorithm == PLAIN else min(max(config.acceptance_radius, 3.0), OWN_REACH)
        key = (octave, config.axes, config.rescaled, config.escape_radius, config.settings.offset, reach)
        if key == self._key:
            return
        self._key, self._slow_key = key, ()
        self._choose_plane(geometry)
        first = (1 << octave) // 2  # the largest power of two up to t
        scale = 1.0 if config.rescaled else math.sqrt(first + config.settings.offset) or 1.0
        spread = self.spread(geometry) * (geometry.scale if config.rescaled else 1.0)
        self.half_width = ZOOM * max(config.escape_radius / scale, reach * spread)
        self.center = np.zeros(2) if config.rescaled else center @ self.projection

    def fit_slow(self, geometry: Geometry, points: np.ndarray, epoch: int) -> None:
        """Zoom to the target, wide enough for every plotted point (n, 2) of this epoch's arrows."""
        spread = self.spread(geometry) * (geometry.scale if geometry.config.rescaled else 1.0)
        if self._slow_key != (epoch, self._key):
            self._slow_key = (epoch, self._key)
            self.half_width = SLOW_ZOOM * spread
            self.center = self.points(geometry, geometry.mode[None])[0]
        reach = 1.1 * float(np.abs(points - self.center).max()) if len(points) else 0.0
        self.half_width = max(self.half_width, min(reach, 40.0 * spread))

    def leave_slow(self) -> None:
        """Go back to the window of the escape ball."""
        if self._slow_key:
            self._key, self._slow_key = (), ()

    def points(self, geometry: Geometry, theta: np.ndarray) -> np.ndarray:
        """Plot points (n, d) as (n, 2): projected, and rescaled round the mode if asked."""
        if geometry.config.rescaled:
            return ((theta - geometry.mode) * geometry.scale) @ self.projection
        return theta @ self.projection

    def radius(self, geometry: Geometry, radius: float) -> float:
        """Length of a ball's radius R or C' in the plot."""
        return radius if geometry.config.rescaled else radius / geometry.scale

    def outline(self, geometry: Geometry, matrix: np.ndarray) -> np.ndarray:
        """Shadow on the plotted plane of the unit ball of a metric.

        The shadow (projection) of {x: (x - c)' H (x - c) <= 1} is {p: (p - B'c)' (B' H^-1 B)^-1 (p - B'c) <= 1} for
        the (d, 2) projection B, so its outline is the unit circle times the square root of B' H^-1 B; for two
        coordinates that is the 2 x 2 block of H^-1. A chain outside the shadow is outside the ball; one inside it may be
        outside in coordinates that are not shown. (The cut through the ball would be smaller.)

        Parameters
        ----------
        matrix : (d, d) array
            H, positive definite.

        Returns
        -------
        (2, 2) array
            Symmetric, rescaled as the plot is.
        """
        return self.shape(geometry, self.projection.T @ np.linalg.solve(matrix, self.projection))

    def shape(self, geometry: Geometry, shadow: np.ndarray) -> np.ndarray:
        """Square root of a (2, 2) covariance of the plotted coordinates, rescaled as the plot is."""
        values, vectors = np.linalg.eigh(0.5 * (shadow + shadow.T))
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        return root * geometry.scale if geometry.config.rescaled else root

    def spread(self, geometry: Geometry) -> float:
        """Largest standard deviation of the target in the plane."""
        if not np.isfinite(geometry.covariance).all():
            return 1.0
        variances = np.linalg.eigvalsh(self.projection.T @ geometry.covariance @ self.projection)
        return float(np.sqrt(variances[-1])) if variances[-1] > 0 else 1.0

    def balls(self, geometry: Geometry, modes: dict[int, np.ndarray]) -> tuple[tuple[int, np.ndarray, float], ...]:
        """Escape ball at the last two earlier checkpoints; none when rescaled (they would coincide)."""
        if geometry.config.rescaled:
            return ()
        radius, offset = geometry.config.escape_radius, geometry.config.settings.offset
        return tuple(
            (t, float32(mode @ self.projection), radius / (math.sqrt(t + offset) or 1.0))
            for t, mode in sorted(modes.items())
            if geometry.t / 4 <= t < geometry.t
        )

    def _choose_plane(self, geometry: Geometry) -> None:
        axes, dim = geometry.config.axes, len(geometry.mode)
        if axes == "principal" and np.isfinite(geometry.covariance).all():
            vectors = np.linalg.eigh(geometry.covariance)[1][:, ::-1][:, :2]
            signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), [0, 1]])
            self.projection, self.names = vectors * signs, ("widest axis", "second axis")
            return
        pair = axes if isinstance(axes, tuple) and all(0 <= axis < dim for axis in axes) else (0, 1)
        names = choice_of(geometry.config.problem, geometry.config.given).coordinates
        self.projection, self.names = np.eye(dim)[:, list(pair)], (names[pair[0]], names[pair[1]])
