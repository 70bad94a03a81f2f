"""Warm Laplace: N(mode, Hessian^-1) of F_t, refitted each time the data have grown by a fraction, filtered in between.

Newton's method starts at the last mean, as in `Laplace`. Between two refits a datum with the row u and the score z = u . w
updates the law N(m, P) along one line, by an implicit step of the extended Kalman filter:

    m <- argmin_w 1/2 (w - m)' P^-1 (w - m) + f_t(w),   P^-1 <- P^-1 + f_t''(u . m) u u'

which is exact for quadratic F_t: for linear regression and a Gaussian mean the law is exact at every t. Without it
the mean would lag, by 22 % of the width if the last 5 % of the data are missing (root mean square).

Refits are at t = 1 and, after one at t = r, at r + max(1, refit r): at every datum while r < 1/refit. The r of a stream of
T data add up to T (1 + 1/refit), 21 T at 5 %. A pass over t data computes gradient and Hessian at one point and counts t
evaluations, though the Hessian takes d/2 times the flops of the gradient. A refit takes three passes, so an epoch costs
about 60 evaluations on average, for every t. Between refits, each evaluation of the datum's gradient is counted.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import wrightomega

from sampler.algorithms.laplace import Laplace, contracted, proximal_score
from sampler.arguments import real_number
from sampler.problems.base import Problem
from sampler.settings import Settings

REFIT, MOST_REFIT = 0.05, 1000.0  # relative growth of the data between two refits: default and largest


def next_refit(last: int, refit: float = REFIT) -> int:
    """Return the epoch of the refit that follows the one at ``last``.

    Parameters
    ----------
    last : int >= 0
        Epoch of the last refit; 0 before the first.
    refit : float >= 0
        Relative growth of the data between two refits.
    """
    return last + max(1, math.ceil(refit * last))


def implicit_score(kind: str, score: float, leverage: float, target: float) -> tuple[float, int]:
    """Solve z + leverage (mean(z) - target) = score for z; return z and the number of evaluations of mean(z).

    Parameters
    ----------
    kind : {"logistic", "linear", "poisson"}
        Model that defines the mean function; a logistic target is 0.
    score : float
        u . m before the update.
    leverage : float >= 0
        u' P u.
    target : float
    """
    if kind == "logistic":
        return proximal_score(score, leverage)
    pulled = score + leverage * target
    if kind == "linear":
        return pulled / (1.0 + leverage), 1
    shift = math.log(max(leverage, 1e-300))
    omega = float(wrightomega(pulled + shift))
    return (math.log(omega) - shift if omega > 1.0 else pulled - omega), 1


class WarmLaplace(Laplace):
    """Independent draws from the Laplace approximation, refitted as the data grow.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression, PoissonRegression or GaussianMean
    settings, chains, seed, start, threads
        As for `StreamSampler`; the settings are not used.
    refit : float in [0, 1000], optional
        Relative growth of the data between two refits; 0 refits at every datum, as `Laplace` does. Saved with the state.

    Attributes
    ----------
    fitted : int
        Epoch of the last refit; 0 before the first.

    Raises
    ------
    ValueError
        For ``refit`` out of range, and at a refit without a mode: under a flat prior, separable data or fewer rows than
        coefficients have none.
    """

    kinds = ("logistic", "linear", "poisson", "gaussian_mean")
    needs = "one with terms of known curvature"
    _kept_values = ("refit", "fitted")
    _tolerance = 1e-4  # the last Newton step is at most a hundredth of a width, with an error of its square

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None, refit: float = REFIT) -> None:
        self.refit = real_number("refit", refit, "0.05 refits after each twentieth more data", least=0.0, most=MOST_REFIT)
        super().__init__(problem, settings, chains, seed, start, threads)

    def _allocate(self) -> None:
        super()._allocate()
        self.fitted = 0

    def _fit(self, posterior: Any, counts: np.ndarray) -> None:
        if self.fitted == 0 or posterior.t >= next_refit(self.fitted, self.refit):
            super()._fit(posterior, counts)
            self.fitted = posterior.t
            return
        if posterior.problem.kind == "gaussian_mean":
            self.mean = self.mean + (posterior.rows[-1] - self.mean) / posterior.t
            self._whitener = np.eye(self.dim) / math.sqrt(2.0 * posterior.t)
            counts[0] += 1
            return
        problem, row, target = posterior.problem, posterior.rows[-1], float(posterior.targets[-1])
        along = self._whitener @ row
        z, made = implicit_score(problem.kind, float(row @ self.mean), float(along @ along), target)
        self.mean = self.mean - (problem.mean_function(z) - target) * (along @ self._whitener)
        self._whitener = contracted(self._whitener, along, float(problem.score_curvature(z)))
        counts[0] += made
