"""F_t and its gradient at many points in one pass over the data, on all cores."""

from collections.abc import Callable

import numpy as np

from sampler.chain_blocks import cut, run_blocks
from sampler.kernels.glm_metropolis import potentials
from sampler.kernels.lanes import aligned_zeros, lanes_for, padded
from sampler.problems.base import Posterior
from sampler.problems.glm import GlmPosterior

SCORE_WORK = 15  # multiply-adds in the time of one score's exponentials


def potential_at_points(posterior: Posterior, threads: int) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return a function ``theta -> F_t up to a constant, its gradient``: (n, d) -> (n,), (n, d).

    Models of one score a datum are compiled, for blocks of points on up to ``threads`` threads: a point's numbers do
    not depend on which others stand beside it. Products of NumPy arrays would start the linear algebra's own threads,
    which wait for each other at every call when other work has a core.
    """
    if not isinstance(posterior, GlmPosterior):
        return lambda theta: (np.asarray(posterior.potential(theta)), posterior.gradient(theta))
    t, d, width, kind = posterior.t, posterior.dim, padded(posterior.dim), posterior.problem.kind_code
    rows, prior, targets = aligned_zeros((t, width)), np.zeros(width), np.ascontiguousarray(posterior.targets)
    rows[:, :d], prior[:d] = posterior.rows, posterior.problem.prior_precision

    def evaluate(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = len(theta)
        points, values, gradients = aligned_zeros((n, width)), np.empty(n), aligned_zeros((n, width))
        points[:, :d] = theta

        def run(part: tuple[int, int]) -> None:
            own = slice(*part)
            potentials(lanes_for(d), kind, prior, rows, targets, t, points[own], values[own], gradients[own])

        run_blocks(run, cut(n, threads, n * t * (2 * width + SCORE_WORK)), threads)
        return values, gradients[:, :d]

    return evaluate
