"""Predictive distribution of numbers and counts: the mixture, over draws, of normal or of Poisson distributions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc, gammaln, ndtr, ndtri, xlogy

from sampler.arguments import check_size, real_array, real_number
from sampler.problems.base import quiet

AT_ONCE = 2**20
"""Scores held at once, rows times draws: 8 MB an array."""


def by_row(rows: np.ndarray, draws: np.ndarray, measure: Callable[..., np.ndarray], *parts: np.ndarray) -> np.ndarray:
    """``measure(scores (k, n), *parts (k,))`` of ``rows`` (m, d), k at a time, at ``draws`` (n, d); joined, (m, ...)."""
    step = max(1, AT_ONCE // len(draws))
    cuts = [slice(first, first + step) for first in range(0, max(len(rows), 1), step)]
    return np.concatenate([measure(rows[cut] @ draws.T, *(part[cut] for part in parts)) for cut in cuts])


class PredictiveDistribution:
    """Distribution of the response of each of m rows; every draw of the parameters has the same weight.

    Parameters
    ----------
    rows : (m, d) array
    draws : (n, d) array
    mean_function : callable
        Scores of any shape to means of the response, elementwise.
    noise_std : float or (n,) array, > 0; or None
        Standard deviation of numbers round their mean, the same or by draw. None: responses are Poisson counts.

    Attributes
    ----------
    mean, sd : (m,) arrays
        Of noise of the response and spread of the draws together.
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
        """Density at ``y``, a number or (m,) of them, of each row, (m,); ValueError for counts."""
        if self._noise is None:
            raise ValueError("pdf must be asked of numbers, and these responses are counts; use pmf(k)")
        noise, scale = self._noise, np.sqrt(2 * np.pi) * self._noise
        return self._averaged("y", y, lambda means, y: np.exp(-0.5 * ((y - means) / noise)**2) / scale)

    def pmf(self, k: ArrayLike) -> np.ndarray:
        """P(Y = ``k``), a number or (m,) of them, of each row, (m,); ValueError for responses that are no counts."""
        if self._noise is not None:
            raise ValueError("pmf must be asked of counts, and these responses are numbers; use pdf(y)")

        def chance(rates: np.ndarray, k: np.ndarray) -> np.ndarray:
            count = np.maximum(k, 0.0)
            return np.where((k < 0) | (k % 1 > 0), 0.0, np.exp(xlogy(count, rates) - rates - gammaln(count + 1)))

        return self._averaged("k", k, chance)

    def _averaged(self, name: str, values: ArrayLike, measure: Callable[..., np.ndarray]) -> np.ndarray:
        """``measure(means (k, n), values (k, 1))`` of all rows, averaged over draws."""
        m = len(self._rows)
        array = real_array(name, values, f"a number, or {m} of them")
        if array.shape not in ((), (m,)):
            raise ValueError(f"{name} must be a number or have shape ({m},), got shape {array.shape}; give one for each row")
        check_size(name, array, "leave it out")
        return by_row(self._rows, self._draws, lambda scores, at: measure(self._means(scores), at[:, None]).mean(axis=1),
                      np.broadcast_to(array, (m,)))

    def quantile(self, q: float) -> np.ndarray:
        """Smallest y with P(Y <= y) >= ``q`` of each row, (m,); ``q`` must lie in (0, 1), or a ValueError."""
        q = real_number("q", q, "0.5 is the median", above=0.0, below=1.0)
        return by_row(self._rows, self._draws, lambda scores: self._bisect(self._means(scores), q))

    def _bisect(self, means: np.ndarray, q: float) -> np.ndarray:
        noise = self._noise
        if noise is None:
            most = means.max(axis=1)
            # P(N >= r + x) <= exp(-x^2 / (2r + 2x/3)) (Bernstein): at this x it is below 1 - q for every float q < 1
            low, high, width = np.full(len(means), -1.0), np.ceil(most + 9 * np.sqrt(most) + 81), 1.0
        else:
            ends = means + noise * ndtri(q)  # the quantile of a mixture lies between those of its parts
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
