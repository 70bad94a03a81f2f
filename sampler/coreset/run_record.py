"""The record of every iteration of a run, and its rates at log-spaced iterations."""

from bisect import bisect_right
from typing import Any

import numpy as np

FIRST_ROWS = 4096


class Record:
    """Arrays with one row an iteration (`sums` and `squares` one more), doubled when full.

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
        """Capacity for at least this many iterations."""
        while (capacity := self.norms.size) < iterations:
            for name in ("sums", "squares", "norms", "totals", "potentials"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros((capacity, *old.shape[1:]))]))


PER_DECADE = 24
MARKS = sorted({*range(1, 11), *(round(10 ** (step / PER_DECADE)) for step in range(PER_DECADE, 10 * PER_DECADE))})


class History:
    """Grows by one row at each mark.

    Attributes
    ----------
    iterations : list of int
    rates : list of (3,) arrays, 10, 50, 90 % points over weights of the effective rate
    """

    def __init__(self) -> None:
        self.iterations: list[int] = []
        self.rates: list[np.ndarray] = []

    def next_mark(self, t: int) -> int:
        """First iteration after ``t`` to be kept: all up to 10, then 24 a decade."""
        return MARKS[bisect_right(MARKS, t)]

    def add(self, run: Any) -> None:
        """Keep the rates of ``run``."""
        self.iterations.append(run.t)
        self.rates.append(np.percentile(run.rates, (10, 50, 90)))
