"""Contours of a target in the plotted plane: ellipses of a Gaussian, level sets of a grid, resampled loops."""

from __future__ import annotations

import numpy as np
from contourpy import contour_generator

from sampler import GridReference
from sampler.kernels import plane_contours

MASSES, LOOP_POINTS = plane_contours.MASSES, plane_contours.LOOP_POINTS

_CIRCLE = np.linspace(0.0, 2.0 * np.pi, 73)


def ellipses(mean: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return closed contours of a two-dimensional Gaussian that enclose the probabilities MASSES, each (73, 2)."""
    values, vectors = np.linalg.eigh(covariance)
    axes = vectors * np.sqrt(np.maximum(values, 0.0))
    circle = np.stack((np.cos(_CIRCLE), np.sin(_CIRCLE)))
    return tuple(mean + np.sqrt(-2 * np.log1p(-mass)) * (axes @ circle).T for mass in MASSES)


def level_sets(grid: GridReference) -> tuple[np.ndarray, ...]:
    """Return closed contours of a gridded density that enclose MASSES; empty if any of them leaves the grid."""
    lines = contour_generator(grid.x, grid.y, grid.density.T)
    loops = []
    for level in grid.density_levels(MASSES):
        closed = [line for line in lines.lines(level) if len(line) > 8 and np.array_equal(line[0], line[-1])]
        if not closed:
            return ()
        loops.append(max(closed, key=len))
    return tuple(loops)


def thin_loop(loop: np.ndarray) -> np.ndarray:
    """Return `LOOP_POINTS` points evenly spaced along a closed (m, 2) loop, float32.

    A loop of fewer than two distinct points is returned as that point repeated.
    """
    loop = np.asarray(loop)
    if loop.shape == (LOOP_POINTS, 2):
        return loop.astype(np.float32)  # already thinned
    loop = loop.astype(np.float64).reshape(-1, 2)
    closed = np.concatenate([loop, loop[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    at = np.linspace(0.0, length[-1], LOOP_POINTS, endpoint=False)
    return np.column_stack([np.interp(at, length, closed[:, i]) for i in (0, 1)]).astype(np.float32)
