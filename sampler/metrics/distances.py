"""Distances between distributions: joint total variation on a grid, Wasserstein between Gaussians."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import RegularGridInterpolator

from sampler.arguments import LARGEST, SMALLEST, real_array, sample_array, shown, square_matrix, vector, whole_number
from sampler.metrics.bin_noise import mean_deviation

MOST_BINS = 1000


@dataclass(frozen=True)
class JointDistance:
    """Distance ``value`` in [0, 1], best 0, and its expected value ``floor`` for an exact sampler with as many draws."""

    value: float
    floor: float


def joint_total_variation(samples: np.ndarray, x: np.ndarray, y: np.ndarray, density: np.ndarray,
                          bins: int = 12) -> JointDistance:
    """Return half the L1 distance of binned samples from a gridded density, on ``bins`` x ``bins`` cells.

    The cells cover mean +- 3 standard deviations of the density; the outside is one more cell.

    Parameters
    ----------
    samples : (n, 2) array
    x, y : (p,), (q,) arrays
        Evenly spaced axes.
    density : (p, q) array, >= 0
        Values at (x_i, y_j), on any scale.
    bins : int >= 2
        Cells per side: more cells resolve finer structure and raise the floor.
    """
    samples, bins = sample_array("samples", samples, dim=2), whole_number("bins", bins, 2, MOST_BINS)
    x, y = _axis("x", x), _axis("y", y)
    density = real_array("density", density, f"numbers of shape ({len(x)}, {len(y)})", "use a GridReference's")
    if density.shape != (len(x), len(y)) or not np.all((density >= 0) & (density <= LARGEST)) or density.max() < SMALLEST:
        raise ValueError(f"density must be finite, not negative and of shape ({len(x)}, {len(y)}), "
                         f"got {density.shape}; at most {LARGEST:g}; use a GridReference's x, y and density")
    mass = density / density.sum()
    below = np.pad(mass.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))  # at corners of cells centred at grid points
    corners, edges = [], []
    for axis, marginal in (
        (x, mass.sum(axis=1)),
        (y, mass.sum(axis=0)),
    ):
        mean = marginal @ axis
        sd = np.sqrt(marginal @ (axis - mean) ** 2)
        edges.append(mean + sd * np.linspace(-3, 3, bins + 1))
        corners.append(axis[0] + (axis[1] - axis[0]) * (np.arange(len(axis) + 1) - 0.5))
    at = [np.clip(edge, corner[0], corner[-1]) for edge, corner in zip(edges, corners, strict=True)]
    inside = RegularGridInterpolator(corners, below)(np.stack(np.meshgrid(*at, indexing="ij"), axis=-1))
    cells = np.clip(np.diff(np.diff(inside, axis=0), axis=1), 0.0, 1.0)
    counts = np.histogram2d(samples[:, 0], samples[:, 1], bins=edges)[0]
    n = len(samples)
    truth = np.append(cells.ravel(), max(0.0, 1.0 - cells.sum()))
    observed = np.append(counts.ravel(), n - counts.sum()) / n
    return JointDistance(
        float(0.5 * np.abs(observed - truth).sum()), float(0.5 * mean_deviation(truth, n).sum())
    )


def _axis(name: str, values: np.ndarray) -> np.ndarray:
    """Return a validated axis: two or more points, evenly spaced, increasing."""
    axis = vector(name, values, advice="use a GridReference's")
    steps = np.diff(axis)
    if len(axis) < 2 or not steps.min() > 0 or steps.max() > 1.01 * steps.min():
        raise ValueError(f"{name} must be 2 or more increasing, evenly spaced values, got {shown(axis)}; use numpy.linspace")
    return axis


def gaussian_wasserstein(mean: np.ndarray, covariance: np.ndarray, other_mean: np.ndarray,
                         other_covariance: np.ndarray) -> float:
    """Return W2 >= 0 between N(mean, covariance) and N(other_mean, other_covariance), arrays (d,) and (d, d); best 0.

    W2^2 = ||m1 - m2||^2 + tr(S1 + S2 - 2 (S2^1/2 S1 S2^1/2)^1/2).
    """
    mean = vector("mean", mean)
    other_mean = vector("other_mean", other_mean, len(mean))
    first = square_matrix("covariance", covariance, len(mean))
    second = square_matrix("other_covariance", other_covariance, len(mean))
    root = _square_root(second, "other_covariance")
    _square_root(first, "covariance")
    cross = np.sqrt(np.clip(np.linalg.eigvalsh(root @ first @ root), 0.0, None)).sum()
    squared = ((mean - other_mean) ** 2).sum() + np.trace(first) + np.trace(second) - 2.0 * cross
    return float(np.sqrt(max(squared, 0.0)))


def _square_root(matrix: np.ndarray, name: str) -> np.ndarray:
    values, vectors = np.linalg.eigh(matrix)
    if values[0] < -1e-9 * max(1.0, values[-1]):
        raise ValueError(f"{name} must have no negative eigenvalue, got {values[0]:g}; use np.cov of draws")
    return (vectors * np.sqrt(np.clip(values, 0.0, None))) @ vectors.T
