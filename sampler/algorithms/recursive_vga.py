"""R-VGA, the recursive variational Gaussian approximation (Lambert, Bonnabel and Bach 2022): one Gaussian, one pass.

Each datum replaces the law N(m', P') by the Gaussian nearest, in KL(q || .), to that law times the new likelihood. With
the row u and the score z = u . theta of a one-score model the minimiser satisfies

    m = m' - E[mean(z) - y] P' u,   P^-1 = P'^-1 + E[mean'(z)] u u',   z ~ N(u . m, u' P u)

with expectations under the NEW law. So the two numbers u . m and v = u' P u determine m and P. With s = u' P' u:

linear    the Kalman filter: exact.
Poisson   E exp(z) = exp(u . m + v/2) in closed form; its logarithm is a root in one dimension.
logistic  E p(z) = p(k u . m), k = (1 + pi v/8)^(-1/2), the probit approximation, and its derivative k p'(k u . m) for
          E p'. u . m follows from v by the proximal step of `proximal_score`, and v from u . m by v = s/(1 + s E p'): a
          bracketed root in one dimension, instead of the paper's system of two equations.

A GaussianMean is exact. The full covariance is stored as W with W'W = P, d^2 numbers and O(d^2) flops per datum. Each datum
is used once: unlike `OnlineLaplace` it tracks correlations, but an early error of the mean is never corrected.

L-RVGA, the limited-memory form for many dimensions (Lambert, Bonnabel and Bach 2023), stores the precision as factors and a
diagonal, P^-1 = W W' + diag(psi), W (d, r): r d numbers and O(r^2 d) flops per datum. After each datum the new precision
S = P'^-1 + E[mean'(z)] u u' is replaced by the nearest of that form, by EM steps for factor analysis (Rubin and Thayer
1982) from the previous one: with B = diag(psi)^-1 W, M = I + W'B and K = B'S B, S as factors and a diagonal,

    W <- S B (M + K)^-1 M,   psi <- diag(S - S B (M + K)^-1 B'S)

The first r data are exact factors, whereas the paper starts from random ones. Discarded information is not recovered: on
independent logistic rows, d = 60, r = 10, the mean after 400 rows is 1.4 to 1.7 deviations from that of the full form, and
the deviations are 0.8 to 0.9 of its own (three seeds). So it is the default only if a full covariance is too large.

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

LARGEST_FULL = 2000  # largest dimension with a full covariance by default: 32 MB, about 10 ms per datum
RANK = 10  # default number of factors above it
EM_STEPS = 3  # per datum
PROBIT = 8.0 / math.pi  # variance of the score at which k^2 is 1/2


def poisson_expectation(score: float, leverage: float, count: float) -> tuple[float, int]:
    """Compute E exp(z) under the new law; return it and the number of evaluations.

    Its logarithm l solves l + s exp(l) = u . m' + s y + v/2 with v = s/(1 + s exp(l)), and is between the solutions for
    v = 0 and v = s.

    Parameters
    ----------
    score : float
        u . m' under the previous law.
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
    """Compute E p(z) and E p'(z) under the new law by the probit approximation; return them and the evaluations of p.

    Parameters
    ----------
    score : float
        u . m' under the previous law; the row u includes the label's sign.
    leverage : float >= 0
        s = u' P' u.
    """
    made = 0
    z = 0.0

    def moments(variance: float) -> tuple[float, float, float]:
        """Return k, E p and E p' for a variance of the score under the new law."""
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
    """Covariance P stored as its factor W with W'W = P: ``factor`` (dim, dim)."""

    def __init__(self, factor: np.ndarray) -> None:
        self.factor = factor

    def along(self, row: np.ndarray) -> tuple[np.ndarray, float]:
        """Return P u and u' P u for the row u."""
        whitened = self.factor @ row
        return whitened @ self.factor, float(whitened @ whitened)

    def add(self, row: np.ndarray, weight: float) -> None:
        """Add ``weight`` u u' to the precision."""
        self.factor = contracted(self.factor, self.factor @ row, weight)

    def root(self) -> np.ndarray:
        """Return R with R R' = P, (dim, dim), or the diagonal of R, (1, dim)."""
        return self.factor if len(self.factor) == 1 else np.ascontiguousarray(self.factor.T)


