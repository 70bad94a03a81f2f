"""Measures of the weights at log-spaced iterations, for figures; every iteration would be too many."""

from __future__ import annotations

from typing import Any

import numpy as np

PER_DECADE = 24


class History:
    """Grows by one row at each mark.

    Attributes
    ----------
    iterations : list of int
    rates : list of (3,) arrays, 10, 50, 90 % points over weights of the effective rate
    weights : list of (3,) arrays, the same of the weights
    zeros : list of float, share of weights that are zero
    """

    def __init__(self) -> None:
        self.iterations: list[int] = []
        self.rates: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []
        self.zeros: list[float] = []

    def next_mark(self, t: int) -> int:
        """First iteration after ``t`` to be kept: all up to 10, then 24 a decade."""
        if t < 10:
            return t + 1
        step = int(np.floor(np.log10(t) * PER_DECADE + 1e-9))
        mark = t
        while mark <= t:
            step += 1
            mark = round(10 ** (step / PER_DECADE))
        return mark

    def add(self, run: Any) -> None:
        """Keep the state of ``run``."""
        weights = run.weights
        self.iterations.append(run.t)
        self.rates.append(np.percentile(run.rates, (10, 50, 90)))
        self.weights.append(np.percentile(weights, (10, 50, 90)))
        self.zeros.append(float(np.mean(weights == 0)))
