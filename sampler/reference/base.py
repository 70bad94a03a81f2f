"""The protocol of every reference posterior."""

from typing import Protocol

import numpy as np


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
        raise ValueError(
            f"samples must not be nan, row {np.flatnonzero(np.isnan(points).any(axis=1))[0]} is; "
            "leave out chains that diverged"
        )
    return points
