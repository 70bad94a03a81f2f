"""Convergence rate of CHC Theorem 4.1, measured: ||w_t - w*||^2 on data with an exact coreset.

The theorem: under its assumptions C.1 to C.5, E||w_t - w*||^2 = O(1/sqrt(t)), w* the weights for which the coreset
posterior is the full-data posterior. For data in which M points occur c_1, ..., c_M times, w* = (c_1, ..., c_M), which is
unique if the points are affinely independent (so M <= d + 1; Assumption C.4).

The rate is that of t -> infinity. Until the decreasing steps have converged in the flattest direction of E[G] (the
sum of the weights, with an eigenvalue of about d/(2 ||w*||^2)), gradient noise accumulates in it: with N = 1,000 instead of
55 the error still grows at t = 300,000.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import real_array, shown, whole_number
from sampler.coreset.coreset_mcmc import CoresetMCMC
from sampler.coreset.models.base import checked_matrix
from sampler.coreset.models.gaussian import GaussianLocation
from sampler.coreset.optimizers import HotDoG, Optimizer

PER_DECADE = 8  # recorded iterations
SETTLED = 30  # slopes are fitted to the last factor of 30 in t

MOST_COPIES = 10**8


class RepeatedPoints(GaussianLocation):
    """Gaussian location on ``points`` (M, d), the m-th occurring ``copies[m]`` times, with an exact coreset.

    Parameters
    ----------
    points : (M, d) array, affinely independent
    copies : (M,) whole numbers >= 1
    """

    def __init__(self, points: np.ndarray, copies: ArrayLike) -> None:
        points = checked_matrix("points", points)
        wanted = f"{len(points)} whole numbers of 1 or more, one for each point"
        advice = "leave out a point that never occurs"
        counts = real_array("copies", copies, wanted, advice)
        whole = counts.shape == (len(points),) and np.all((counts >= 1) & (counts <= MOST_COPIES))
        if not whole or np.any(counts != np.floor(counts)) or np.asarray(copies).dtype.kind not in "iu":
            raise ValueError(f"copies must be {wanted}, {MOST_COPIES:,} at most, got {shown(copies)}; {advice}")
        counts = counts.astype(np.int64)
        if np.linalg.matrix_rank(np.column_stack((points, np.ones(len(points))))) < len(points):
            raise ValueError(f"points must be affinely independent, got {len(points)} in {points.shape[1]} dimensions; "
                             "take d + 1 of them at most, no two the same")
        super().__init__(np.repeat(points, counts, axis=0))
        self.optimum = counts.astype(float)

    @classmethod
    def synthetic(cls, n: int = 55, dim: int = 20, seed: int = 0, size: int = 10) -> "RepeatedPoints":
        """Draw ``size`` standard normal points in ``dim`` coordinates, the last about ``size`` times as often as the first.

        ``n`` data in total; 2 <= size <= dim + 1; the same ``seed`` gives the same data.
        """
        size = whole_number("size", size, 2, whole_number("dim", dim) + 1, "affinely independent points are needed")
        n = whole_number("n", n, size * (size + 1) // 2, 10**7, "the first point occurs at least once")
        copies = (np.arange(1, size + 1) * (2 * n // (size * (size + 1)))).astype(int)
        copies[-1] += n - copies.sum()
        return cls(np.random.default_rng(seed).standard_normal((size, dim)), copies)

    def pick(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Return the index of one datum per point, (M,): ``size`` must be M, and ``rng`` is not used."""
        if size != len(self.optimum):
            raise ValueError(f"size must be {len(self.optimum)}, the number of points, got {size}; the exact coreset has "
                             "one datum of each: give CoresetMCMC that size")
        return np.concatenate(([0], np.cumsum(self.optimum.astype(np.int64))[:-1]))


@dataclass(frozen=True, eq=False)
class WeightConvergence:
    """Errors of the weights at log-spaced iterations, one row per seed."""

    iterations: np.ndarray  #: (i,)
    errors: np.ndarray  #: (r, i) ||w_t - w*||^2
    start: float  #: the same at t = 0, all weights N/M
    subsample: int  #: S
    chains: int  #: K

    @property
    def mean(self) -> np.ndarray:
        """(i,) estimate of E||w_t - w*||^2."""
        return self.errors.mean(axis=0)

    @property
    def slopes(self) -> np.ndarray:
        """(r,) slopes of log ||w_t - w*||^2 against log t over the last factor of 30 in t, one per seed."""
        late = self.iterations * SETTLED >= self.iterations[-1]
        return np.polyfit(np.log(self.iterations[late]), np.log(self.errors[:, late]).T, 1)[0]

    @property
    def slope(self) -> float:
        """Mean slope; -1/2 or below according to the theorem."""
        return float(self.slopes.mean())

    @property
    def slope_error(self) -> float:
        """Standard error of ``slope``, from the slopes of the seeds."""
        return float(self.slopes.std(ddof=1) / np.sqrt(len(self.slopes)))


def weight_convergence(
    model: RepeatedPoints, iterations: int, seeds: int = 8, optimizer: Optimizer | None = None, chains: int = 10,
    subsample: int = 40, stop: Callable[[], bool] | None = None,
) -> WeightConvergence | None:
    """Train the weights of an exact coreset once per seed; return None if stopped.

    Parameters
    ----------
    model : RepeatedPoints
    iterations : T >= 1000, without a hot start, as exact draws are stationary.
    seeds : r >= 2 runs, with the seeds 0, 1, ..., r - 1.
    optimizer : None is ``HotDoG()``.
    chains, subsample : K and S.
    stop : called between recorded iterations; True ends the runs.
    """
    T = whole_number("iterations", iterations, 1000, 10**8, "a slope needs a few decades")
    seeds = whole_number("seeds", seeds, 2, 1000, "a standard error needs two")
    decades = np.log10(T)
    marks = np.unique(np.round(np.logspace(0.0, decades, int(decades * PER_DECADE) + 1)).astype(int))
    errors = np.empty((seeds, marks.size))
    size = len(model.optimum)
    for seed in range(seeds):
        run = CoresetMCMC(model, size, HotDoG() if optimizer is None else optimizer, chains, subsample, hot_start=False,
                          seed=seed).start()
        start = float(((run.weights - model.optimum) ** 2).sum())
        for i, mark in enumerate(marks):
            if stop is not None and stop():
                return None
            run.advance(int(mark) - run.t)
            errors[seed, i] = ((run.weights - model.optimum) ** 2).sum()
    return WeightConvergence(marks, errors, start, subsample, chains)
