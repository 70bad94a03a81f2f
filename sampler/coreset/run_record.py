"""Record of every iteration of a run, and scores of its draws against the full-data posterior."""

from bisect import bisect_right
from typing import Any

import numpy as np

from sampler.arguments import LARGEST, SMALLEST, real_array, shown, whole_number

FIRST_ROWS = 4096


class Record:
    """Arrays with one row per iteration (`sums` and `squares` one more), doubled when full.

    Attributes
    ----------
    sums, squares : (capacity + 1, D) running sums of draws and squared draws, in truth units
    norms, totals : (capacity,) gradient norms and sums of the weights
    potentials : (capacity, K) of sum_m w_m l_m at the draws
    """

    def __init__(self, dim: int, chains: int) -> None:
        self.sums, self.squares = np.zeros((FIRST_ROWS + 1, dim)), np.zeros((FIRST_ROWS + 1, dim))
        self.norms, self.totals = np.zeros(FIRST_ROWS), np.zeros(FIRST_ROWS)
        self.potentials = np.zeros((FIRST_ROWS, chains))

    def make_room(self, iterations: int) -> None:
        """Extend the capacity to at least ``iterations`` iterations."""
        while (capacity := self.norms.size) < iterations:
            for name in ("sums", "squares", "norms", "totals", "potentials"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros((capacity, *old.shape[1:]))]))


PER_DECADE = 24
MARKS = sorted({*range(1, 11), *(round(10 ** (step / PER_DECADE)) for step in range(PER_DECADE, 10 * PER_DECADE))})


class History:
    """Quantiles of the rates, one row per mark.

    Attributes
    ----------
    iterations : list of int
    rates : list of (3,) arrays, 10, 50, 90 % points over weights of the effective rate
    """

    def __init__(self) -> None:
        self.iterations: list[int] = []
        self.rates: list[np.ndarray] = []

    def next_mark(self, t: int) -> int:
        """Return the first iteration after ``t`` to record: all up to 10, then 24 per decade."""
        return MARKS[bisect_right(MARKS, t)]

    def add(self, run: Any) -> None:
        """Record the rates of ``run``."""
        self.iterations.append(run.t)
        self.rates.append(np.percentile(run.rates, (10, 50, 90)))


def window_means(sums: np.ndarray, chains: int, iterations: np.ndarray) -> np.ndarray:
    """Return means over chains and over iterations floor(t/2)+1, ..., t, (len(iterations), D).

    Parameters
    ----------
    sums : (T + 1, D) running sums over iterations and chains, row t after t iterations
    chains : int
    iterations : (n,) whole numbers in [1, T]
    """
    ends = np.asarray(iterations)
    starts = ends // 2
    return (sums[ends] - sums[starts]) / (chains * (ends - starts))[:, None]


def z_scores(sums: np.ndarray, chains: int, iterations: np.ndarray, truth_noise: float = 0.0) -> np.ndarray:
    """Return the average squared z-score (Hot DoG Eq. 6) after each of ``iterations``, (n,).

    ``sums`` are running sums of draws in truth units, (theta - mean) / std. The mean of the draws is over the second
    half of all draws so far, warm-up included.

    It does not measure spread: a coreset posterior twenty times too narrow has the same score.

    Differs from the paper: ``truth_noise``, the mean contribution of the truth's Monte Carlo error, is subtracted. The
    result is unbiased above ``truth_noise`` and clipped there, since smaller scores cannot be resolved.
    """
    scores = (window_means(sums, chains, iterations) ** 2).mean(axis=1)
    return np.maximum(scores - truth_noise, truth_noise)


def variance_ratios(sums: np.ndarray, squares: np.ndarray, chains: int, iterations: np.ndarray) -> np.ndarray:
    """Return the variance of the same draws over the true one, averaged over coordinates, (n,)."""
    means = window_means(sums, chains, iterations)
    return (window_means(squares, chains, iterations) - means**2).mean(axis=1)


def gaussian_floor(n: int, subsample: int, dim: int, iterations: np.ndarray | float) -> np.ndarray | float:
    """Return the average squared z-score due to subsampling, for trained weights on the Gaussian location model.

    The noise of the subsampled gradient, (N/S - 1)(d + 2) / (T/2), as a mean over runs: a single run varies by about
    sqrt(2 / d) of it. It is not a lower bound: it holds for weights that follow their gradients within T/2; lower rates
    average over more (ADAM's over sqrt(t) ends a fifth lower at N = 10,000, S = 500, d = 20, T = 10,000). The noise of the
    draws, 2 / (K T), is not included.

    Parameters
    ----------
    n, subsample, dim : int
        N, S, d.
    iterations : float or array
        T, which must be above 0.
    """
    n, dim = whole_number("n", n), whole_number("dim", dim)
    subsample = whole_number("subsample", subsample, 1, n, "it is drawn without replacement")
    count = real_array("iterations", iterations, "numbers above 0", "count from the first")
    if not np.all((count >= SMALLEST) & (count <= LARGEST)):
        raise ValueError(f"iterations must be above 0, from {SMALLEST:g} to {LARGEST:g}, got {shown(iterations)}; count "
                         "from the first")
    return (n / subsample - 1) * (dim + 2) / (count / 2)
