"""Prequential evaluation: log scores of data under samples drawn before them, and calibration."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import numpy as np
from scipy.special import expit, gammaincc, gammaln, log_expit, logsumexp, ndtr

from sampler.arguments import whole_number
from sampler.metrics.bin_noise import mean_deviation
from sampler.predictive.predictive import KINDS
from sampler.problems.base import Problem
from sampler.problems.data_check import check_problem
from sampler.production.drift_alarm import DriftAlarm

BINS = 10
CHUNK = 4096  # rows scored at a time


@dataclass(frozen=True)
class Calibration:
    """Reliability curve.

    Attributes
    ----------
    predicted, observed : (m,) arrays in [0, 1]
        For classes, the mean probability in each bin and the frequency of class 1. Otherwise, levels 0.1 ... 0.9
        and the share of data below that quantile of their predictive distribution, averaged over coordinates.
    error : float in [0, 1]
        Mean absolute difference of the two, computed per coordinate.
    noise : float in [0, 1]
        Expected error of a calibrated model with the same number of data; proportional to 1/sqrt(n).
    """

    predicted: np.ndarray
    observed: np.ndarray
    error: float
    noise: float


def class_reliability(probabilities: np.ndarray, outcomes: np.ndarray) -> Calibration:
    """Return the reliability of probabilities (n,) of class 1 for outcomes (n,) of 0 and 1, in ten bins; n >= 1."""
    n = len(probabilities)
    which = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    counts = np.bincount(which, minlength=BINS)
    some = counts > 0
    counts = counts[some]
    predicted = np.bincount(which, probabilities, BINS)[some] / counts
    observed = np.bincount(which, outcomes, BINS)[some] / counts
    error = float((np.abs(observed - predicted) * counts).sum() / n)
    chance = np.concatenate([mean_deviation(p, int(k)).ravel() for p, k in zip(predicted, counts, strict=True)])
    return Calibration(predicted, observed, error, float((chance * counts).sum() / n))


def level_reliability(levels: np.ndarray) -> Calibration:
    """Return the reliability of predictive levels (n, c, 2), P(Y < y) and P(Y <= y) of c coordinates; n >= 1.

    A datum counts as below the quantile u by the fraction of its jump [P(Y < y), P(Y <= y)] below u: the expectation under
    a calibrated distribution is u, with or without jumps (Czado, Gneiting, Held 2009, *Predictive model assessment for
    count data*, eq. 2). The noise is that of a mean of n such fractions.
    """
    n = len(levels)
    predicted = np.arange(1, BINS) / BINS
    low, jump = levels[..., 0, None], (levels[..., 1] - levels[..., 0])[..., None]
    above = predicted - low
    below = np.where(jump > 0, np.clip(above / np.where(jump > 0, jump, 1.0), 0.0, 1.0), above > 0)  # (n, c, 9)
    observed = below.mean(axis=0)
    spread = np.sqrt(((below - predicted) ** 2).mean(axis=0))
    return Calibration(predicted, observed.mean(axis=0), float(np.abs(observed - predicted).mean()),
                       float(np.sqrt(2.0 / (np.pi * n)) * spread.mean()))


def _in_chunks(measure: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Decorate a row-wise measure to evaluate ``CHUNK`` rows at a time."""
    @wraps(measure)
    def of_all(problem: Problem, features: np.ndarray, labels: np.ndarray, samples: np.ndarray) -> np.ndarray:
        x = np.atleast_2d(np.asarray(features, float))
        y = None if labels is None else np.atleast_1d(np.asarray(labels, float))
        starts = range(0, max(len(x), 1), CHUNK)
        return np.concatenate([measure(problem, x[i:i + CHUNK], None if y is None else y[i:i + CHUNK], samples)
                               for i in starts])

    return of_all


