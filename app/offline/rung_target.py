"""The target of one rung: its moments, its contours in the plotted plane, its marginals and its ceiling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.canvas.contours import ellipses, level_sets, thin_loop
from sampler.metrics import equivalent_draws, exact_ceiling
from sampler.reference import tempered_reference


@dataclass(frozen=True, eq=False)
class RungTruth:
    """pi^beta, known on a grid (d = 2) or by draws."""

    beta: float
    mean: np.ndarray  #: (d,)
    covariance: np.ndarray  #: (d, d)
    ceiling: float  #: accuracy that as many exact draws as there are chains score
    ceiling_sd: float
    draws: float | None  #: effective draws behind it; None for a grid
    loops: tuple[np.ndarray, ...] = ()  #: exact contours, d = 2 only
    cdf: Callable[[np.ndarray], np.ndarray] | None = None  #: (n, d) -> (n, d) marginal distribution functions

    def contours(self, projection: np.ndarray) -> tuple[np.ndarray, ...]:
        """Loops (64, 2) that hold 50, 90 and 99 %, in the plane of the (d, 2) projection.

        Beyond two dimensions they are ellipses with the draws' mean and covariance.
        """
        loops = self.loops
        if not loops:
            loops = ellipses(self.mean @ projection, projection.T @ self.covariance @ projection)
            return tuple(thin_loop(loop) for loop in loops)
        return tuple(thin_loop(loop @ projection) for loop in loops)


def truth_of(posterior: object, beta: float, chains: int, stop: Callable[[], bool] | None = None,
             draws: int = 1600) -> RungTruth | None:
    """Return the target at beta; None when stopped."""
    reference = tempered_reference(posterior, beta, draws, stop=stop)
    if reference is None:
        return None
    known = None if reference.ess is None else equivalent_draws(reference.ess)
    ceiling = exact_ceiling(chains, posterior.dim, None if reference.ess is None else reference.ceiling_draws)
    return RungTruth(beta, reference.mean, reference.covariance, ceiling.mean, ceiling.sd, known,
                     level_sets(reference) if reference.draws is None else (), reference.cdf)
