"""Protocol of every posterior, and the checks of arguments that problems share."""

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import whole_number

Problem: TypeAlias = Any
"""A problem of this library. What it offers goes by its ``kind``, which every function asks for and refuses in words: no
class or protocol says that more closely."""


class Posterior(Protocol):
    """F_t = f_0 + ... + f_t on the data seen so far: views of append-only rows, safe to read from any thread."""

    t: int
    dim: int
    problem: Any

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """F_t up to a constant, (n, d) -> (n,)."""

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Gradient of F_t, (d,) -> (d,) or (n, d) -> (n, d)."""

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Second derivatives of F_t at one point, (d,) -> (d, d)."""

    def term_gradients(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Gradients of f_1..f_t (or of those at ``indices``, counted from 0), (d,) -> (t, d)."""


def whole_dim(dim: Any) -> int:
    """``dim`` as an int >= 1, or a ValueError."""
    return whole_number("dim", dim, 1, 100_000, "count the intercept column too")


def precision_vector(prior_precision: float | np.ndarray, dim: int) -> np.ndarray:
    """Precision of a Gaussian prior for each coordinate, (dim,), from a number or an array."""
    precision = np.array(np.broadcast_to(np.asarray(prior_precision, float), (dim,)))
    if not np.all(np.isfinite(precision)) or np.any(precision < 0):
        raise ValueError(f"prior_precision must be in [0, inf), one number or {dim} of them, "
                         f"got {prior_precision!r}; 1.0 is the standard normal prior")
    return precision


def real_array(values: ArrayLike) -> np.ndarray:
    """``values`` as float64; TypeError for complex numbers, which numpy would cut to their real parts."""
    if np.iscomplexobj(values):
        raise TypeError
    return np.asarray(values, dtype=float)


def checked_rows(features: Any, dim: int, name: str = "features") -> np.ndarray:
    """``features`` as float64 (n, dim): one row (dim,) or many (n, dim), all finite, or a ValueError."""
    try:
        rows = real_array(features)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers of shape ({dim},) or (n, {dim}), got {type(features).__name__}; "
                         "convert text columns first") from None
    if rows.ndim == 0 and dim == 1:
        rows = rows.reshape(1)
    if rows.ndim == 1:
        rows = rows[None, :]
    if rows.ndim != 2 or rows.shape[1] != dim:
        raise ValueError(f"{name} must have shape ({dim},) or (n, {dim}), got {np.shape(features)}; "
                         "the problem's dim counts the intercept column")
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if bad.size:
        raise ValueError(f"{name} must be finite, row {bad[0]} has {rows[bad[0]]!r}; drop or repair that row")
    return rows


def checked_labels(labels: Any, n: int) -> np.ndarray:
    """``labels`` as float64 (n,), finite, or a ValueError."""
    try:
        values = np.atleast_1d(real_array(labels))
    except (TypeError, ValueError):
        raise ValueError(f"label must be a number or {n} numbers, got {labels!r}") from None
    if values.shape != (n,):
        raise ValueError(f"label must have shape ({n},), one for each row of features, got {np.shape(labels)}")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"label must be finite, row {bad[0]} has {values[bad[0]]!r}; drop that row")
    return values


def points(theta: ArrayLike, dim: int) -> tuple[np.ndarray, bool]:
    """``theta`` as (n, dim), and whether it was a single point."""
    array = np.asarray(theta, float)
    if array.shape[-1:] != (dim,) or array.ndim not in (1, 2):
        raise ValueError(f"theta must have shape ({dim},) or (n, {dim}), got {array.shape}")
    return np.atleast_2d(array), array.ndim == 1
