"""The first positions of the chains: given, or drawn from the prior."""

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import check_size, real_array
from sampler.problems.base import Problem


def starting_points(problem: Problem, chains: int, seed: int, start: ArrayLike | None = None) -> np.ndarray:
    """Return X^0 of every chain, (chains, dim): ``start``, or draws from the prior (zero where it is flat)."""
    dim = problem.dim
    if start is not None:
        advice = "None draws from the prior"
        points = real_array("start", start, f"numbers of shape ({dim},) or ({chains}, {dim})", advice)
        if points.shape not in ((dim,), (chains, dim)):
            raise ValueError(f"start must be finite with shape ({dim},) or ({chains}, {dim}), "
                             f"got shape {points.shape}; {advice}")
        check_size("start", points, advice)
        return np.array(np.broadcast_to(points, (chains, dim)))
    precision = getattr(problem, "prior_precision", np.zeros(dim))
    spread = np.divide(1.0, np.sqrt(precision), out=np.zeros(dim), where=precision > 0)
    return np.random.default_rng([seed, 1]).standard_normal((chains, dim)) * spread
