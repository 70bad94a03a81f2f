"""The target of a Live run at every epoch: exact, on a grid, or from draws made in the background."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from app.canvas.contours import ellipses, level_sets, thin_loop
from sampler import GridReference
from sampler.reference import ModeTracker


class GaussianTruth:
    """Exact where F_t is quadratic: N(mode, Hessian^-1)."""

    words = "exact"
    draws: float | None = None
    ceiling_draws: int | None = None
    epoch: int | None = None

    def __init__(self, tracker: ModeTracker) -> None:
        self.tracker = tracker

    def add(self, *row: np.ndarray) -> None:
        """Nothing to do: the tracker has the datum."""

    def forget(self, n: int) -> None:
        """The oldest data no longer count."""
        self.tracker.forget(n)

    @property
    def known(self) -> bool:
        """Whether the target has a density yet."""
        return bool(np.isfinite(self.tracker.covariance).all())

    @property
    def mean(self) -> np.ndarray:
        """(d,)."""
        return self.tracker.mode

    @property
    def std(self) -> np.ndarray:
        """(d,)."""
        return np.sqrt(np.diagonal(self.tracker.covariance))

    def uniforms(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, d) -> (n, d)."""
        return ndtr((samples - self.mean) / self.std)

    def contours(self, projection: np.ndarray) -> tuple[np.ndarray, ...]:
        """Loops of MASSES in the plane of the (d, 2) projection: Laplace's ellipses, which follow every datum."""
        return ellipses(self.tracker.mode @ projection, projection.T @ self.tracker.covariance @ projection)

    busy = False  #: whether something is being computed in the background

    def refresh(self) -> bool:
        """Take in what the background has computed; whether there was anything."""
        return False

    def close(self) -> None:
        """Stop whatever runs in the background."""


class LaplaceTruth(GaussianTruth):
    """The Gaussian of mode and curvature: all that gradients alone tell."""

    words = "Laplace (mode and curvature)"


class GridTruth(GaussianTruth):
    """A grid in the plane, one datum an epoch."""

    words = "grid"

    def __init__(self, tracker: ModeTracker) -> None:
        super().__init__(tracker)
        self.grid = GridReference(tracker.problem)

    def add(self, *row: np.ndarray) -> None:
        """Multiply the density by the datum's likelihood."""
        self.grid.add(*row)

    def forget(self, n: int) -> None:
        """The oldest data no longer count."""
        super().forget(n)
        self.grid.forget(n)

    @property
    def mean(self) -> np.ndarray:
        """(d,)."""
        return self.grid.mean

    @property
    def std(self) -> np.ndarray:
        """(d,)."""
        return self.grid.std

    def uniforms(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, d) -> (n, d)."""
        return self.grid.cdf(samples)

    def contours(self, projection: np.ndarray) -> tuple[np.ndarray, ...]:
        """Level sets of the density; ellipses while a level leaves the window."""
        loops = level_sets(self.grid)
        if not loops:
            return ellipses(self.mean @ projection, projection.T @ self.grid.covariance @ projection)
        return tuple(thin_loop(loop) @ projection for loop in loops)