@_in_chunks
def log_scores(problem: Problem, features: np.ndarray, labels: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return the log predictive density of each datum, ``log mean_k p(label | features, theta_k)``.

    Parameters
    ----------
    problem : a one-score model or GaussianMean
    features : (n, d) array
    labels : (n,) array, or None for GaussianMean
    samples : (K, d) array
        Draws from before these data were learnt.

    Returns
    -------
    (n,) array; larger is better, at most 0 for classes and counts.
    """
    if problem.kind == "gaussian_mean":  # f_k = ||y - theta||^2, so y ~ N(theta, I/2)
        gaps = ((features[:, None, :] - samples[None]) ** 2).sum(axis=2)
        each = -gaps - 0.5 * problem.dim * np.log(np.pi)
    else:
        z, y = features @ samples.T, labels[:, None]
        if problem.kind == "logistic":
            each = log_expit(np.where(y > 0, z, -z))
        elif problem.kind == "linear":
            each = -0.5 * ((y - z) / problem.noise_std) ** 2 - np.log(problem.noise_std * np.sqrt(2 * np.pi))
        else:
            each = y * z - np.exp(np.minimum(z, 700.0)) - gammaln(y + 1)
    return logsumexp(each, axis=1) - np.log(len(samples))


@_in_chunks
def predictive_levels(problem: Problem, features: np.ndarray, labels: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return the levels of each datum in its predictive distribution, (n, c, 2): P(Y < y) and P(Y <= y) per coordinate.

    Arguments as for `log_scores`; c is 1 except for GaussianMean. The two levels differ only for counts. For classes both
    are the probability of class 1.
    """
    if problem.kind == "gaussian_mean":
        return _without_jump(ndtr((features[:, None, :] - samples[None]) * np.sqrt(2.0)).mean(axis=1))
    z = features @ samples.T
    if problem.kind == "logistic":
        return _without_jump(expit(z).mean(axis=1)[:, None])
    y = labels[:, None]
    if problem.kind == "linear":
        return _without_jump(ndtr((y - z) / problem.noise_std).mean(axis=1)[:, None])
    rates = np.exp(np.minimum(z, 700.0))
    upto = gammaincc(y + 1, rates)  # P(Y <= y)
    below = np.where(y > 0, gammaincc(np.maximum(y, 1), rates), 0.0)
    return np.stack([below.mean(axis=1), upto.mean(axis=1)], axis=1)[:, None, :]


def _without_jump(levels: np.ndarray) -> np.ndarray:
    return np.repeat(levels[..., None], 2, axis=2)


class Prequential:
    """Rolling predictive score, calibration and drift alarm of one stream.

    Parameters
    ----------
    problem : a one-score model or GaussianMean
    window : int
        Number of most recent data in the rolling statistics.
    """

    def __init__(self, problem: Problem, window: int = 1000) -> None:
        check_problem(problem)
        if problem.kind not in KINDS:
            raise ValueError(f"problem must have a likelihood, got {problem!r}; a GradientOracle has no predictions")
        self.problem, self.window = problem, whole_number("window", window, 1, 10**8)
        self.n = 0
        self.scores, self.gains, self.outcomes = np.empty(0), np.empty(0), np.empty(0)
        self.levels = np.empty((0, problem.dim if problem.kind == "gaussian_mean" else 1, 2))
        self.alarm = DriftAlarm()

    def add(self, features: np.ndarray, labels: np.ndarray, samples: np.ndarray, law: np.ndarray | None = None) -> float:
        """Score new data with samples drawn before them; return their mean log score.

        Parameters
        ----------
        features : (n, dim) array
        labels : (n,) array
        samples : (K, dim) array
            One row per chain, drawn before the data were learnt.
        law : (K, dim) array, optional
            Draws from an approximation of the target posterior, scored on the same rows for comparison.
        """
        scores = log_scores(self.problem, features, labels, samples)
        outcomes = np.zeros(len(scores)) if labels is None else np.atleast_1d(np.asarray(labels, float))
        if self.problem.kind == "logistic":
            outcomes = (outcomes > 0).astype(float)
        self.alarm.add(scores)
        self.n += len(scores)
        levels = predictive_levels(self.problem, features, labels, samples)
        gains = np.full(len(scores), np.nan)  # relative to the law; NaN without one, or if its score is infinite
        if law is not None:
            other = log_scores(self.problem, features, labels, law)
            gains = np.where(np.isnan(scores), -np.inf, np.where(np.isfinite(other), scores - other, np.nan))
        self.scores = np.concatenate([self.scores, scores])[-self.window:]
        self.gains = np.concatenate([self.gains, gains])[-self.window:]
        self.levels = np.concatenate([self.levels, levels])[-self.window:]
        self.outcomes = np.concatenate([self.outcomes, outcomes])[-self.window:]
        return float(scores.mean())

    @property
    def score(self) -> float:
        """Mean log score of the window; NaN before the first datum."""
        return float(self.scores.mean()) if len(self.scores) else float("nan")

    def recent(self, after: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the log scores of rows in the window after the first ``after`` rows, and their gains over the law.

        Parameters
        ----------
        after : int >= 0

        Returns
        -------
        two arrays; the second only for rows scored with a law.
        """
        first = max(0, after - self.n + len(self.scores))
        gains = self.gains[first:]
        return self.scores[first:], gains[~np.isnan(gains)]

    def calibration(self) -> Calibration:
        """Return the calibration over the window; requires at least one datum."""
        if self.problem.kind == "logistic":
            return class_reliability(self.levels[:, 0, 0], self.outcomes)
        return level_reliability(self.levels)

    def state(self) -> dict[str, np.ndarray]:
        """Return arrays from which ``restore`` continues bit for bit."""
        return {"scores": self.scores, "gains": self.gains, "levels": self.levels, "outcomes": self.outcomes,
                "sums": np.array([float(self.n)]), "alarm": self.alarm.state()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore the arrays returned by ``state``."""
        self.scores, self.levels, self.outcomes = (np.array(state[k]) for k in ("scores", "levels", "outcomes"))
        self.gains = np.array(state.get("gains", np.full(len(self.scores), np.nan)))  # absent up to release 0.6
        self.n = int(state["sums"][0])
        self.alarm.restore(state["alarm"])
