"""Checks of arguments, shared by all rooms: each error names the argument, its range, the value and what to do next."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def is_scalar(value: object) -> bool:
    """Whether ``value`` is one number (or one text), not an array, a list or None."""
    return bool(np.isscalar(value))


def whole_number(name: str, value: Any, low: int = 1, high: int | None = None, advice: str = "") -> int:
    """``value`` as an int in [low, high], or a ValueError that names it; 100.0 passes, 99.5 and True do not."""
    try:
        number = int(value)
        if number != value or isinstance(value, (bool, str)) or number < low or (high is not None and number > high):
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        wanted = f"in [{low}, {high}]" if high is not None else f"of {low} or more"
        raise ValueError(f"{name} must be a whole number {wanted}, got {value!r}{advice and '; ' + advice}") from None
    return number


def real_number(name: str, value: Any, advice: str, *, above: float = -math.inf, least: float = -math.inf) -> float:
    """``value`` as a finite float with ``value > above`` and ``value >= least``, or a ValueError that names it."""
    try:
        number = float(value)
        if isinstance(value, bool | str) or not (math.isfinite(number) and number > above and number >= least):
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        wanted = f" above {above:g}" if above > -math.inf else f" of {least:g} or more" if least > -math.inf else ""
        raise ValueError(f"{name} must be a finite number{wanted}, got {value!r}; {advice}") from None
    return number


def positive_number(name: str, value: Any, high: float, advice: str) -> float:
    """``value`` as a float in (0, high], or a ValueError that names it."""
    try:
        number = float(value)
        if isinstance(value, bool | str) or not 0.0 < number <= high:
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be a number in (0, {high:g}], got {value!r}; {advice}") from None
    return number


def sample_array(name: str, values: ArrayLike, *, least: int = 1, dim: int | None = None) -> np.ndarray:
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


def vector(name: str, values: ArrayLike, length: int | None = None) -> np.ndarray:
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


def square_matrix(name: str, values: ArrayLike, dim: int | None = None) -> np.ndarray:
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
