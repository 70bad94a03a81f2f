"""Posterior predictions for new rows from equally weighted draws of the parameters."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc, gammaln, ndtr, ndtri, xlogy

from sampler.arguments import check_size, has_parts, instance_of, real_array, real_number, sample_array, shown
from sampler.problems.base import Problem, checked_rows, quiet
from sampler.problems.data_check import check_problem

KINDS = ("logistic", "linear", "poisson", "gaussian_mean")
AT_ONCE = 2**20
"""Scores computed at once, rows times draws: 8 MB per array."""


def refuse_without_response(kind: Any) -> None:
    """Raise a ValueError for a ``kind`` of problem without a response to predict."""
    if kind not in KINDS:
        raise ValueError(f"problem must be of a kind in {', '.join(KINDS)} to predict, got {shown(kind)}; use the samples "
                         "in your own model: the gradient of a GradientOracle defines no response")


def by_row(rows: np.ndarray, draws: np.ndarray, measure: Callable[..., np.ndarray], *parts: np.ndarray) -> np.ndarray:
    """Apply ``measure(scores (k, n), *parts (k,))`` to k of ``rows`` (m, d) at a time for ``draws`` (n, d): (m, ...)."""
    step = max(1, AT_ONCE // len(draws))
    cuts = [slice(first, first + step) for first in range(0, max(len(rows), 1), step)]
    return np.concatenate([measure(rows[cut] @ draws.T, *(part[cut] for part in parts)) for cut in cuts])


class PredictiveDistribution:
    """Distribution of the response, numbers or counts, of each of m rows: a mixture of normal or Poisson laws over draws.

    Parameters
    ----------
    rows : (m, d) array
    draws : (n, d) array
    mean_function : callable
        Maps scores of any shape to means of the response, elementwise.
    noise_std : float or (n,) array, > 0; or None
        Standard deviation of the response around its mean, common or per draw. None: responses are Poisson counts.

    Attributes
    ----------
    mean, sd : (m,) arrays
        Mean and standard deviation of the response, including the noise and the spread of the draws.
    """

    def __init__(self, rows: np.ndarray, draws: np.ndarray, mean_function: Callable[[np.ndarray], np.ndarray],
                 noise_std: Any = None) -> None:
        self._rows, self._draws, self._means, self._noise = rows, draws, mean_function, noise_std

        def moments(scores: np.ndarray) -> np.ndarray:
            means = mean_function(scores)
            within = means.mean(axis=1) if noise_std is None else np.mean(np.square(noise_std))
            return np.stack([means.mean(axis=1), np.sqrt(within + means.var(axis=1))], axis=1)

        with quiet():  # rates of 1e200 have an infinite variance
            self.mean, self.sd = by_row(rows, draws, moments).T

    def pdf(self, y: ArrayLike) -> np.ndarray:
        """Return the density of each row at ``y``, a number or an (m,) array: (m,); ValueError for counts."""
        if self._noise is None:
            raise ValueError("pdf requires responses that are numbers, got counts; use pmf(k)")
        noise, scale = self._noise, np.sqrt(2 * np.pi) * self._noise
        return self._averaged("y", y, lambda means, y: np.exp(-0.5 * ((y - means) / noise)**2) / scale)

    def pmf(self, k: ArrayLike) -> np.ndarray:
        """Return P(Y = ``k``) of each row for a number or an (m,) array: (m,); ValueError unless responses are counts."""
        if self._noise is not None:
            raise ValueError("pmf requires responses that are counts, got numbers; use pdf(y)")

        def chance(rates: np.ndarray, k: np.ndarray) -> np.ndarray:
            count = np.maximum(k, 0.0)
            return np.where((k < 0) | (k % 1 > 0), 0.0, np.exp(xlogy(count, rates) - rates - gammaln(count + 1)))

        return self._averaged("k", k, chance)

    def _averaged(self, name: str, values: ArrayLike, measure: Callable[..., np.ndarray]) -> np.ndarray:
        """Return ``measure(means (k, n), values (k, 1))`` of all rows, averaged over draws, (m,)."""
        m = len(self._rows)
        array = real_array(name, values, f"a number, or {m} of them")
        if array.shape not in ((), (m,)):
            raise ValueError(f"{name} must be a number or have shape ({m},), got shape {array.shape}; pass one per row")
        check_size(name, array, "leave it out")
        return by_row(self._rows, self._draws, lambda scores, at: measure(self._means(scores), at[:, None]).mean(axis=1),
                      np.broadcast_to(array, (m,)))

    def quantile(self, q: float) -> np.ndarray:
        """Return the smallest y with P(Y <= y) >= ``q`` for each row, (m,); ValueError for ``q`` outside (0, 1)."""
        q = real_number("q", q, "0.5 is the median", above=0.0, below=1.0)
        return by_row(self._rows, self._draws, lambda scores: self._bisect(self._means(scores), q))

    def _bisect(self, means: np.ndarray, q: float) -> np.ndarray:
        noise = self._noise
        if noise is None:
            most = means.max(axis=1)
            # P(N >= r + x) <= exp(-x^2 / (2r + 2x/3)) (Bernstein): at this x it is below 1 - q for every float q < 1
            low, high, width = np.full(len(means), -1.0), np.ceil(most + 9 * np.sqrt(most) + 81), 1.0
        else:
            ends = means + noise * ndtri(q)  # the quantile of a mixture is between those of its components
            low, high, width = ends.min(axis=1), ends.max(axis=1), 1e-10 * float(np.min(noise))
        while True:
            middle = 0.5 * (low + high) if noise is not None else np.floor(0.5 * (low + high))
            is_open = (high - low > width) & (low < middle) & (middle < high)
            if not is_open.any():
                return high
            y = middle[:, None]
            below = gammaincc(np.maximum(y, 0) + 1, means) if noise is None else ndtr((y - means) / noise)
            reached = below.mean(axis=1) >= q
            low, high = np.where(is_open & ~reached, middle, low), np.where(is_open & reached, middle, high)


class Predictive:
    """Posterior predictions of the response for new rows, averaged over draws, which are copied.

    ``x`` is (m, dim), or (dim,) for one row, in the form of the features of ``observe``: standardised and with the column
    of ones if those were. With a reading, ``x`` may be rows in the columns of the file: a pandas DataFrame, a dict or a
    list of dicts. An invalid row raises a ValueError that names it; no rows are skipped.

    Parameters
    ----------
    draws : (n, dim) array
        Draws of theta from any sampler.
    problem : LogisticRegression, LinearRegression, PoissonRegression or GaussianMean
        Model of the draws. GaussianMean has no features: omit ``x``, m is the number of its coordinates.
    reading : RowReading, optional
        Encoding of the rows of the data: ``stream.reading`` of a DataStream.

    Attributes
    ----------
    classes : (2,) array
        Labels of a logistic model: those of the file if the reading has them, else 0 and 1.
    """

    def __init__(self, draws: ArrayLike, problem: Problem, reading: Any = None) -> None:
        check_problem(problem)
        refuse_without_response(problem.kind)
        self.draws: np.ndarray = np.array(sample_array("draws", draws, dim=problem.dim))
        self.problem, self.reading = problem, reading
        if reading is not None:
            has_parts("reading", reading, ("encode", "names", "classes"), "a DataStream has it: stream.reading")
            if len(reading.names) != problem.dim:
                raise ValueError(f"reading must give the {problem.dim} features of the problem, got {len(reading.names)} "
                                 f"({', '.join(reading.names)}); take it from the stream whose rows were sampled")
        self.classes = np.array(getattr(reading, "classes", None) or (0, 1))

    def predict(self, x: Any = None) -> np.ndarray:
        """Return the prediction for each row of ``x``, (m,): the more probable label of a logistic model, else the mean."""
        means = self._mean(x)
        return self.classes[(means > 0.5).astype(int)] if self.problem.kind == "logistic" else means

    def predict_proba(self, x: Any, level: float | None = None) -> Any:
        """Return the probability of each of ``classes``, (m, 2).

        Parameters
        ----------
        x : (m, dim) array, or rows in the columns of the file
        level : float in (0, 1), optional
            If set, also return credible intervals, (m, 2), of the second label's probability, between its quantiles
            (1 - level)/2 and (1 + level)/2 over the draws.

        Raises
        ------
        ValueError
            For a model that is not logistic, an invalid row, or ``level`` outside (0, 1).
        """
        if self.problem.kind != "logistic":
            raise ValueError(f"predict_proba requires a logistic model, got {self.problem!r}; use predict_dist")
        if level is not None:
            level = real_number("level", level, "0.9 is usual", above=0.0, below=1.0)
        tails = [] if level is None else [(1 - level) / 2, (1 + level) / 2]

        def measure(scores: np.ndarray) -> np.ndarray:
            chances = self.problem.mean_function(scores)
            return np.column_stack([chances.mean(axis=1), *np.quantile(chances, tails, axis=1)])

        measured = by_row(self._rows(x), self.draws, measure)
        chances = np.column_stack([1 - measured[:, 0], measured[:, 0]])
        return chances if level is None else (chances, measured[:, 1:])

    def predict_dist(self, x: Any = None) -> PredictiveDistribution:
        """Return the distribution of the response, a number or count, for each row of ``x``; ValueError for classes."""
        if self.problem.kind == "logistic":
            raise ValueError("predict_dist requires a model of numbers or counts, got a logistic model; use predict_proba")
        noise_std = getattr(self.problem, "noise_std", np.sqrt(0.5))  # of GaussianMean: exp(-(y - theta)^2)
        return PredictiveDistribution(self._rows(x), self.draws, self._mean_function,
                                      None if self.problem.kind == "poisson" else noise_std)

    def thompson(self, rng: np.random.Generator) -> Callable[..., np.ndarray]:
        """Draw parameters at random and return the mean response as a function of x, (m,), for Thompson sampling.

        In a bandit, choose the action with the largest value, observe, and draw again. For a logistic model the value is
        the probability of the second label. ValueError if ``rng`` is not a numpy Generator.
        """
        instance_of("rng", rng, np.random.Generator, "numpy.random.default_rng(0) is one")
        chosen = int(rng.integers(len(self.draws)))
        return Predictive(self.draws[chosen:chosen + 1], self.problem, self.reading)._mean

    def _mean(self, x: Any = None) -> np.ndarray:
        return by_row(self._rows(x), self.draws, lambda scores: self._mean_function(scores).mean(axis=1))

    @property
    def _mean_function(self) -> Callable[[np.ndarray], np.ndarray]:
        return getattr(self.problem, "mean_function", np.asarray)  # GaussianMean has none

    def _rows(self, x: Any) -> np.ndarray:
        if self.problem.kind != "gaussian_mean":
            return checked_rows(x if self.reading is None else self.reading.encode(x), self.problem.dim, "x")
        if x is not None:
            raise ValueError(f"x must be left out for {self.problem!r}, which has no features, got {shown(x)}")
        return np.eye(self.problem.dim)
