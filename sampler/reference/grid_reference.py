"""The posterior of a one-score model on a grid in one or two dimensions, one datum at a time."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import shown, whole_number
from sampler.problems.base import Problem
from sampler.problems.glm import GeneralizedLinearModel
from sampler.reference.base import evaluation_points
from sampler.reference.distribution_function import MarginalTable, marginal_cdf, marginal_table
from sampler.reference.grid_potential import grid_potential
from sampler.reference.row_buffer import RowBuffer

HALF_WIDTH = 6.5  # of a new window, in standard deviations
WIDEST = 9.2  # the window is fitted again when the posterior has shrunk so far inside it: each octave of data
MARGIN = 5.0  # or when the mean comes this near its edge
STEEPEST = 300.0  # scores beyond are handled in the log domain


class GridReference:
    """pi_t on an evenly spaced grid over mean +- 6.5 standard deviations, exact to about 1e-6.

    A datum multiplies the density, O(grid points), with exponentials on the axes only. When the posterior has
    shrunk or moved, the window is fitted again from all data (below 50 ms at t = 65,536 in 2 dimensions).

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression or PoissonRegression
        Of 1 or 2 dimensions, with a positive prior precision.
    size : int
        Grid points a side.

    Attributes
    ----------
    t, dim : int
    x, y : (size,) arrays
        Axes; ``y`` is [0.] in one dimension.
    density : (size, size) array
        Probability density at (x_i, y_j).
    mean, std, covariance : arrays
    refits : int
        How often the window was fitted.
    """

    ess = draws = None

    def __init__(self, problem: Problem, size: int = 161) -> None:
        if not isinstance(problem, GeneralizedLinearModel) or problem.dim > 2:
            raise ValueError(
                f"problem must be a one-score model with dim 1 or 2, got {shown(problem)}; "
                "use gaussian_reference or long_chain_reference"
            )
        if not np.all(problem.prior_precision > 0):
            raise ValueError(
                f"problem must have prior_precision > 0 in each coordinate, "
                f"got {problem.prior_precision!r}; a flat prior has no window to start from"
            )
        size = whole_number("size", size, 41, 1001, "161 is accurate to 1e-6")
        self.problem, self.dim, self.size, self.refits = problem, problem.dim, size, 0
        self._data = RowBuffer(problem)
        self._cdf_tables: list[MarginalTable] | None
        self.mean, self.std = np.zeros(self.dim), 1.0 / np.sqrt(problem.prior_precision)
        self._fit_window()

    @property
    def t(self) -> int:
        """Number of data added."""
        return self._data.t

    @property
    def exact(self) -> bool:
        """False if the posterior is a ridge too thin for the grid (a standard deviation below one step)."""
        thinnest = np.sqrt(np.linalg.eigvalsh(self.covariance)[0])
        return bool(thinnest > 0.9 * self._steps.max())

    @property
    def density(self) -> np.ndarray:
        """Probability density at (x_i, y_j), (size, size); (size, 1) in one dimension."""
        return self._weights / (self._weights.sum() * np.prod(self._steps))

    def add(self, features: ArrayLike, label: ArrayLike) -> None:
        """Take in one datum, features (dim,) and its label: about 0.1 ms."""
        row, target = self._data.add(features, label)
        first, second = row[0] * self.x, row[-1] * self.y  # y is [0.] in one dimension
        reach = np.abs(first).max() + np.abs(second).max()
        if self.problem.kind == "logistic" and reach < STEEPEST:
            factor = np.multiply.outer(np.exp(first), np.exp(second))
            factor += 1.0
            self._weights /= factor
        else:
            loss = self.problem.score_loss(first[:, None] + second[None, :], np.asarray(target))
            loss -= loss.min()
            self._weights *= np.exp(-loss)
        peak = self._weights.max()
        if peak > 1e-200:
            self._weights /= peak
            self._measure()
        if peak <= 1e-200 or self._misfit():
            self._fit_window()

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions, (n, dim) -> (n, dim) in [0, 1].

        Parameters
        ----------
        samples : (n, dim) array
        """
        points = evaluation_points(samples, self.dim)
        return np.stack([marginal_cdf(table, points[:, i]) for i, table in enumerate(self._tables())], axis=1)

    def density_levels(self, masses: ArrayLike = (0.5, 0.9, 0.99)) -> np.ndarray:
        """Densities whose superlevel sets hold the given probabilities, (len(masses),): where contours go.

        Raises
        ------
        ValueError
            For masses that are no probabilities in (0, 1).
        """
        masses = np.asarray(masses, dtype=float)
        if masses.ndim != 1 or not np.all((masses > 0) & (masses < 1)):
            raise ValueError(f"masses must be probabilities in (0, 1), got {masses!r}; try (0.5, 0.9, 0.99)")
        falling = np.sort(self.density.ravel())[::-1]
        held = falling.cumsum() * np.prod(self._steps)
        return falling[np.minimum(np.searchsorted(held, masses), falling.size - 1)]

    def _tables(self) -> Any:
        if self._cdf_tables is None:
            marginals = (self._weights.sum(axis=1), self._weights.sum(axis=0))[: self.dim]
            self._cdf_tables = [
                marginal_table(axis, values)
                for axis, values in zip((self.x, self.y), marginals, strict=False)
            ]
        return self._cdf_tables

    def _measure(self) -> None:
        """Moments of the present density."""
        self._cdf_tables = None
        total = self._weights.sum()
        axes = (self.x, self.y)[: self.dim]
        along = [self._weights.sum(axis=1 - i) / total for i in range(self.dim)]
        self.mean = np.array([p @ axis for p, axis in zip(along, axes, strict=True)])
        centred = [axis - m for axis, m in zip(axes, self.mean, strict=True)]
        self.covariance = np.diag([p @ c**2 for p, c in zip(along, centred, strict=True)])
        if self.dim == 2:
            self.covariance[0, 1] = self.covariance[1, 0] = centred[0] @ self._weights @ centred[1] / total
        self.std = np.sqrt(np.diagonal(self.covariance))

    def _misfit(self) -> bool:
        """Return whether the window has become too wide for the posterior, or lies beside it."""
        low = np.array([self.x[0], self.y[0]])[: self.dim]
        high = np.array([self.x[-1], self.y[-1]])[: self.dim]
        edge = np.minimum(self.mean - low, high - self.mean)
        return bool(np.any(high - low > 2 * WIDEST * self.std) or np.any(edge < MARGIN * self.std))

    def _fit_window(self) -> None:
        """Centre the window on the posterior; a surprising datum takes a few rounds."""
        for _ in range(12):
            half = HALF_WIDTH * np.maximum(self.std, 1e-300)
            axes = [np.linspace(m - h, m + h, self.size) for m, h in zip(self.mean, half, strict=True)]
            self.x, self.y = axes[0], axes[1] if self.dim == 2 else np.zeros(1)
            self._steps = np.array([axis[1] - axis[0] for axis in axes])
            potential = self._potential(self._data.rows, self._data.targets)
            self._weights = np.exp(potential.min() - potential)
            self._measure()
            self.refits += 1
            # A density narrower than a step, or cut by the edge, tells only roughly where to look next.
            self.std = np.maximum(self.std, self._steps / 2)
            if not self._misfit():
                break

    def _potential(self, rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """F on the window, up to a constant, (size, size)."""
        rows = rows if self.dim == 2 else np.concatenate([rows, np.zeros_like(rows)], axis=1)
        return grid_potential(self.problem, rows, targets, self.x, self.y)
