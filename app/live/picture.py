"""From chains in d dimensions to the plotted plane: projection, rescaling, window, balls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from app.live.config import LiveConfig
from app.live.presets import choice_of

ZOOM = 1.1
"""Half of the window in units of the escape ball."""
SLOW_ZOOM = 3.2
"""Half of the window in slow mode, in standard deviations of the target."""
LARGEST = 1e6
"""Coordinates are clipped here: a chain that runs away is drawn off the window, not at infinity."""


def float32(values: np.ndarray) -> np.ndarray:
    """Clip to LARGEST and convert; a private copy."""
    return np.clip(values, -LARGEST, LARGEST).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Scene:
    """Where the mode stands and how far the balls reach, in the coordinates of theta."""

    config: LiveConfig
    t: int
    mode: np.ndarray  #: (d,)
    covariance: np.ndarray  #: (d, d) Laplace covariance

    @property
    def scale(self) -> float:
        """sqrt(t + c), or 1 where that is 0."""
        return math.sqrt(self.t + self.config.settings.offset) or 1.0


class Picture:
    """The plane and the window, fitted anew at each checkpoint epoch and whenever the view is changed."""

    def __init__(self, dim: int) -> None:
        self.projection = np.eye(dim)[:, :2]
        self.names = ("θ₁", "θ₂")
        self.center = np.zeros(2)
        self.half_width = 1.0
        self._key: tuple = ()
        self._slow_key: tuple = ()

    def fit(self, scene: Scene, center: np.ndarray) -> None:
        """Fit plane and window if octave or view has changed since; `center` (d,) is the mode then."""
        config, octave = scene.config, scene.t.bit_length()
        key = (octave, config.axes, config.rescaled, config.escape_radius, config.settings.offset)
        if key == self._key:
            return
        self._key, self._slow_key = key, ()
        self._choose_plane(scene)
        first = (1 << octave) // 2  # the largest power of two up to t
        scale = 1.0 if config.rescaled else math.sqrt(first + config.settings.offset) or 1.0
        spread = self.spread(scene) * (scene.scale if config.rescaled else 1.0)
        self.half_width = ZOOM * max(config.escape_radius / scale, 3.0 * spread)
        self.center = np.zeros(2) if config.rescaled else center @ self.projection

    def fit_slow(self, scene: Scene, points: np.ndarray, epoch: int) -> None:
        """Zoom to the target, wide enough for every plotted point (n, 2) of this epoch's arrows."""
        spread = self.spread(scene) * (scene.scale if scene.config.rescaled else 1.0)
        if self._slow_key != (epoch, self._key):
            self._slow_key = (epoch, self._key)
            self.half_width = SLOW_ZOOM * spread
            self.center = self.points(scene, scene.mode[None])[0]
        reach = 1.1 * float(np.abs(points - self.center).max()) if len(points) else 0.0
        self.half_width = max(self.half_width, min(reach, 40.0 * spread))

    def leave_slow(self) -> None:
        """Go back to the window of the escape ball."""
        if self._slow_key:
            self._key, self._slow_key = (), ()

    def points(self, scene: Scene, theta: np.ndarray) -> np.ndarray:
        """Plot points (n, d) as (n, 2): projected, and rescaled round the mode if asked."""
        if scene.config.rescaled:
            return ((theta - scene.mode) * scene.scale) @ self.projection
        return theta @ self.projection

    def radius(self, scene: Scene, radius: float) -> float:
        """Length of a ball's radius R or C' in the plot."""
        return radius if scene.config.rescaled else radius / scene.scale

    def spread(self, scene: Scene) -> float:
        """Largest standard deviation of the target in the plane."""
        if not np.isfinite(scene.covariance).all():
            return 1.0
        variances = np.linalg.eigvalsh(self.projection.T @ scene.covariance @ self.projection)
        return float(np.sqrt(variances[-1])) if variances[-1] > 0 else 1.0

    def balls(self, scene: Scene, modes: dict[int, np.ndarray]) -> tuple[tuple[int, np.ndarray, float], ...]:
        """Escape ball at the last two earlier checkpoints; none when rescaled (they would coincide)."""
        if scene.config.rescaled:
            return ()
        radius, offset = scene.config.escape_radius, scene.config.settings.offset
        return tuple(
            (t, float32(mode @ self.projection), radius / (math.sqrt(t + offset) or 1.0))
            for t, mode in sorted(modes.items())
            if scene.t / 4 <= t < scene.t
        )

    def _choose_plane(self, scene: Scene) -> None:
        axes, dim = scene.config.axes, len(scene.mode)
        if axes == "principal" and np.isfinite(scene.covariance).all():
            vectors = np.linalg.eigh(scene.covariance)[1][:, ::-1][:, :2]
            signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), [0, 1]])
            self.projection, self.names = vectors * signs, ("widest axis", "second axis")
            return
        pair = axes if isinstance(axes, tuple) and all(0 <= axis < dim for axis in axes) else (0, 1)
        names = choice_of(scene.config.problem, scene.config.given).coordinates
        self.projection, self.names = np.eye(dim)[:, list(pair)], (names[pair[0]], names[pair[1]])
