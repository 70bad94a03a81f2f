"""The first positions of the chains: given, or drawn from the prior."""

import numpy as np
from numpy.typing import ArrayLike

from sampler.problems.base import Problem


def starting_points(problem: Problem, chains: int, seed: int, start: ArrayLike | None = None) -> np.ndarray:
    """Return X^0 of every chain, (chains, dim): ``start``, or draws from the prior (zero where it is flat)."""
    dim = problem.dim
    if start is not None:
        points = np.asarray(start, float)
        if points.shape not in ((dim,), (chains, dim)) or not np.all(np.isfinite(points)):
            raise ValueError(f"start must be finite with shape ({dim},) or ({chains}, {dim}), "
                             f"got shape {points.shape}; None draws from the prior")
        return np.array(np.broadcast_to(points, (chains, dim)))
    precision = getattr(problem, "prior_precision", np.zeros(dim))
    spread = np.divide(1.0, np.sqrt(precision), out=np.zeros(dim), where=precision > 0)
    return np.random.default_rng([seed, 1]).standard_normal((chains, dim)) * spread
