"""Distribution functions of densities given at evenly spaced points."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class MarginalTable:
    """A distribution function at evenly spaced points: start, step, values and slopes (n,)."""

    start: float
    step: float
    values: np.ndarray
    slopes: np.ndarray


def marginal_table(axis: np.ndarray, density: np.ndarray) -> MarginalTable:
    """Integrate a density, (n,) at evenly spaced ``axis`` (n,), any scale, with an error of order step^4."""
    step = float(axis[1] - axis[0])
    slope = np.gradient(density, step)
    pieces = 0.5 * step * (density[1:] + density[:-1]) - step**2 / 12 * (slope[1:] - slope[:-1])
    values = np.maximum.accumulate(np.concatenate([[0.0], pieces.cumsum()]))
    return MarginalTable(float(axis[0]), step, values / values[-1], density / values[-1])


def marginal_cdf(table: MarginalTable, points: np.ndarray) -> np.ndarray:
    """Cubic Hermite interpolation of the table, (n,) -> (n,) in [0, 1]; 0 and 1 outside it."""
    place = np.clip((points - table.start) / table.step, 0.0, len(table.values) - 1.0)
    cell = np.minimum(place.astype(np.int64), len(table.values) - 2)
    s = place - cell
    low, high = table.values[cell], table.values[cell + 1]
    first, second = table.step * table.slopes[cell], table.step * table.slopes[cell + 1]
    value = low + s * (
        first + s * (3 * (high - low) - 2 * first - second + s * (first + second - 2 * (high - low)))
    )
    return np.clip(value, 0.0, 1.0)
