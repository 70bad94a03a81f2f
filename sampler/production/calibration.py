"""Calibration: the share of events forecast at 30 % that did happen, for every such percentage."""

from dataclasses import dataclass

import numpy as np

BINS = 10


@dataclass(frozen=True)
class Calibration:
    """A reliability curve.

    Attributes
    ----------
    foretold, observed : (m,) arrays in [0, 1]
        For classes: the mean probability in each bin and how often class 1 came. Otherwise: levels 0.1 ... 0.9
        and the share of data that fell below that quantile of their predictive law.
    counts : (m,) int array
        Data behind each point.
    error : float in [0, 1]
        Mean gap between the two; about sqrt(p (1-p)/count) for a calibrated stream, 0 at best.
    n : int
        Data in the window.
    """

    foretold: np.ndarray
    observed: np.ndarray
    counts: np.ndarray
    error: float
    n: int


def curve(levels: np.ndarray, outcomes: np.ndarray | None) -> Calibration:
    """Reliability of probabilities (n,) of class 1 with outcomes (n,) of 0 and 1, or of levels alone."""
    n = len(levels)
    if n == 0:
        return Calibration(np.empty(0), np.empty(0), np.empty(0, int), float("nan"), 0)
    if outcomes is None:
        foretold = np.arange(1, BINS) / BINS
        observed = (levels[:, None] < foretold).mean(axis=0)
        return Calibration(foretold, observed, np.full(BINS - 1, n), float(np.abs(observed - foretold).mean()), n)
    which = np.minimum((levels * BINS).astype(int), BINS - 1)
    counts = np.bincount(which, minlength=BINS)
    some = counts > 0
    foretold = np.bincount(which, levels, BINS)[some] / counts[some]
    observed = np.bincount(which, outcomes, BINS)[some] / counts[some]
    error = float((np.abs(observed - foretold) * counts[some]).sum() / n)
    return Calibration(foretold, observed, counts[some], error, n)
