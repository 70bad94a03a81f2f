"""Posterior of a one-score model on a grid in one or two dimensions, updated per datum; and pi^beta, on a grid or sampled.

F_t is exact for few data, and interpolated between Chebyshev nodes for many. On a window as small as the posterior the
score of a term varies little, so that a sum of terms is a polynomial to rounding error. It is summed at 12 x 12 or
24 x 24 Chebyshev nodes and interpolated: 65,536 logistic rows on 161 x 161 points take 40 ms instead of seconds.

pi^beta, up to a constant, is the target at each temperature of LMV-n Algorithm 3.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.laplace import find_mode
from sampler.algorithms.stream_rows import Rows
from sampler.arguments import SMALLEST, has_parts, real_number, shown, whole_number
from sampler.kernels import plane_grid
from sampler.problems.base import Posterior, Problem
from sampler.problems.glm import GeneralizedLinearModel
from sampler.reference.base import append_datum, evaluation_points
from sampler.reference.long_chain import SampleReference, long_chain_reference


class GridReference:
    """pi_t on an evenly spaced grid over mean +- 6.5 standard deviations, exact to about 1e-6.

    Each datum multiplies the density, O(grid points), with exponentials on the axes only. When the posterior has
    shrunk or moved, the window is refitted from all data (below 50 ms at t = 65,536 in 2 dimensions).

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression or PoissonRegression
        In 1 or 2 dimensions, with a positive prior precision.
    size : int
        Grid points per side.

    Attributes
    ----------
    t, dim : int
    x, y : (size,) arrays
        Axes; ``y`` is [0.] in one dimension.
    density : (size, size) array
        Probability density at (x_i, y_j).
    mean, std, covariance : arrays
    refits : int
        Number of times the window was fitted.
    """

    ess = draws = None

    def __init__(self, problem: Problem, size: int = plane_grid.POINTS) -> None:
        if not isinstance(problem, GeneralizedLinearModel) or problem.dim > 2:
            raise ValueError(f"problem must be a one-score model with dim 1 or 2, got {shown(problem)}; "
                             "use gaussian_reference or long_chain_reference")
        if not np.all(problem.prior_precision > 0):
            raise ValueError(f"problem must have prior_precision > 0 in each coordinate, "
                             f"got {problem.prior_precision!r}; a flat prior has no window to start from")
        size = whole_number("size", size, 41, 1001, "161 is accurate to 1e-6")
        self.problem, self.dim, self.size, self.refits = problem, problem.dim, size, 0
        self._data = Rows(problem)
        self._prior = np.array(problem.prior_precision, float)
        self.mean, self.std, self.covariance = np.zeros(self.dim), 1.0 / np.sqrt(self._prior), np.empty((self.dim, self.dim))
        self.x, self.y = np.zeros(size), np.zeros(size if self.dim == 2 else 1)
        self._weights, self._marginals = np.empty((size, self.y.size)), np.empty((2, size))
        self._fit_window()

    @property
    def t(self) -> int:
        """Number of data, without those forgotten."""
        return self._data.t

    @property
    def exact(self) -> bool:
        """Whether the grid resolves the posterior: False for a ridge with a standard deviation below one step."""
        thinnest = np.sqrt(np.linalg.eigvalsh(self.covariance)[0])
        return bool(thinnest > 0.9 * max(np.diff(axis[:2])[0] for axis in self._axes))

    @property
    def density(self) -> np.ndarray:
        """Probability density at (x_i, y_j), (size, size); (size, 1) in one dimension."""
        return self._weights / (self._weights.sum() * self._cell)

    @property
    def _axes(self) -> list[np.ndarray]:
        return [self.x, self.y][:self.dim]

    @property
    def _cell(self) -> float:
        """Area of a grid cell, or its length in one dimension."""
        return float(np.prod([axis[1] - axis[0] for axis in self._axes]))

    @property
    def _grid(self) -> tuple[np.ndarray, ...]:
        return self.x, self.y, self._weights, self._marginals, self.mean, self.std, self.covariance

    def _copy_public_arrays(self) -> None:
        """Replace the public arrays by copies, so that kernels never change arrays held by a caller."""
        for name in ("x", "y", "mean", "std", "covariance"):
            setattr(self, name, getattr(self, name).copy())

    def add(self, features: ArrayLike, label: ArrayLike) -> None:
        """Update the density by one datum, features (dim,) and its label, in about 0.1 ms."""
        append_datum(self._data, features, label)
        self._copy_public_arrays()
        data = self._data
        if not plane_grid.add_row(self.problem.kind_code, data.rows, data.targets, data.t, *self._grid):
            self._fit_window()

    def forget(self, n: int) -> None:
        """Drop the n oldest data, as a sampler's ``keep_last``, and recompute the density, O(t grid points).

        Parameters
        ----------
        n : int in [1, t]
        """
        self._data.forget(whole_number("n", n, 1, self.t, "there are no more data"))
        self._copy_public_arrays()
        self._fit_window()

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Return the marginal CDFs at samples, (n, dim) -> (n, dim) in [0, 1].

        Parameters
        ----------
        samples : (n, dim) array
        """
        points = np.array(evaluation_points(samples, self.dim), order="C")
        uniforms = np.empty(points.shape)
        plane_grid.marginal_cdf(self.x, self.y, self._marginals, points, uniforms)
        return uniforms

    def density_levels(self, masses: ArrayLike = (0.5, 0.9, 0.99)) -> np.ndarray:
        """Return contour levels (len(masses),): densities whose superlevel sets have probabilities ``masses``.

        Raises
        ------
        ValueError
            If masses are not probabilities in (0, 1).
        """
        masses = np.asarray(masses, dtype=float)
        if masses.ndim != 1 or not np.all((masses > 0) & (masses < 1)):
            raise ValueError(f"masses must be probabilities in (0, 1), got {masses!r}; try (0.5, 0.9, 0.99)")
        falling = np.sort(self.density.ravel())[::-1]
        cumulative = falling.cumsum() * self._cell
        return falling[np.minimum(np.searchsorted(cumulative, masses), falling.size - 1)]

    def _fit_window(self) -> None:
        """Centre the window on the posterior."""
        self._fit(1.0, self._data.rows, self._data.targets)

    def _fit(self, power: float, rows: np.ndarray, targets: np.ndarray) -> None:
        kind, (x, y, weights, _, mean, std, _) = self.problem.kind_code, self._grid
        for _ in range(plane_grid.ROUNDS):
            plane_grid.place_window(self._prior, x, y, mean, std, weights)
            plane_grid.add_potential(kind, rows, targets, self.t, x, y, weights)
            self.refits += 1
            if plane_grid.settle_window(power, *self._grid):
                break


