"""Independence of successive samples (LMV-a Definition 6.1): how much X^{t+1} remembers of X^t."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from sampler.arguments import sample_array


@dataclass(frozen=True)
class Independence:
    """Correlations over chains.

    Attributes
    ----------
    correlation : (d,) array
        One a coordinate, in [-1, 1]; nan where a coordinate does not vary.
    largest : float
        The one furthest from 0 (nan when none is defined).
    highest : float
        The one nearest to 1, or nan: what a chain remembers of its last sample. A negative one is of a step that overshoots.
    band : float
        ``largest`` of independent samples stays within this 19 times in 20, whatever the number of coordinates.
    """

    correlation: np.ndarray
    largest: float
    band: float
    highest: float


def successive_correlation(previous: np.ndarray, current: np.ndarray) -> Independence:
    """Correlation over chains of X^t with X^{t+1}, per coordinate.

    About (1 - eta_t lambda_min)^steps while a chain does not cross pi_t in an epoch. A sampler can be
    accurate at every t and still fail this.

    Parameters
    ----------
    previous, current : (n, d) arrays, n >= 3
        Row k of both is one chain; standardised pairs of several epochs may be pooled.

    Raises
    ------
    ValueError
        When the two have different numbers of rows.
    """
    previous = sample_array("previous", previous, least=3)
    current = sample_array("current", current, least=3, dim=previous.shape[1])
    if len(current) != len(previous):
        raise ValueError(
            f"current must have {len(previous)} rows, as previous, got {len(current)}; "
            "pair each chain with itself"
        )
    a, b = previous - previous.mean(axis=0), current - current.mean(axis=0)
    scale = np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0))
    correlation = np.full(previous.shape[1], np.nan)
    np.divide((a * b).sum(axis=0), scale, out=correlation, where=scale > 0)
    known = correlation[np.isfinite(correlation)]
    largest, highest = (float(known[np.argmax(key)]) if known.size else float("nan") for key in (np.abs(known), known))
    return Independence(correlation, largest, correlation_band(len(previous), max(known.size, 1)), highest)


def correlation_band(pairs: int, coordinates: int, sure: float = 0.95) -> float:
    """Half-width within which the largest of several correlations of independent normal samples stays.

    A correlation r of n pairs has r sqrt(n - 2)/sqrt(1 - r^2) ~ Student with n - 2 degrees of freedom; the largest of d
    independent ones is within its quantile at (1 + sure^(1/d))/2 with probability ``sure``, of dependent ones with more
    (Sidak 1967).

    Parameters
    ----------
    pairs : int >= 3
    coordinates : int >= 1
    sure : float in (0, 1)
    """
    if pairs < 3:
        raise ValueError(f"pairs must be 3 or more, got {pairs}; a line goes through any two")
    quantile = stdtrit(pairs - 2, 0.5 * (1.0 + sure ** (1.0 / coordinates)))
    return float(quantile / np.sqrt(pairs - 2 + quantile**2))
