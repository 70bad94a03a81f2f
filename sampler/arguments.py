"""Argument checks shared by all subpackages: each error names the argument, its range, the value and a remedy."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

LARGEST, SMALLEST = 1e50, 1e-50
"""Range of magnitudes in which a number, its inverse and their fourth powers are finite and nonzero."""
MOST_WHOLE = 2**63 - 1
"""Largest whole number accepted."""


def shown(value: object) -> str:
    """Return the text of ``value`` for an error message: its repr on one line, truncated to 200 characters."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**40:
        return f"a whole number of {value.bit_length():,} bits"
    text = re.sub(r"\s+", " ", repr(value))
    return text if len(text) <= 200 else f"{text[:197]}..."


def whole_number(name: str, value: Any, low: int = 1, high: int | None = None, advice: str = "") -> int:
    """Return ``value`` as an int in [low, high], or raise a ValueError with its name; 100.0 passes, 99.5 and True do not."""
    most = MOST_WHOLE if high is None else high
    try:
        number = int(value)
        if isinstance(value, (bool, np.bool_, str, np.ndarray)) or number != value:
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        number = low - 1
    if not low <= number <= most:
        wanted = f"of {low} or more" if high is None and number < low else f"in [{low}, {most}]"
        raise ValueError(f"{name} must be a whole number {wanted}, got {shown(value)}{advice and '; ' + advice}")
    return number


def seed_number(value: Any) -> int:
    """Return ``value`` as the seed of a random stream, an int in [0, 2**63)."""
    return whole_number("seed", value, 0, MOST_WHOLE, "the same seed draws the same numbers")


def _as_float(value: Any) -> float:
    """Return ``value`` as a float; TypeError unless it is a single real number (not a text, boolean or array)."""
    if type(value) is float or type(value) is int:
        return float(value)
    if isinstance(value, bool | np.bool_ | str | bytes | np.complexfloating | np.ndarray) or np.ndim(value):
        raise TypeError
    return float(value)


def real_number(name: str, value: Any, advice: str, *, above: float = -math.inf, least: float = -math.inf,
                below: float = math.inf, most: float = math.inf) -> float:
    """Return ``value`` as a finite float, or raise a ValueError with its name.

    It must be > ``above``, >= ``least``, < ``below`` and <= ``most``. Without an upper limit its magnitude must be at most
    LARGEST, and at least SMALLEST if ``above`` is 0.
    """
    is_open = math.isinf(min(below, most))
    try:
        number = _as_float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    fits = above < number < below and least <= number <= most
    if not fits or (is_open and (abs(number) > LARGEST or (above == 0.0 and number < SMALLEST))):
        low = f" above {above:g}" if above > -math.inf else f" of {least:g} or more" if least > -math.inf else ""
        high = f" below {below:g}" if below < math.inf else f" of {most:g} or less" if most < math.inf else ""
        far = math.isfinite(number) and is_open and (abs(number) > LARGEST or 0 < number < SMALLEST)
        size = f" of a size from {SMALLEST:g} to {LARGEST:g}" if far else ""
        raise ValueError(f"{name} must be a finite number{low}{low and high and ' and'}{high}{size}, got {shown(value)}; "
                         f"{advice}")
    return number


def is_infinite(value: Any) -> bool:
    """Return True if ``value`` is the number inf, which means "no bound" for arguments that accept it."""
    return isinstance(value, float | np.floating) and value == math.inf


def positive_number(name: str, value: Any, high: float, advice: str) -> float:
    """Return ``value`` as a float in (0, high], or raise a ValueError with its name."""
    try:
        number = _as_float(value)
        if not 0.0 < number <= high:
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be a number in (0, {high:g}], got {shown(value)}; {advice}") from None
    return number


def switch(name: str, value: Any, advice: str = "leave it out for the default") -> bool:
    """Return ``value`` as a bool, or raise a ValueError with its name; numbers and texts are invalid."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {shown(value)}; {advice}")
    return bool(value)


def choice(name: str, value: Any, options: Sequence[str], advice: str = "choose one") -> str:
    """Return ``value`` if it is one of the texts ``options``, or raise a ValueError with its name."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(options)}, got {shown(value)}; {advice}")
    return value


def several(name: str, values: Any, advice: str = "[1] is one") -> list[Any]:
    """Return ``values`` as a list of at least one entry, or raise a ValueError; a text is not a list."""
    entries: list[Any] = []
    single = isinstance(values, str | bytes) or (isinstance(values, np.ndarray) and not values.ndim)
    if isinstance(values, Iterable) and not single:
        entries = list(values)
    if not entries:
        raise ValueError(f"{name} must be a list with at least one entry, got {shown(values)}; {advice}")
    return entries


def rising(name: str, values: Any, low: int, high: int) -> list[int]:
    """Return ``values`` as a list of increasing ints in [low, high], or raise a ValueError."""
    numbers = [whole_number(name, value, low, high) for value in several(name, values)]
    if numbers != sorted(set(numbers)):
        raise ValueError(f"{name} must be increasing, got {shown(numbers)}; sort them and remove duplicates")
    return numbers


