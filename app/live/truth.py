"""The target of a Live run at every epoch: exact, on a grid, or from draws made in the background."""

from __future__ import annotations

import copy

import numpy as np
from contourpy import contour_generator
from scipy.special import ndtr

from sampler import GridReference
from sampler.reference import ModeTracker

MASSES = (0.5, 0.9, 0.99)
_POINTS = 73
_CIRCLE = 2 * np.pi * np.arange(_POINTS) / (_POINTS - 1)


def ellipses(mean: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, ...]:
    """Closed loops of a two-dimensional Gaussian that hold MASSES, each (73, 2)."""
    values, vectors = np.linalg.eigh(covariance)
    axes = vectors * np.sqrt(np.maximum(values, 0.0))
    circle = np.stack((np.cos(_CIRCLE), np.sin(_CIRCLE)))
    return tuple(mean + np.sqrt(-2 * np.log1p(-mass)) * (axes @ circle).T for mass in MASSES)


def _resampled(loop: np.ndarray) -> np.ndarray:
    """Walk a closed loop (m, 2) in even steps: 73 points, so that a frame stays small."""
    along = np.concatenate(([0.0], np.hypot(*np.diff(loop, axis=0).T).cumsum()))
    at = np.linspace(0.0, along[-1], _POINTS)
    return np.stack([np.interp(at, along, loop[:, axis]) for axis in (0, 1)], axis=1)


class GaussianTruth:
    """Exact where F_t is quadratic: N(mode, Hessian^-1)."""

    words = "exact"
    draws: float | None = None
    epoch: int | None = None

    def __init__(self, tracker: ModeTracker) -> None:
        self.tracker = tracker

    def add(self, *row: np.ndarray) -> None:
        """Nothing to do: the tracker has the datum."""

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
        """Loops of MASSES in the plane of the (d, 2) projection."""
        return ellipses(self.mean @ projection, projection.T @ self.tracker.covariance @ projection)

    busy = False  #: whether something is being computed in the background

    def refresh(self) -> bool:
        """Take in what the background has computed; whether there was anything."""
        return False

    def copy(self, tracker: ModeTracker) -> GaussianTruth:
        """Return the same truth on a copied tracker."""
        return type(self)(tracker)

    def close(self) -> None:
        """Stop whatever runs in the background."""


class LaplaceTruth(GaussianTruth):
    """The Gaussian of mode and curvature: all that gradients alone tell."""

    words = "Laplace (mode and curvature)"


class GridTruth(GaussianTruth):
    """A grid in the plane, one datum an epoch."""

    words = "grid"

    def __init__(self, tracker: ModeTracker, grid: GridReference | None = None) -> None:
        super().__init__(tracker)
        self.grid = grid if grid is not None else GridReference(tracker.problem)

    def add(self, *row: np.ndarray) -> None:
        """Multiply the density by the datum's likelihood."""
        self.grid.add(*row)

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
        lines = contour_generator(self.grid.x, self.grid.y, self.grid.density.T)
        loops = []
        for level in self.grid.density_levels(MASSES):
            closed = [line for line in lines.lines(level) if len(line) > 8 and np.array_equal(line[0], line[-1])]
            if not closed:
                return ellipses(self.mean @ projection, projection.T @ self.grid.covariance @ projection)
            loops.append(_resampled(max(closed, key=len)) @ projection)
        return tuple(loops)

    def copy(self, tracker: ModeTracker) -> GridTruth:
        """Return an independent copy at the tracker's epoch, which is this one's or 0."""
        return GridTruth(tracker, copy.deepcopy(self.grid) if tracker.t == self.grid.t else None)
