"""Total variation between samples and a density on a grid, jointly in two dimensions."""

from dataclasses import dataclass

import numpy as np

from sampler.arguments import LARGEST, SMALLEST, real_array, sample_array, shown, vector, whole_number
from sampler.metrics.bin_noise import mean_deviation

MOST_BINS = 1000


@dataclass(frozen=True)
class JointDistance:
    """``value`` in [0, 1], best 0, and the ``floor`` an exact sampler with as many draws would show."""

    value: float
    floor: float


def joint_total_variation(
    samples: np.ndarray, x: np.ndarray, y: np.ndarray, density: np.ndarray, bins: int = 12
) -> JointDistance:
    """Half the L1 distance of binned samples from a gridded density, on ``bins`` x ``bins`` cells.

    The cells cover mean +- 3 standard deviations of the density; what lies outside is one more cell.

    Parameters
    ----------
    samples : (n, 2) array
    x, y : (p,), (q,) arrays
        Evenly spaced axes.
    density : (p, q) array, >= 0
        Values at (x_i, y_j), any scale.
    bins : int >= 2
        Cells a side: more see finer structure and raise the floor.
    """
    samples, bins = sample_array("samples", samples, dim=2), whole_number("bins", bins, 2, MOST_BINS)
    x, y = _axis("x", x), _axis("y", y)
    density = real_array("density", density, f"numbers of shape ({len(x)}, {len(y)})", "use a GridReference's")
    if density.shape != (len(x), len(y)) or not np.all((density >= 0) & (density <= LARGEST)) or density.max() < SMALLEST:
        raise ValueError(
            f"density must be finite, not negative and of shape ({len(x)}, {len(y)}), "
            f"got {density.shape}; at most {LARGEST:g}; use a GridReference's x, y and density"
        )
    mass = density / density.sum()
    below, edges = _corner_table(mass), []
    for axis, marginal in (
        (x, mass.sum(axis=1)),
        (y, mass.sum(axis=0)),
    ):
        mean = marginal @ axis
        sd = np.sqrt(marginal @ (axis - mean) ** 2)
        edges.append(mean + sd * np.linspace(-3, 3, bins + 1))
    rows, columns = _interpolation(x, edges[0]), _interpolation(y, edges[1])
    cells = np.clip(np.diff(np.diff(rows @ below @ columns.T, axis=0), axis=1), 0.0, 1.0)
    counts = np.histogram2d(samples[:, 0], samples[:, 1], bins=edges)[0]
    n = len(samples)
    truth = np.append(cells.ravel(), max(0.0, 1.0 - cells.sum()))
    found = np.append(counts.ravel(), n - counts.sum()) / n
    return JointDistance(
        float(0.5 * np.abs(found - truth).sum()), float(0.5 * mean_deviation(truth, n).sum())
    )


def _axis(name: str, values: np.ndarray) -> np.ndarray:
    """Checked axis: two points or more, evenly spaced upwards."""
    axis = vector(name, values, advice="use a GridReference's")
    steps = np.diff(axis)
    if len(axis) < 2 or not steps.min() > 0 or steps.max() > 1.01 * steps.min():
        raise ValueError(f"{name} must be 2 evenly spaced numbers or more, upwards, got {shown(axis)}; use numpy.linspace")
    return axis


def _corner_table(mass: np.ndarray) -> np.ndarray:
    """Probability below each grid cell's corner, (p + 1, q + 1); a cell is centred at its grid point."""
    table = np.zeros((mass.shape[0] + 1, mass.shape[1] + 1))
    table[1:, 1:] = mass.cumsum(axis=0).cumsum(axis=1)
    return table


def _interpolation(axis: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Linear interpolation from cell corners to ``at``, (len(at), len(axis) + 1)."""
    step = axis[1] - axis[0]
    place = np.clip((at - axis[0]) / step + 0.5, 0.0, len(axis) - 1e-9)
    cell = place.astype(int)
    matrix = np.zeros((len(at), len(axis) + 1))
    matrix[np.arange(len(at)), cell] = 1 - (place - cell)
    matrix[np.arange(len(at)), cell + 1] = place - cell
    return matrix
