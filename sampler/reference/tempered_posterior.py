"""pi^beta, up to a constant, of the posterior at an inverse temperature: what each temperature of LMV-n Algorithm 3 ends in.

On a grid for a regression in one or two dimensions, else from long chains.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.laplace import find_mode
from sampler.arguments import SMALLEST, has_parts, real_number
from sampler.problems.base import Posterior
from sampler.problems.glm import GeneralizedLinearModel
from sampler.reference.grid_reference import GridReference
from sampler.reference.long_chain import SampleReference, long_chain_reference


class TemperedPosterior:
    """beta F as a posterior: potential, gradient and Hessian times beta, the same mode.

    Parameters
    ----------
    posterior : Posterior
    beta : float in (0, 1]
        Inverse temperature. beta multiplies the prior too.
    """

    problem = None  # no named model has this potential, so nobody may take a short cut through one

    def __init__(self, posterior: Posterior, beta: float) -> None:
        has_parts("posterior", posterior, ("t", "dim", "potential", "gradient", "hessian"),
                  "make one with problem.posterior(data)")
        self.posterior = posterior
        self.beta = real_number("beta", beta, "1 is the posterior itself", least=SMALLEST, most=1.0)
        self.t, self.dim = posterior.t, posterior.dim

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """Beta F up to a constant: (n, dim) -> (n,), or one point -> a number."""
        return self.beta * self.posterior.potential(theta)

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of beta F, same shape as ``theta``."""
        return self.beta * self.posterior.gradient(theta)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Hessian of beta F, (dim, dim)."""
        return self.beta * self.posterior.hessian(theta)


class TemperedGrid(GridReference):
    """pi^beta on a grid, for all the data of a posterior of one or two dimensions at once.

    Parameters
    ----------
    posterior : Posterior
        Of a one-score model with a positive prior precision.
    beta : float in (0, 1]
    size : int
        Grid points a side.
    """

    def __init__(self, posterior: Posterior, beta: float, size: int = 101) -> None:
        self._tempered = TemperedPosterior(posterior, beta)
        self.beta = self._tempered.beta
        super().__init__(posterior.problem, size)

    @property
    def t(self) -> int:
        """Number of data."""
        return self._tempered.t

    def add(self, features: ArrayLike, label: ArrayLike) -> None:
        """Refuse: the data are given once."""
        raise ValueError("features must all be in the posterior that this grid was made from; make another grid")

    def _fit_window(self) -> None:
        """Look first where Laplace's approximation is: a few rounds are saved."""
        tempered = self._tempered
        self.mean = find_mode(tempered.posterior)
        self.std = np.sqrt(np.diagonal(np.linalg.inv(tempered.hessian(self.mean))))
        posterior: Any = tempered.posterior  # of a one-score model: it has rows
        rows = np.zeros((self.t, 2))
        rows[:, :self.dim] = posterior.rows
        self._fit(self.beta, rows, posterior.targets)


def tempered_reference(posterior: Posterior, beta: float, draws: int = 2000, seed: int = 0,
                       stop: Callable[[], bool] | None = None) -> TemperedGrid | SampleReference | None:
    """pi^beta as a reference: on a grid for a regression in one or two dimensions, else from long chains.

    Parameters
    ----------
    posterior : Posterior
        Of a regression, a Gaussian problem or anything with a potential, a gradient and a Hessian.
    beta : float in (0, 1]
    draws, seed, stop
        As in ``long_chain_reference``; unused on a grid.

    Returns
    -------
    A reference, or None when stopped.
    """
    tempered = TemperedPosterior(posterior, beta)
    problem = posterior.problem
    if isinstance(problem, GeneralizedLinearModel) and problem.dim <= 2 and np.all(problem.prior_precision > 0):
        return TemperedGrid(posterior, beta)
    return long_chain_reference(cast(Posterior, tempered), draws, seed, find_mode(posterior), stop, "mala")
