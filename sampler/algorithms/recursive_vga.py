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

A GaussianMean is exact. The covariance is kept whole, d^2 numbers and O(d^2) flops a datum, as W with W'W = P. Each datum
is seen once: correlations are kept, which `OnlineLaplace` does not, but an early error of the mean is never mended.

L-RVGA, the limited-memory form for many dimensions (Lambert, Bonnabel and Bach 2023), keeps the precision as factors and a
diagonal, P^-1 = W W' + diag(psi), W (d, r): r d numbers and O(r^2 d) flops a datum. After each datum the precision, which
has become S = P'^-1 + E[mean'(z)] u u', is replaced by the nearest of that form, by steps of EM for factor analysis (Rubin
and Thayer 1982) from the last one: with B = diag(psi)^-1 W, M = I + W'B and K = B'S B, S as factors and a diagonal,

    W <- S B (M + K)^-1 M,   psi <- diag(S - S B (M + K)^-1 B'S)

The first r data are factors themselves, exactly, where the paper starts from random ones. What is lost is never regained:
on independent logistic rows, d = 60, r = 10, the mean is 1.4 to 1.7 deviations off that of the whole form after 400 of them,
and deviations are 0.8 to 0.9 of its own (three seeds). So it is the default only where a whole covariance is too large.

Sources: Statistics and Computing 32:10, https://doi.org/10.1007/s11222-021-10068-w; https://arxiv.org/abs/2303.14195.
Both forms are tested against the authors' code, https://github.com/marc-h-lambert/L-RVGA.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve
from scipy.special import expit

from sampler.algorithms.langevin import proper_precision
from sampler.algorithms.laplace import GaussianFitSampler, contracted, increasing_root, proximal_score
from sampler.algorithms.warm_laplace import implicit_score
from sampler.arguments import whole_number
from sampler.problems.base import Problem
from sampler.settings import Settings

WHOLE = 2000  # dimensions; a covariance of as many takes 32 MB, and a datum some 10 ms
RANK = 10  # factors above
EM_STEPS = 3  # a datum
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


class WholeCovariance:
    """P, as W with W'W = P: ``factor`` (dim, dim)."""

    def __init__(self, factor: np.ndarray) -> None:
        self.factor = factor

    def along(self, row: np.ndarray) -> tuple[np.ndarray, float]:
        """P u and u' P u."""
        whitened = self.factor @ row
        return whitened @ self.factor, float(whitened @ whitened)

    def add(self, row: np.ndarray, weight: float) -> None:
        """The precision gains ``weight`` u u'."""
        self.factor = contracted(self.factor, self.factor @ row, weight)

    def root(self) -> np.ndarray:
        """R with R R' = P, (dim, dim); as it is where it is the diagonal of one, (1, dim)."""
        return self.factor if len(self.factor) == 1 else np.ascontiguousarray(self.factor.T)


class FactoredPrecision:
    """P^-1 = W W' + diag(psi): ``factors`` W (dim, r), a column of zeros where no datum is yet, ``diagonal`` psi (dim,)."""

    def __init__(self, factors: np.ndarray, diagonal: np.ndarray) -> None:
        self.factors, self.diagonal = factors, diagonal

    def along(self, row: np.ndarray) -> tuple[np.ndarray, float]:
        """P u and u' P u, by Woodbury's identity."""
        scaled = self.factors / self.diagonal[:, None]
        inner = np.eye(self.factors.shape[1]) + self.factors.T @ scaled
        ahead = row / self.diagonal - scaled @ solve(inner, scaled.T @ row, assume_a="pos")
        return ahead, float(row @ ahead)

    def add(self, row: np.ndarray, weight: float) -> None:
        """The precision gains about ``weight`` u u': see the module."""
        gained, free = math.sqrt(weight) * row, np.flatnonzero(~self.factors.any(axis=0))
        if free.size:
            self.factors = self.factors.copy()
            self.factors[:, free[0]] = gained
            return
        wide, added, eye = np.column_stack([self.factors, gained]), self.diagonal, np.eye(self.factors.shape[1])
        total = (wide**2).sum(axis=1) + added
        for _ in range(EM_STEPS):
            scaled = self.factors / self.diagonal[:, None]
            inner = eye + self.factors.T @ scaled
            moved = wide @ (wide.T @ scaled) + added[:, None] * scaled
            answered = solve(inner + scaled.T @ moved, moved.T, assume_a="pos").T
            self.factors, self.diagonal = answered @ inner, total - (answered * moved).sum(axis=1)

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """psi^(-1/2) (dim,), U (dim, r) and c (r,): diag(psi)^(-1/2) (I - U diag(c) U') is a root of P."""
        scale = 1.0 / np.sqrt(self.diagonal)
        left, values, _ = np.linalg.svd(scale[:, None] * self.factors, full_matrices=False)
        return scale, left, 1.0 - 1.0 / np.sqrt(1.0 + values**2)

    def root(self) -> np.ndarray:
        """R with R R' = P, (dim, dim)."""
        scale, left, shrunk = self.parts()
        return scale[:, None] * (np.eye(len(scale)) - (left * shrunk) @ left.T)


class RecursiveVGA(GaussianFitSampler):
    """Independent draws from the recursive variational Gaussian approximation, one datum at a time.

    An evaluation is counted each time the datum's expected gradient is asked for at a new point: 1 for a linear model, some
    3 for Poisson, some 8 for a logistic datum, whatever t is.

    Needs a proper prior, or a GaussianMean; ValueError otherwise.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression, PoissonRegression or GaussianMean
    settings, chains, seed, start, threads
        As for every StreamSampler; no setting is used.
    rank : int in [1, 2000], optional
        Factors of the limited-memory form; as many as dimensions, or more, keep the covariance whole. None keeps it whole up
        to 2,000 dimensions, and takes 10 above. Saved with the state. A GaussianMean needs none.

    Attributes
    ----------
    mean : (dim,) array
        m.
    """

    kinds = ("logistic", "linear", "poisson", "gaussian_mean")
    needs = "one whose expected gradient under a Gaussian is known,"
    _law: WholeCovariance | FactoredPrecision

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None, rank: int | None = None) -> None:
        self.rank = None if rank is None else whole_number("rank", rank, 1, WHOLE, "10 are usual")
        super().__init__(problem, settings, chains, seed, start, threads)

    def _allocate(self) -> None:
        super()._allocate()
        rank = self.rank or (self.dim if self.dim <= WHOLE else RANK)
        if self.problem.kind == "gaussian_mean":
            self._law = WholeCovariance(np.full((1, self.dim), np.inf))
        elif rank >= self.dim:
            self._law = WholeCovariance(np.diag(1.0 / np.sqrt(proper_precision(self))))
        else:
            self._law = FactoredPrecision(np.zeros((self.dim, rank)), np.array(proper_precision(self), float))

    def _fit(self, posterior: Any) -> int:
        row = posterior.rows[-1]
        if self.problem.kind == "gaussian_mean":
            self.mean = self.mean + (row - self.mean) / posterior.t
            self._law = WholeCovariance(np.full((1, self.dim), math.sqrt(0.5 / posterior.t)))
            return 1
        target, score = float(posterior.targets[-1]), float(row @ self.mean)
        ahead, leverage = self._law.along(row)
        if leverage == 0.0:
            return 0  # a row of zeros tells nothing
        if self.problem.kind == "logistic":
            expected, weight, made = logistic_expectations(score, leverage)
        elif self.problem.kind == "poisson":
            expected, made = poisson_expectation(score, leverage, target)
            weight = expected
        else:
            expected, weight, made = (score + leverage * target) / (1.0 + leverage), 1.0, 1
        self.mean = self.mean - (expected - target) * ahead
        self._law.add(row, weight)
        return made

    def _root(self) -> np.ndarray:
        return self._law.root()

    def _advance(self, n: int, traced: int, trace: np.ndarray, counts: np.ndarray) -> bool:
        if not isinstance(self._law, FactoredPrecision):
            return super()._advance(n, traced, trace, counts)
        scale, left, shrunk = self._law.parts()
        for k in np.flatnonzero(self._state.steps_done == 0).tolist():
            noise = self._normals(k)
            self._land(k, self.mean + scale * (noise - left @ (shrunk * (left.T @ noise))))
            counts[3] += 1
        return True

    def _memory_meta(self) -> dict[str, Any]:
        return {"rank": self.rank}

    def _memory_arrays(self) -> dict[str, Any]:
        return {"mean": self.mean, **vars(self._law)}

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.rank, self.mean = meta.get("rank"), np.array(arrays["mean"])  # files before 1.3 have none
        parts = {name: np.array(array) for name, array in arrays.items() if name != "mean"}
        self._law = WholeCovariance(**parts) if "factor" in parts else FactoredPrecision(**parts)
