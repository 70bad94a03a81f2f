"""Convergence diagnostics of parallel chains, and independence of successive samples (LMV-a Definition 6.1)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from sampler.arguments import chain_array, sample_array, whole_number


@dataclass(frozen=True)
class Diagnostics:
    """(d,) arrays: split rank R-hat (best 1), bulk effective size, Monte Carlo error of the mean."""

    rhat: np.ndarray
    ess: np.ndarray
    mcse: np.ndarray


def chain_diagnostics(draws: np.ndarray) -> Diagnostics:
    """Return split R-hat, bulk effective sample size and Monte Carlo standard error of the mean.

    Parameters
    ----------
    draws : (chains, draws, d) array
        At least 4 draws per chain; R-hat needs 2 chains, or splits a single one.
    """
    draws = chain_array(draws)
    from arviz_stats.base import array_stats  # 0.8 s to import, and only long reference chains need it

    by_coordinate = np.ascontiguousarray(np.moveaxis(draws, 2, 0))
    with np.errstate(invalid="ignore", divide="ignore"):  # nan for a constant coordinate
        return Diagnostics(
            *(
                np.atleast_1d(np.asarray(measure(by_coordinate, chain_axis=-2, draw_axis=-1), float))
                for measure in (array_stats.rhat, array_stats.ess, array_stats.mcse)
            )
        )


def nested_rhat(draws: np.ndarray, segments: int = 4) -> np.ndarray:
    """Return nested R-hat per coordinate, (d,), of chains with a common start; best 1.

    Rank R-hat requires each single chain to traverse the distribution, and over-dispersed starts. Many short chains with
    one start may together have the right distribution though none has traversed it. Here the superchains are segments of
    time: B is the variance of the segments' means over all chains, W the mean variance within a segment, between and
    within chains, and R-hat = sqrt(1 + B/W) (Margossian et al. 2024, eq. 4-8, computed by arviz-stats). It is above 1
    while the chains still move away from their start together.

    Parameters
    ----------
    draws : (chains, draws, d) array
        At least 4 draws per segment; excess draws at the start are ignored.
    segments : int >= 2
    """
    segments = whole_number("segments", segments, 2, 10**6, "4 is usual")
    draws = chain_array(draws, 4 * segments)
    length = draws.shape[1] // segments
    from arviz_stats.base import array_stats

    chains = len(draws)
    parts = draws[:, -segments * length:].reshape(chains, segments, length, -1)
    by_coordinate = np.moveaxis(parts, (3, 1), (0, 1)).reshape(draws.shape[2], segments * chains, length)
    owners = np.repeat(np.arange(segments), chains)
    with np.errstate(invalid="ignore", divide="ignore"):  # nan, or inf, for a coordinate that is constant in a segment
        return np.atleast_1d(
            array_stats.rhat_nested(np.ascontiguousarray(by_coordinate), owners, chain_axis=-2, draw_axis=-1))


@dataclass(frozen=True)
class Independence:
    """Correlations of successive samples over chains.

    Attributes
    ----------
    correlation : (d,) array
        Correlation per coordinate in [-1, 1]; nan for a constant coordinate.
    largest : float
        Correlation of largest magnitude; nan if none is defined.
    highest : float
        Largest signed correlation, or nan: the memory of the previous sample. Negative values come from overshooting steps.
    band : float
        95 % bound on the magnitude of ``largest`` for independent samples, adjusted for the number of coordinates.
    """

    correlation: np.ndarray
    largest: float
    band: float
    highest: float


def successive_correlation(previous: np.ndarray, current: np.ndarray) -> Independence:
    """Return the correlation over chains of X^t with X^{t+1} per coordinate.

    About (1 - eta_t lambda_min)^steps if a chain does not traverse pi_t within an epoch. A sampler can be
    accurate at every t and still have correlated successive samples.

    Parameters
    ----------
    previous, current : (n, d) arrays, n >= 3
        Row k of both is the same chain; standardised pairs of several epochs may be pooled.

    Raises
    ------
    ValueError
        If the two have different numbers of rows.
    """
    previous = sample_array("previous", previous, least=3)
    current = sample_array("current", current, least=3, dim=previous.shape[1])
    if len(current) != len(previous):
        raise ValueError(f"current must have {len(previous)} rows, as previous, got {len(current)}; "
                         "pair each chain with itself")
    a, b = previous - previous.mean(axis=0), current - current.mean(axis=0)
    scale = np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0))
    correlation = np.full(previous.shape[1], np.nan)
    np.divide((a * b).sum(axis=0), scale, out=correlation, where=scale > 0)
    finite = correlation[np.isfinite(correlation)]
    largest, highest = (float(finite[np.argmax(key)]) if finite.size else float("nan") for key in (np.abs(finite), finite))
    return Independence(correlation, largest, correlation_band(len(previous), max(finite.size, 1)), highest)


def correlation_band(pairs: int, coordinates: int, sure: float = 0.95) -> float:
    """Return the half-width of the simultaneous band of several correlations of independent normal samples.

    For a correlation r of n pairs, r sqrt(n - 2)/sqrt(1 - r^2) has a Student distribution with n - 2 degrees of freedom.
    The largest of d independent ones is within its quantile at (1 + sure^(1/d))/2 with probability ``sure``, of dependent
    ones with at least that (Sidak 1967).

    Parameters
    ----------
    pairs : int >= 3
    coordinates : int >= 1
    sure : float in (0, 1)
    """
    if pairs < 3:
        raise ValueError(f"pairs must be 3 or more, got {pairs}; two pairs always have correlation 1 or -1")
    quantile = stdtrit(pairs - 2, 0.5 * (1.0 + sure ** (1.0 / coordinates)))
    return float(quantile / np.sqrt(pairs - 2 + quantile**2))
