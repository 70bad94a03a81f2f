"""The user's own curvature of a term, or factor of it, checked each time it is asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sampler.problems.base import precision_vector

SYMMETRIC = 1e-8  # of the largest entry
POSITIVE = -1e-8


class TermCurvatures:
    """What a preconditioner knows of a GradientOracle's terms: C_k near f_k'', from a curvature or from a factor of it.

    Parameters
    ----------
    curvature, factor : callable or None
        As for GradientOracle; one of them.
    prior_curvature : float or (dim,) array, >= 0
    dim : int
    """

    def __init__(self, curvature: Callable[..., Any] | None, factor: Callable[..., Any] | None,
                 prior_curvature: float | np.ndarray, dim: int) -> None:
        if curvature is not None and factor is not None:
            raise ValueError("factor must be left out where curvature is given, got both; give the one that is cheaper")
        if curvature is None and factor is None:
            raise ValueError(f"prior_curvature must be left out without curvature and factor, got {prior_curvature!r}; give "
                             "one of the two (it is no prior: prior_gradient is)")
        self.name, function = ("curvature", curvature) if factor is None else ("factor", factor)
        if not callable(function):
            raise ValueError(f"{self.name} must be callable, got {function!r}; pass a function of (indices, theta)")
        self._function = function
        self.dim = dim
        try:
            self.prior = precision_vector(prior_curvature, dim)
        except ValueError as error:
            raise ValueError(str(error).replace("prior_precision", "prior_curvature")) from None

    def of(self, indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """C_k of the terms at ``indices`` (n,): diagonals (n, dim), or matrices (n, dim, dim).

        Raises
        ------
        ValueError
            For a wrong shape, a number that is not finite, a curvature that is not symmetric or has a negative direction.
        """
        n, d = len(indices), self.dim

        given: np.ndarray = np.asarray(self._function(indices, theta), dtype=np.float64)
        if self.name == "factor":
            if not (given.shape == (n, d) or (given.ndim == 3 and given.shape[::2] == (n, d))):
                raise ValueError(f"factor must return shape ({n}, {d}) or ({n}, r, {d}) for {n} indices, got "
                                 f"{given.shape}; one row u_k for each index, or r rows whose u u' add up")
        elif given.shape not in ((n, d), (n, d, d)):
            raise ValueError(f"curvature must return shape ({n}, {d}), diagonals, or ({n}, {d}, {d}) for {n} indices, got "
                             f"{given.shape}; return a factor (n, {d}) by factor= instead")
        bad = np.argwhere(~np.isfinite(given))
        if bad.size:
            raise ValueError(f"{self.name} must be finite, got {given[tuple(bad[0])]} for index {indices[bad[0][0]]} at "
                             f"theta {np.round(theta, 3).tolist()}; look at that term")
        if self.name == "factor":
            rows = given if given.ndim == 3 else given[:, None]
            return np.einsum("nri,nrj->nij", rows, rows)
        return self._positive(given, indices, theta)

    def _positive(self, given: Any, indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
        size = np.abs(given).reshape(len(given), -1).max(axis=1)
        if given.ndim == 3:
            crooked = np.abs(given - given.transpose(0, 2, 1)).max(axis=(1, 2)) > SYMMETRIC * size
            if crooked.any():
                raise ValueError(f"curvature must be symmetric, that of index {indices[crooked.argmax()]} is not; return "
                                 "(C + C')/2")
            least = np.linalg.eigvalsh(given)[:, 0]
        else:
            least = given.min(axis=1)
        bad = np.flatnonzero(least < POSITIVE * size)
        if bad.size:
            raise ValueError(f"curvature must be >= 0 in every direction, that of index {indices[bad[0]]} has "
                             f"{least[bad[0]]:.3g} at theta {np.round(theta, 3).tolist()}; give a factor of its "
                             "Gauss-Newton part, which is never negative")
        return given