def has_parts(name: str, value: Any, parts: Sequence[str], advice: str) -> None:
    """Raise a ValueError with its name unless ``value`` is an instance, not a class, with all attributes ``parts``."""
    missing = [part for part in parts if not hasattr(value, part)]
    if isinstance(value, type) or missing:
        lacks = "it is a class" if isinstance(value, type) else f"it has no {', '.join(missing)}"
        raise ValueError(f"{name} must have {', '.join(parts)}, got {shown(value)} ({lacks}); {advice}")


def instance_of(name: str, value: Any, kinds: type | tuple[type, ...], advice: str) -> None:
    """Raise a ValueError with its name unless ``value`` is an instance of ``kinds``."""
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
        raise ValueError(f"{name} must be of type {wanted}, got {shown(value)}; {advice}")


def real_array(name: str, values: ArrayLike, wanted: str, advice: str = "convert texts, and rows of unequal length, first",
               ) -> np.ndarray:
    """Return ``values`` as float64 of any shape; ValueError for texts, None, complex, ragged and masked values."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} must be finite, without masked entries, got {shown(values)}; fill or drop them")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiubO" or isinstance(values, dict) or (array.dtype == object and None in array.ravel()):
            raise TypeError
        return array.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be {wanted}, got {shown(values)}; {advice}") from None


def check_size(name: str, array: np.ndarray, advice: str) -> None:
    """Raise a ValueError that names the first entry that is not finite or exceeds LARGEST in magnitude."""
    if not array.size or (array.min() >= -LARGEST and array.max() <= LARGEST):  # false for nan
        return
    place = tuple(int(i) for i in np.argwhere(~(np.abs(array) <= LARGEST))[0])
    value = array[place]
    limit = f" and at most {LARGEST:g} in size" if np.isfinite(value) else ""
    where = f"{'row' if array.ndim == 2 else 'entry'} {place[0] if array.ndim < 3 else place}" if place else "it"
    has = f"has {shown(array[place[0]])}" if array.ndim == 2 else f"is {value}"
    raise ValueError(f"{name} must be finite{limit}, {where} {has}; {advice}")


def sample_array(name: str, values: ArrayLike, *, least: int = 1, dim: int | None = None) -> np.ndarray:
    """Return ``values`` as finite float64 (n, d) with n >= ``least`` rows and d >= 1, or d = ``dim``."""
    array = real_array(name, values, "numbers of shape (n, d)", "stack the draws as rows")
    columns = "d" if dim is None else dim
    if array.ndim != 2 or array.shape[1] < 1 or (dim is not None and array.shape[1] != dim):
        raise ValueError(f"{name} must have shape (n, {columns}), got {array.shape}; "
                         "one row per draw, reshape(-1, 1) makes a column of numbers")
    if len(array) < least:
        raise ValueError(f"{name} must have {least} rows or more, got {len(array)}; draw more")
    check_size(name, array, "leave out chains that diverged")
    return array


def chain_array(draws: ArrayLike, least: int = 4) -> np.ndarray:
    """Return ``draws`` as finite float64 (chains, n, d) with n >= ``least`` draws per chain."""
    array = real_array("draws", draws, "numbers of shape (chains, draws, d)", "stack the chains along the first axis")
    if array.ndim != 3 or array.shape[1] < least or not array.size:
        raise ValueError(f"draws must have shape (chains, draws >= {least}, d), got {array.shape}; run the chains longer")
    check_size("draws", array, "leave out chains that diverged")
    return array


def vector(name: str, values: ArrayLike, length: int | None = None, advice: str = "one number per datum") -> np.ndarray:
    """Return ``values`` as finite float64 (n,) with n >= 1, or n = ``length``."""
    wanted = f"({'n' if length is None else length},)"
    array = real_array(name, values, f"numbers of shape {wanted}")
    if array.ndim != 1 or array.size < 1 or (length is not None and array.size != length):
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}; {advice}")
    check_size(name, array, "leave that datum out")
    return array


def square_matrix(name: str, values: ArrayLike, dim: int | None = None) -> np.ndarray:
    """Return ``values`` as a finite symmetric float64 (d, d), or raise a ValueError."""
    size = "d" if dim is None else dim
    array = real_array(name, values, f"numbers of shape ({size}, {size})")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0 or dim not in (None, len(array)):
        raise ValueError(f"{name} must have shape ({size}, {size}), got {array.shape}; use np.cov of draws")
    check_size(name, array, "find the mode again first")
    if not np.allclose(array, array.T, rtol=1e-6, atol=1e-9 * max(1.0, np.abs(array).max())):
        raise ValueError(f"{name} must be symmetric, got {shown(array)}; use (a + a.T) / 2 if it is so up to rounding")
    return 0.5 * (array + array.T)


def positive_matrix(name: str, values: ArrayLike, dim: int, advice: str) -> np.ndarray:
    """Return ``values`` as a finite symmetric float64 (d, d) with a Cholesky factor, or raise a ValueError."""
    array = square_matrix(name, values, dim)
    least = float(np.linalg.eigvalsh(array)[0])
    try:
        if least < SMALLEST:
            raise np.linalg.LinAlgError
        np.linalg.cholesky(array)
    except np.linalg.LinAlgError:
        raise ValueError(f"{name} must be positive definite, its smallest eigenvalue is {least:g}; {advice}") from None
    return array