class FactoredPrecision:
    """P^-1 = W W' + diag(psi): ``factors`` W (dim, r), with zero columns while unused, and ``diagonal`` psi (dim,)."""

    def __init__(self, factors: np.ndarray, diagonal: np.ndarray) -> None:
        self.factors, self.diagonal = factors, diagonal

    def along(self, row: np.ndarray) -> tuple[np.ndarray, float]:
        """Return P u and u' P u for the row u, by Woodbury's identity."""
        scaled = self.factors / self.diagonal[:, None]
        inner = np.eye(self.factors.shape[1]) + self.factors.T @ scaled
        ahead = row / self.diagonal - scaled @ solve(inner, scaled.T @ row, assume_a="pos")
        return ahead, float(row @ ahead)

    def add(self, row: np.ndarray, weight: float) -> None:
        """Add ``weight`` u u' to the precision approximately, as in the module docstring."""
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
            solved = solve(inner + scaled.T @ moved, moved.T, assume_a="pos").T
            self.factors, self.diagonal = solved @ inner, total - (solved * moved).sum(axis=1)

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return psi^(-1/2) (dim,), U (dim, r) and c (r,): diag(psi)^(-1/2) (I - U diag(c) U') is a root of P."""
        scale = 1.0 / np.sqrt(self.diagonal)
        left, values, _ = np.linalg.svd(scale[:, None] * self.factors, full_matrices=False)
        return scale, left, 1.0 - 1.0 / np.sqrt(1.0 + values**2)

    def root(self) -> np.ndarray:
        """Return R with R R' = P, (dim, dim)."""
        scale, left, shrunk = self.parts()
        return scale[:, None] * (np.eye(len(scale)) - (left * shrunk) @ left.T)


class RecursiveVGA(GaussianFitSampler):
    """Independent draws from the recursive variational Gaussian approximation, updated one datum at a time.

    Each evaluation of the datum's expected gradient at a new point is counted: 1 for a linear model, about 3 for a Poisson
    and about 8 for a logistic datum, for every t.

    Requires a proper prior, or a GaussianMean; ValueError otherwise.

    Parameters
    ----------
    problem : LogisticRegression, LinearRegression, PoissonRegression or GaussianMean
    settings, chains, seed, start, threads
        As for `StreamSampler`; the settings are not used.
    rank : int in [1, 2000], optional
        Number of factors of the limited-memory form; dim or more stores the full covariance. None stores it up to 2,000
        dimensions and uses 10 factors above. Saved with the state. Not used for a GaussianMean.

    Attributes
    ----------
    mean : (dim,) array
        m.
    """

    kinds = ("logistic", "linear", "poisson", "gaussian_mean")
    needs = "one with a known expected gradient under a Gaussian,"
    _law: WholeCovariance | FactoredPrecision

    def __init__(self, problem: Problem, settings: Settings | None = None, chains: int = 256, seed: int = 0,
                 start: ArrayLike | None = None, threads: int | None = None, rank: int | None = None) -> None:
        self.rank = None if rank is None else whole_number("rank", rank, 1, LARGEST_FULL, "10 are usual")
        super().__init__(problem, settings, chains, seed, start, threads)

    def _allocate(self) -> None:
        super()._allocate()
        rank = self.rank or (self.dim if self.dim <= LARGEST_FULL else RANK)
        if self.problem.kind == "gaussian_mean":
            self._law = WholeCovariance(np.full((1, self.dim), np.inf))
        elif rank >= self.dim:
            self._law = WholeCovariance(np.diag(1.0 / np.sqrt(proper_precision(self))))
        else:
            self._law = FactoredPrecision(np.zeros((self.dim, rank)), np.array(proper_precision(self), float))

    def _fit(self, posterior: Any, counts: np.ndarray) -> None:
        row = posterior.rows[-1]
        if self.problem.kind == "gaussian_mean":
            self.mean = self.mean + (row - self.mean) / posterior.t
            self._law = WholeCovariance(np.full((1, self.dim), math.sqrt(0.5 / posterior.t)))
            counts[0] += 1
            return
        target, score = float(posterior.targets[-1]), float(row @ self.mean)
        ahead, leverage = self._law.along(row)
        if leverage == 0.0:
            return  # a row of zeros has no information
        if self.problem.kind == "logistic":
            expected, weight, made = logistic_expectations(score, leverage)
        elif self.problem.kind == "poisson":
            expected, made = poisson_expectation(score, leverage, target)
            weight = expected
        else:
            expected, weight, made = (score + leverage * target) / (1.0 + leverage), 1.0, 1
        self.mean = self.mean - (expected - target) * ahead
        self._law.add(row, weight)
        counts[0] += made

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
        self.rank, self.mean = meta.get("rank"), np.array(arrays["mean"])  # no rank in files before 1.3
        parts = {name: np.array(array) for name, array in arrays.items() if name != "mean"}
        self._law = WholeCovariance(**parts) if "factor" in parts else FactoredPrecision(**parts)
