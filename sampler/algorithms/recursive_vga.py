"""R-VGA, the recursive variational Gaussian approximation (Lambert, Bonnabel and Bach 2022): one Gaussian, one pass.

Each datum replaces the law N(m', P') by the Gaussian nearest, in KL(q || .), to that law times the new likelihood. With
the row u and the score z = u . theta of a one-score model the minimiser is, implicitly,

    m = m' - E[mean(z) - y] P' u,   P^-1 = P'^-1 + E[mean'(z)] u u',   z ~ N(u . m, u' P u)

expectations under the NEW law. So m and P are known once the two numbers u . m and v = u' P u are. With s = u' P' u:

linear    the Kalman filter: exact.
Poisson   E exp(z) = exp(u . m + v/2) in closed form; its logarithm is a root in one dimension.
logistic  E p(z) = p(k u . m), k = (1 + pi v/8)^(-1/2), the probit approximation, and its derivative k p'(k u . m) for
          E p'. u . m follows from v by the proximal step of `proximal_score`, and v from u . m by v = s/(1 + s E p'): a
          root in one dimension, which has a bracket, in place of the paper's system of two.

A GaussianMean is exact. The covariance is kept whole, d^2 numbers and O(d^2) flops a datum, as W with W'W = P. The
limited-memory form for many dimensions (Lambert, Bonnabel and Bach 2023, arXiv 2303.14195) is not here. Each datum is seen
once: correlations are kept, which `OnlineLaplace` does not, but an early error of the mean is never mended.

Source: Statistics and Computing 32:10, https://doi.org/10.1007/s11222-021-10068-w
"""

import math
from typing import Any

import numpy as np
from scipy.special import expit

from sampler.algorithms.langevin import proper_precision
from sampler.algorithms.laplace import GaussianFitSampler, contracted, increasing_root, proximal_score
from sampler.algorithms.warm_laplace import implicit_score

MOST = 2000  # dimensions; a covariance of as many takes 32 MB, and a datum some 10 ms
PROBIT = 8.0 / math.pi  # variance of the score at which k^2 is 1/2


def poisson_expectation(score: float, leverage: float, count: float) -> tuple[float, int]:
    """E exp(z) under the new law, and how often it was evaluated.

    Its logarithm l solves l + s exp(l) = u . m' + s y + v/2 with v = s/(1 + s exp(l)), and lies between the solutions for
    v = 0 and v = s.

    Parameters
    ----------
    score : float
        u . m' under the law before.
    leverage : float > 0
        s = u' P' u.
    count : float >= 0
        y.
    """
    pulled = score + leverage * count

    def error(log_mean: float) -> tuple[float, float]:
        added = leverage * math.exp(log_mean)
        return (log_mean + added - pulled - 0.5 * leverage / (1.0 + added),
                1.0 + added + 0.5 * leverage * added / (1.0 + added) ** 2)

    low, high = (implicit_score("poisson", score + added, leverage, count)[0] for added in (0.0, 0.5 * leverage))
    log_mean, made = increasing_root(error, low, high, high, 1e-14 * (1.0 + abs(high)))
    return math.exp(log_mean), made


def logistic_expectations(score: float, leverage: float) -> tuple[float, float, int]:
    """E p(z) and E p'(z) under the new law by the probit approximation, and how often p was evaluated.

    Parameters
    ----------
    score : float
        u . m' under the law before; the row u carries the label's sign.
    leverage : float >= 0
        s = u' P' u.
    """
    made = 0
    z = 0.0

    def moments(variance: float) -> tuple[float, float, float]:
        """k, E p and E p' where the new law has this variance of the score."""
        nonlocal made, z
        k = math.sqrt(PROBIT / (PROBIT + variance))
        z, times = proximal_score(k * score, k * leverage, z)
        made += times
        p, q = float(expit(z)), float(expit(-z))
        return k, p, k * p * q

    def error(variance: float) -> tuple[float, float]:
        k, p, curvature = moments(variance)
        left = leverage / (1.0 + leverage * curvature)
        slope = -0.5 * k**2 / PROBIT * curvature * (1.0 + (1.0 - 2.0 * p) * z / (1.0 + leverage * curvature))  # of E p'
        return variance - left, 1.0 + left**2 * slope

    low = leverage / (1.0 + 0.25 * leverage)
    variance, _ = increasing_root(error, low, leverage, low, 1e-13 * (1.0 + leverage))
    _, p, curvature = moments(variance)
    return p, curvature, made


class RecursiveVGA(GaussianFitSampler):
    """Independent draws from the recursive variational Gaussian approximation, one datum at a time.

    An evaluation is counted each time the datum's expected gradient is asked for at a new point: 1 for a linear model, some
    3 for Poisson, some 8 for a logistic datum, whatever t is.

    Needs a proper prior and at most 2,000 dimensions, or a GaussianMean; ValueError otherwise.

    Attributes
    ----------
    mean : (dim,) array
        m.
    """

    kinds = ("logistic", "linear", "poisson", "gaussian_mean")
    needs = "one whose expected gradient under a Gaussian is known,"
    most_dimensions = MOST
    why_no_more = "it keeps the whole covariance, and its limited-memory form is not here"
    _kept_arrays = ("mean", "_factor")

    def _allocate(self) -> None:
        super()._allocate()
        if self.problem.kind == "gaussian_mean":
            self._factor = np.full((1, self.dim), np.inf)
        else:
            self._factor = np.diag(1.0 / np.sqrt(proper_precision(self)))

    def _fit(self, posterior: Any) -> int:
        row, factor = posterior.rows[-1], self._factor
        if self.problem.kind == "gaussian_mean":
            self.mean = self.mean + (row - self.mean) / posterior.t
            self._factor = np.full((1, self.dim), math.sqrt(0.5 / posterior.t))
            return 1
        along, target = factor @ row, float(posterior.targets[-1])
        score, leverage = float(row @ self.mean), float(along @ along)
        if leverage == 0.0:
            return 0  # a row of zeros tells nothing
        if self.problem.kind == "logistic":
            expected, weight, made = logistic_expectations(score, leverage)
        elif self.problem.kind == "poisson":
            expected, made = poisson_expectation(score, leverage, target)
            weight = expected
        else:
            expected, weight, made = (score + leverage * target) / (1.0 + leverage), 1.0, 1
        self.mean = self.mean - (expected - target) * (along @ factor)
        self._factor = contracted(factor, along, weight)
        return made

    def _root(self) -> np.ndarray:
        return self._factor if len(self._factor) == 1 else np.ascontiguousarray(self._factor.T)
