"""Calibration: the share of events forecast at 30 % that did happen, for every such percentage."""

from dataclasses import dataclass

import numpy as np

from sampler.metrics.bin_noise import mean_deviation

BINS = 10


@dataclass(frozen=True)
class Calibration:
    """A reliability curve.

    Attributes
    ----------
    foretold, observed : (m,) arrays in [0, 1]
        For classes: the mean probability in each bin and how often class 1 came. Otherwise: levels 0.1 ... 0.9
        and the share of data that fell below that quantile of their predictive law, mean over coordinates.
    counts : (m,) int array
        Data behind each point.
    error : float in [0, 1]
        Mean gap between the two, of each coordinate by itself.
    noise : float in [0, 1]
        The error a calibrated model has in the mean with as many data; it falls as 1/sqrt(n).
    n : int
        Data in the window.
    """

    foretold: np.ndarray
    observed: np.ndarray
    counts: np.ndarray
    error: float
    noise: float
    n: int


def class_reliability(probabilities: np.ndarray, outcomes: np.ndarray) -> Calibration:
    """Reliability of probabilities (n,) of class 1 with outcomes (n,) of 0 and 1, in ten bins."""
    n = len(probabilities)
    if n == 0:
        return _nothing()
    which = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    counts = np.bincount(which, minlength=BINS)
    some = counts > 0
    counts = counts[some]
    foretold = np.bincount(which, probabilities, BINS)[some] / counts
    observed = np.bincount(which, outcomes, BINS)[some] / counts
    error = float((np.abs(observed - foretold) * counts).sum() / n)
    chance = np.concatenate([mean_deviation(p, int(k)).ravel() for p, k in zip(foretold, counts, strict=True)])
    return Calibration(foretold, observed, counts, error, float((chance * counts).sum() / n), n)


def level_reliability(levels: np.ndarray) -> Calibration:
    """Reliability of predictive levels (n, c, 2), P(Y < y) and P(Y <= y) of c coordinates.

    A datum counts as below the quantile u in the part of its jump [P(Y < y), P(Y <= y)] that lies below u: the mean over
    a calibrated law is u, whether it has jumps or not (Czado, Gneiting, Held 2009, *Predictive model assessment for count
    data*, eq. 2). The noise is that of a mean of n such parts.
    """
    n = len(levels)
    if n == 0:
        return _nothing()
    foretold = np.arange(1, BINS) / BINS
    low, jump = levels[..., 0, None], (levels[..., 1] - levels[..., 0])[..., None]
    above = foretold - low
    below = np.where(jump > 0, np.clip(above / np.where(jump > 0, jump, 1.0), 0.0, 1.0), above > 0)  # (n, c, 9)
    observed = below.mean(axis=0)
    spread = np.sqrt(((below - foretold) ** 2).mean(axis=0))
    return Calibration(foretold, observed.mean(axis=0), np.full(BINS - 1, n), float(np.abs(observed - foretold).mean()),
                       float(np.sqrt(2.0 / (np.pi * n)) * spread.mean()), n)


def _nothing() -> Calibration:
    return Calibration(np.empty(0), np.empty(0), np.empty(0, int), float("nan"), float("nan"), 0)
