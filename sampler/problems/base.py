"""Protocol of every posterior, and argument checks shared by the problems."""

from collections.abc import Callable
from typing import Annotated, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import LARGEST, check_size, real_array, shown, whole_number

Problem: TypeAlias = Annotated[
    Any, "LogisticRegression, LinearRegression, PoissonRegression, GaussianMean or GradientOracle"]
"""Any problem of this library. Its operations depend on its ``kind``, which every function checks; an unsupported kind
raises a ValueError. No common class or protocol is more precise."""


class Posterior(Protocol):
    """F_t = f_0 + ... + f_t on the data observed so far: views of append-only rows, safe to read from any thread."""

    t: int
    dim: int
    problem: Any

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """Return F_t up to a constant, (n, d) -> (n,)."""

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of F_t, (d,) -> (d,) or (n, d) -> (n, d)."""

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Return the Hessian of F_t at one point, (d,) -> (d, d)."""

    def term_gradients(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Return the gradients of f_1..f_t (or of those at ``indices``, counted from 0), (d,) -> (t, d)."""


def central_differences(function: Callable[..., Any], theta: np.ndarray) -> np.ndarray:
    """Return derivatives of ``function`` (dim,) -> () or (m,) at ``theta``, (dim,) or (dim, m): row i along coordinate i."""
    width = 1e-5 * np.maximum(1.0, np.abs(theta))
    return np.array([(np.asarray(function(theta + h * e)) - np.asarray(function(theta - h * e))) / (2 * h)
                     for h, e in zip(width, np.eye(len(theta)), strict=True)])


def quiet() -> Any:
    """Return a context that ignores numpy's floating-point warnings; other modes set by ``numpy.seterr`` are kept."""
    silent: dict[str, Any] = {kind: "ignore" for kind, answer in np.geterr().items() if answer == "warn"}
    return np.errstate(**silent)


def whole_dim(dim: Any) -> int:
    """Return ``dim`` as an int >= 1, or raise a ValueError."""
    return whole_number("dim", dim, 1, 100_000, "count the intercept column too")


def coordinate_numbers(values: float | np.ndarray, dim: int, name: str = "prior_precision",
                       advice: str = "1.0 is the standard normal prior", least: float = 0.0) -> np.ndarray:
    """Return numbers >= ``least``, one per coordinate, (dim,), from one number or an array; by default precisions."""
    wanted = f"in [{least:g}, {LARGEST:g}], one number or {dim} of them"
    numbers, logical = real_array(name, values, wanted, advice), np.asarray(values).dtype == bool
    if logical or numbers.shape not in ((), (1,), (dim,)) or not np.all((numbers >= least) & (numbers <= LARGEST)):
        raise ValueError(f"{name} must be {wanted}, got {shown(values)}; {advice}")
    return np.array(np.broadcast_to(numbers, (dim,)))


def checked_rows(features: Any, dim: int, name: str = "features") -> np.ndarray:
    """Return ``features``, finite, one row (dim,) or many (n, dim), as float64 (n, dim), or raise a ValueError."""
    rows = real_array(name, features, f"numbers of shape ({dim},) or (n, {dim})", "convert text columns first")
    if rows.ndim == 0 and dim == 1:
        rows = rows.reshape(1)
    if rows.ndim == 1:
        rows = rows[None, :]
    if rows.ndim != 2 or rows.shape[1] != dim:
        raise ValueError(f"{name} must have shape ({dim},) or (n, {dim}), got {np.shape(features)}; "
                         "the problem's dim counts the intercept column")
    check_size(name, rows, "drop or repair that row")
    return rows


def checked_labels(labels: Any, n: int, name: str = "label") -> np.ndarray:
    """Return ``labels``, finite, as float64 (n,), or raise a ValueError."""
    values = np.atleast_1d(real_array(name, labels, f"a number or {n} numbers", "recode texts as numbers first"))
    if values.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one per row of features, got {values.shape}; "
                         "drop rows without one")
    check_size(name, values, "drop that row")
    return values


def points(theta: ArrayLike, dim: int) -> tuple[np.ndarray, bool]:
    """Return ``theta`` as (n, dim), and True if it was a single point."""
    array = real_array("theta", theta, f"numbers of shape ({dim},) or (n, {dim})", "one row per point")
    if array.shape[-1:] != (dim,) or array.ndim not in (1, 2):
        raise ValueError(f"theta must have shape ({dim},) or (n, {dim}), got {array.shape}; one row per point")
    return np.atleast_2d(array), array.ndim == 1


def one_point(theta: ArrayLike, dim: int) -> np.ndarray:
    """Return one point ``theta`` as float64 (dim,), or raise a ValueError."""
    array = real_array("theta", theta, f"numbers of shape ({dim},)", "one number per coordinate")
    if array.shape != (dim,):
        raise ValueError(f"theta must be one point, shape ({dim},), got {array.shape}; pass one at a time")
    return array


def term_numbers(indices: ArrayLike | None, t: int) -> np.ndarray:
    """Return checked ``indices`` (n,) of terms, whole numbers in [0, t - 1], as int64; None is all of them."""
    if indices is None:
        return np.arange(t)
    if type(indices) is np.ndarray and indices.dtype == np.int64 and indices.ndim == 1 and indices.size:
        if 0 <= indices.min() and indices.max() < t:
            return indices  # without a copy, as GradientOracles of users pass them once per step
    wanted = f"whole numbers in [0, {t - 1}] of shape (n,)"
    numbers = real_array("indices", indices, wanted, "count terms from 0")
    whole = numbers.ndim == 1 and np.asarray(indices).dtype != bool and np.all(numbers == np.floor(numbers))
    if not whole or not np.all((numbers >= 0) & (numbers < t)):
        raise ValueError(f"indices must be {wanted}, got {shown(indices)}; count terms from 0")
    return numbers.astype(np.int64)
