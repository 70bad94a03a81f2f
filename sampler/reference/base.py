"""The protocol of every reference posterior, and what its implementations share."""

from typing import Any, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from sampler.algorithms.stream_rows import Rows


class Reference(Protocol):
    """A law to score samples against, at one epoch.

    Attributes
    ----------
    t, dim : int
        Number of data it stands for, and the dimension of theta.
    mean, std : (dim,) arrays
    covariance : (dim, dim) array
    exact : bool
        False for a law known through finitely many draws, or only approximately.
    ess : (dim,) array or None
        Effective number of draws behind each marginal; None where there are no draws.
    draws : (n, dim) array or None
        The draws themselves, for ``marginal_accuracy``.
    """

    t: int
    dim: int
    mean: np.ndarray
    std: np.ndarray
    covariance: np.ndarray
    exact: bool
    ess: np.ndarray | None
    draws: np.ndarray | None

    def cdf(self, samples: np.ndarray) -> np.ndarray:
        """Marginal distribution functions at samples, (n, dim) -> (n, dim) in [0, 1]."""


def evaluation_points(samples: np.ndarray, dim: int) -> np.ndarray:
    """``samples`` as float64 (n, dim) without nan, or a ValueError; infinities are fine for a CDF."""
    points = np.asarray(samples, dtype=float)
    if points.ndim != 2 or points.shape[1] != dim:
        raise ValueError(f"samples must have shape (n, {dim}), got {points.shape}; one row a chain")
    if np.isnan(points).any():
        raise ValueError(f"samples must not be nan, row {np.flatnonzero(np.isnan(points).any(axis=1))[0]} is; "
                         "leave out chains that diverged")
    return points


def sampled_cdf(samples: np.ndarray, quantiles: np.ndarray, levels: np.ndarray, std: np.ndarray) -> np.ndarray:
    """Marginal distribution functions at samples, (n, dim) -> (n, dim) in (0, 1).

    Straight lines between quantiles (m, dim) at rising levels (m,), symmetric about 1/2; beyond them a normal tail of
    standard deviations (dim,), so that a sample just outside is told from one far outside.
    """
    values, end = np.empty_like(samples), -ndtri(levels[0])
    for i, column in enumerate(quantiles.T):
        at = samples[:, i]
        below, above = at < column[0], at > column[-1]
        values[:, i] = np.interp(at, column, levels)
        values[below, i] = ndtr((at[below] - column[0]) / std[i] - end)
        values[above, i] = ndtr((at[above] - column[-1]) / std[i] + end)
    return values


def append_datum(rows: Rows, features: Any, label: Any = None) -> tuple[np.ndarray, float]:
    """Append one datum, (d,) and its label, and return its encoded row (d,) and target; ValueError changes nothing."""
    encoded = rows.problem.encode(features, label)
    parts: tuple[Any, ...] = encoded if rows.is_glm else (encoded,)
    if len(parts[0]) != 1:
        raise ValueError(f"features must be one row of shape ({rows.problem.dim},), got {len(parts[0])} rows; "
                         "add them one by one")
    rows.append(1, parts)
    return rows.rows[rows.t - 1, :rows.problem.dim], float(parts[1][0]) if rows.is_glm else 0.0
