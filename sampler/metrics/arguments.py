"""Checks shared by the metrics: each error names the argument, its range, the value and what to do next."""

import numpy as np


def sample_array(name: str, values, *, least: int = 1, dim: int | None = None) -> np.ndarray:
    """``values`` as finite float64 (n, d) with n >= ``least`` rows and d >= 1 (= ``dim`` if given)."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be numbers of shape (n, d), got {type(values).__name__}; stack the draws as rows"
        ) from None
    columns = "d" if dim is None else dim
    if array.ndim != 2 or array.shape[1] < 1 or (dim is not None and array.shape[1] != dim):
        raise ValueError(
            f"{name} must have shape (n, {columns}), got {array.shape}; "
            "one row a draw, reshape(-1, 1) makes a column of numbers"
        )
    if len(array) < least:
        raise ValueError(f"{name} must have {least} rows or more, got {len(array)}; draw more")
    finite = np.isfinite(array)
    if not finite.all():
        row = int(np.flatnonzero(~finite.all(axis=1))[0])
        raise ValueError(
            f"{name} must be finite, row {row} has {array[row]!r}; leave out chains that diverged"
        )
    return array


def vector(name: str, values, length: int | None = None) -> np.ndarray:
    """``values`` as finite float64 (n,), n >= 1 (= ``length`` if given)."""
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or array.size < 1 or (length is not None and array.size != length):
        raise ValueError(
            f"{name} must have shape ({'n' if length is None else length},), got {array.shape}; "
            "one number a datum"
        )
    if not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, entry {bad} is {array[bad]}; leave that datum out")
    return array


def count(name: str, value, least: int = 1) -> int:
    """``value`` as an int >= ``least``, or ValueError."""
    if isinstance(value, bool) or not np.isscalar(value) or not np.isfinite(value) or int(value) != value:
        raise ValueError(f"{name} must be a whole number, {least} or more, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be a whole number, {least} or more, got {value!r}; take a larger one")
    return int(value)


def square_matrix(name: str, values, dim: int | None = None) -> np.ndarray:
    """``values`` as a finite symmetric float64 (d, d), or ValueError."""
    array = np.asarray(values, dtype=float)
    size = "d" if dim is None else dim
    if (
        array.ndim != 2
        or array.shape[0] != array.shape[1]
        or array.size == 0
        or (dim not in (None, len(array)))
    ):
        raise ValueError(f"{name} must have shape ({size}, {size}), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array!r}; find the mode again first")
    if not np.allclose(array, array.T, rtol=1e-6, atol=1e-9 * max(1.0, np.abs(array).max())):
        raise ValueError(
            f"{name} must be symmetric, got {array!r}; use (a + a.T) / 2 if it is so up to rounding"
        )
    return 0.5 * (array + array.T)
