"""`EpochLaw`: how far the law of the page's chains is from their posterior, read off a statistic whose law is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from app.exit_time.target_and_start import ExitSetup

BINS = 20
STOPS = 40

Levels = Callable[[np.ndarray], np.ndarray]
"""Displacements (K, d) -> levels (K, q) of the statistics in their laws under the posterior."""


def stops_of(steps: int) -> np.ndarray:
    """Return some forty steps from 1 to n at which the chains are looked at."""
    return np.unique(np.linspace(0, steps, STOPS + 1).round().astype(int))[1:]


class EpochLaw:
    """Gathers the chains' histograms at each stop; ``has_statistic`` says whether there is an exact one to compare with.

    The sample of an epoch is X at a step uniform on 1..n, so its law is the mean of the laws of the steps. They are read at
    some forty steps. What is compared is a statistic whose law under the posterior is known: the squared distance in the
    bowl's own metric (chi-square), or each coordinate on an exact grid. A statistic can only lose distance, so what is
    measured lies at or below the total variation, up to the noise of its bins.

    Parameters
    ----------
    setup
        What is run.
    levels
        Of the statistics; None where the posterior has no exact one here.
    """

    def __init__(self, setup: ExitSetup, levels: Levels | None) -> None:
        self._levels = levels
        self.has_statistic = levels is not None
        self.stops = stops_of(setup.config.steps)
        #: distance that as many exact draws would show: half the sum of E|X/K - p| over bins of p = 1/BINS
        self.floor = math.sqrt((BINS - 1) / (2.0 * math.pi * setup.chains))
        self._shares: list[np.ndarray] = []

    def look(self, simulation: Any) -> None:
        """Take in the chains at the next stop."""
        levels = self._levels(simulation.displacements)
        cells = np.clip((np.nan_to_num(levels, nan=1.0) * BINS).astype(int), 0, BINS - 1)
        self._shares.append(np.stack([np.bincount(column, minlength=BINS) for column in cells.T]) / len(cells))

    @property
    def distance(self) -> np.ndarray:
        """(stops,) distance of the mean of the laws up to each stop, of the statistic that is farthest."""
        lengths = np.diff(self.stops, prepend=0).astype(float)
        sums = np.cumsum(np.array(self._shares) * lengths[:, None, None], axis=0)
        gaps = np.abs(sums / self.stops[:, None, None] - 1.0 / BINS)
        return 0.5 * gaps.sum(axis=2).max(axis=1)