class TemperedPosterior:
    """Posterior with potential beta F: gradient and Hessian are scaled by beta, the mode is unchanged.

    Parameters
    ----------
    posterior : Posterior
    beta : float in (0, 1]
        Inverse temperature. beta multiplies the prior too.
    """

    problem = None  # no model class has this potential, so model-specific code must not apply

    def __init__(self, posterior: Posterior, beta: float) -> None:
        has_parts("posterior", posterior, ("t", "dim", "potential", "gradient", "hessian"),
                  "make one with problem.posterior(data)")
        self.posterior = posterior
        self.beta = real_number("beta", beta, "1 is the posterior itself", least=SMALLEST, most=1.0)
        self.t, self.dim = posterior.t, posterior.dim

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """Return beta F up to a constant: (n, dim) -> (n,), or one point -> a number."""
        return self.beta * self.posterior.potential(theta)

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of beta F, same shape as ``theta``."""
        return self.beta * self.posterior.gradient(theta)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Return the Hessian of beta F, (dim, dim)."""
        return self.beta * self.posterior.hessian(theta)


class TemperedGrid(GridReference):
    """pi^beta on a grid, for all data of a posterior in one or two dimensions.

    Parameters
    ----------
    posterior : Posterior
        Posterior of a one-score model with a positive prior precision.
    beta : float in (0, 1]
    """

    def __init__(self, posterior: Posterior, beta: float) -> None:
        self._tempered = TemperedPosterior(posterior, beta)
        self.beta = self._tempered.beta
        super().__init__(posterior.problem, 101)  # points per side

    @property
    def t(self) -> int:
        """Number of data."""
        return self._tempered.t

    def add(self, features: ArrayLike, label: ArrayLike) -> None:
        """Raise ValueError: the data are fixed at construction."""
        raise ValueError("features must all be in the posterior passed to this grid; create another grid")

    def _fit_window(self) -> None:
        """Fit the window, starting from Laplace's approximation, which saves a few rounds."""
        tempered = self._tempered
        self.mean = find_mode(tempered.posterior)
        self.std = np.sqrt(np.diagonal(np.linalg.inv(tempered.hessian(self.mean))))
        posterior: Any = tempered.posterior  # of a one-score model: it has rows
        rows = np.zeros((self.t, 2))
        rows[:, :self.dim] = posterior.rows
        self._fit(self.beta, rows, posterior.targets)


def tempered_reference(posterior: Posterior, beta: float, draws: int = 2000, seed: int = 0,
                       stop: Callable[[], bool] | None = None) -> TemperedGrid | SampleReference | None:
    """Return pi^beta as a reference: on a grid for a regression in one or two dimensions, else from long chains.

    Parameters
    ----------
    posterior : Posterior
        Posterior of a regression, a Gaussian problem or any other with potential, gradient and Hessian.
    beta : float in (0, 1]
    draws, seed, stop
        As in ``long_chain_reference``; unused on a grid.

    Returns
    -------
    A reference, or None if stopped.
    """
    tempered = TemperedPosterior(posterior, beta)
    problem = posterior.problem
    if isinstance(problem, GeneralizedLinearModel) and problem.dim <= 2 and np.all(problem.prior_precision > 0):
        return TemperedGrid(posterior, beta)
    return long_chain_reference(cast(Posterior, tempered), draws, seed, find_mode(posterior), stop, "mala")
