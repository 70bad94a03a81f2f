"""Independence of successive samples (LMV-a Definition 6.1): how much X^{t+1} remembers of X^t."""

from dataclasses import dataclass

import numpy as np

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
    band : float
        1/sqrt(pairs): independent samples stay within twice this.
    """

    correlation: np.ndarray
    largest: float
    band: float


def successive_correlation(previous: np.ndarray, current: np.ndarray) -> Independence:
    """Correlation over chains of X^t with X^{t+1}, per coordinate.

    About (1 - eta_t lambda_min)^steps while a chain does not cross pi_t in an epoch. A sampler can be
    accurate at every t and still fail this.

    Parameters
    ----------
    previous, current : (n, d) arrays, n >= 3
        Row k of both is one chain; standardised pairs of several epochs may be pooled.
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
    largest = float(known[np.argmax(np.abs(known))]) if known.size else float("nan")
    return Independence(correlation, largest, 1.0 / np.sqrt(len(previous)))
