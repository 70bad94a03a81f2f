"""Metropolis with scalable subsampling (MH-SS): exact for pi_t, and a step reads fewer data as their number grows.

Random-walk proposals in the shape of the posterior at the control point x' (control_point.py), with C C' the Hessian there:

    Y = X + s sqrt(r/t) C'^-1 xi,   s = scale/sqrt(d), r the epoch of the last refit

Expand each term to second order around x', f_k = q_k + U_k, and accept Y if it passes two tests, each reversible:

1. min(1, exp(Q_t(X) - Q_t(Y))), where Q_t, the prior plus the sum of the q_k, is computed without reading data;
2. min(1, prod_k (phi_k(Y, X)/phi_k(X, Y))^n_k), n_k independent Poisson variables with means phi_k(X, Y) >= 0.

phi_k(X, Y) - phi_k(Y, X) = U_k(Y) - U_k(X) makes the second test exact: exp(-sum phi_k) of the two directions differs by
exactly the remainder of F_t. Here phi_k(X, Y) = c_k M + min(0, U_k(Y) - U_k(X)), where c_k M bounds the change of U_k: the
third derivative of a logistic term in its score is at most 1/(6 sqrt 3), so with A = C'(X - x'), B = C'(Y - x')

    |U_k(Y) - U_k(X)| <= c_k M,   c_k = |C^-1 u_k|^3/(12 sqrt 3),   M = |B - A| (|A|^2 + A.B + |B|^2)/3.

The n_k come from a Poisson number of data, mean M sum c_k, drawn with weights c_k and thinned: of order d^2.5 t^-1/2 near
the mode. If the mean is t or more, all data are read in one ordinary test. A linear model has no remainder.

Sources: Prado, Nemeth, Sherlock (2024), https://arxiv.org/abs/2407.19602 (gamma = 0; the bound in the metric of C is ours);
Zhang, Cooper, De Sa (2020), https://arxiv.org/abs/2006.11677 (Poisson minibatches in an exact test).
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.control_point import ControlSampler
from sampler.algorithms.metropolis import AcceptanceCount
from sampler.arguments import real_number
from sampler.kernels import subsampled_metropolis
from sampler.kernels.chains import Knobs
from sampler.problems.base import Problem
from sampler.settings import Settings

SCALE, MOST_SCALE = 1.5, 1000.0  # of a proposal: that of the authors' code (2.38 where all data are read), and the largest
THIRD = 1.0 / (6.0 * math.sqrt(3.0))  # largest third derivative of log(1 + e^z)


class SubsampledMetropolis(AcceptanceCount, ControlSampler):
    """MH-SS on K independent chains. Only ``i_max``, ``random_length`` and the resets of the settings are used.

    Each datum read counts as two evaluations, at X and at Y, and each step as one more, for F_t's expansion, O(d^2) work.
    A chain never diverges: a proposal that is not finite is rejected.

    Parameters
    ----------
    problem : LogisticRegression or LinearRegression
        The third derivative of a Poisson term is unbounded.
    settings, chains, seed, start, threads
        As for `StreamSampler`.
    scale : float in (0, 1000], optional
        Length of a proposal in posterior widths, over all coordinates. Saved with the state.
    """

    kinds = ("logistic", "linear")
    needs = "one with terms of bounded third derivative"
    traceable = False
    _kept_values = ("scale",)

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None, scale: float = SCALE) -> None:
        self.scale = real_number("scale", scale, "1.5 suits most posteriors", above=0.0, most=MOST_SCALE)
        super().__init__(problem, settings, chains, seed, start, threads)

    def _weigh(self, rows: np.ndarray, factor: np.ndarray) -> np.ndarray:
        if self.problem.kind == "linear":
            return np.zeros((1, len(rows)))
        length = np.sqrt((solve_triangular(factor, rows.T, lower=True) ** 2).sum(axis=0))
        return 0.5 * THIRD * length[None] ** 3

    def _step_work(self) -> float:
        return self.dim

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        control, factor = self.control, self.control.factor
        whiten = np.ascontiguousarray(solve_triangular(factor, np.eye(self.dim), lower=True).T)
        whitening = (whiten, np.ascontiguousarray(factor.T), whiten.T @ control.hessian @ whiten,
                     whiten.T @ control.gradient)
        fixed = self._widened(control.point), control.scores, control.means
        scale = self.scale / math.sqrt(self.dim) * math.sqrt(control.fitted / self.t)
        return subsampled_metropolis.advance(self._lanes, self.problem.kind_code, self._precision, self._rows.rows,
                                             self._rows.targets, fixed, whitening, control.sums[0], block.chains, self.t,
                                             knobs, n, self._center, scale, block.own(self._accepted), block.counts)
