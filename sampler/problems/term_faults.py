"""Faults of a GradientOracle detected during a run: terms with a gradient that is not monotone or not finite.

A term is convex only if its gradient g is monotone: (y - x) . (g(y) - g(x)) >= 0 for all x, y. The chains of the first
epochs evaluate the same terms at many points, and these gradients are compared; no additional gradient is evaluated and no
random number is drawn.

The user's curvature of a term, or its factor, is checked against differences of the gradient.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from sampler.problems.base import Problem, central_differences, coordinate_numbers, quiet

EPOCHS = 16
"""Number of first epochs with comparisons of gradients."""
TERMS, POINTS, COMPARED = 8, 4, 64
"""Number of terms compared, of points stored per term, and of comparisons per call of the sampler."""
ROUNDING = 1e-5
"""Tolerated relative decrease of a gradient: about a hundred rounding errors of single precision."""
SHOWN = 6  # entries of theta in a message
MANY = 4096  # terms evaluated at once

Listener = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
"""Function called with (indices, theta, gradients) after each evaluation of a GradientOracle on this thread."""


class TermWatch:
    """Compares the gradients of a sampler's first epochs and warns once if one is not monotone.

    Attributes
    ----------
    message : str
        Text of the warning; empty while there is none.
    """

    def __init__(self) -> None:
        self.message = ""
        self._points: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
        self._left = self._rises = self._falls = 0
        self._where = ""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Compare the gradients evaluated inside the context on this thread."""
        self._left = COMPARED
        token = listener.set(self._record)
        try:
            yield
        finally:
            listener.reset(token)

    def warn(self, stacklevel: int) -> None:
        """Warn once if a gradient decreased in a comparison; ``stacklevel`` as for ``warnings.warn``."""
        if self.message or not self._falls:
            return
        why = "it is not convex there" if self._rises else "its sign is wrong, or it is not convex there"
        self.message = (f"the gradient of a term must be monotone, it decreased in {self._falls} of "
                        f"{self._falls + self._rises} comparisons, {self._where}: {why}. Check it with check_gradient; "
                        "GradientOracle(..., watch=False) turns the comparison off")
        warnings.warn(self.message, RuntimeWarning, stacklevel=stacklevel + 1)

    def _record(self, indices: np.ndarray, theta: np.ndarray, fresh: np.ndarray) -> None:
        if self._left <= 0:
            return
        with quiet():
            for k, gradient in dict(zip(indices.tolist(), fresh, strict=True)).items():
                points = self._points.setdefault(k, []) if len(self._points) < TERMS else self._points.get(k, [])
                for other, before in points:
                    self._compare(k, theta - other, gradient - before, gradient, before, theta)
                if len(points) < POINTS and k in self._points:
                    points.append((theta.copy(), gradient.copy()))

    def _compare(self, k: int, step: np.ndarray, change: np.ndarray, one: np.ndarray, other: np.ndarray,
                 theta: np.ndarray) -> None:
        self._left -= 1
        rise = float(step @ change)
        if not abs(rise) > ROUNDING * np.linalg.norm(step) * (np.linalg.norm(one) + np.linalg.norm(other)):
            return  # below the rounding error, or nan
        self._rises += rise > 0
        if rise < 0:
            self._falls += 1
            between = f"{_point_text(theta - step)} and {_point_text(theta)}"
            self._where = self._where or f"first for index {k} between theta = {between}"


def not_finite(problem: Problem, t: int, theta: np.ndarray) -> str:
    """Return an error text for the first gradient of a GradientOracle that is not finite at ``theta``; empty if none is."""
    if problem.kind != "oracle":
        return ""
    try:
        with quiet():
            if not np.isfinite(prior := problem.prior_gradient(theta.copy())).all():
                return _not_finite_text("prior_gradient", "", prior, theta)
            for first in range(0, t, MANY):
                indices = np.arange(first, min(t, first + MANY), dtype=np.int64)
                fresh = problem.gradients(indices, theta.copy())
                if (bad := np.flatnonzero(~np.isfinite(fresh).all(axis=1))).size:
                    return _not_finite_text("gradients", f" for index {indices[bad[0]]}", fresh[bad[0]], theta)
    except Exception:  # the user's code may raise anything; the divergence is reported instead
        return ""
    return ""


def _not_finite_text(name: str, which: str, gradient: np.ndarray, theta: np.ndarray) -> str:
    place = int(np.flatnonzero(~np.isfinite(gradient))[0])
    return f"{name} must be finite, got {gradient[place]}{which} in coordinate {place} at theta = {_point_text(theta)}"


def _point_text(theta: np.ndarray) -> str:
    return f"[{', '.join(f'{x:.6g}' for x in theta[:SHOWN])}{', ...' * (theta.size > SHOWN)}]"


SYMMETRIC = 1e-8  # tolerances, relative to the largest entry
POSITIVE = -1e-8


class TermCurvatures:
    """Curvatures C_k near f_k'' of a GradientOracle's terms, for a preconditioner, from a curvature or its factor.

    Parameters
    ----------
    curvature, factor : callable or None
        As for `GradientOracle`; exactly one of them.
    prior_curvature : float or (dim,) array, >= 0
    dim : int
    """

    def __init__(self, curvature: Callable[..., Any] | None, factor: Callable[..., Any] | None,
                 prior_curvature: float | np.ndarray, dim: int) -> None:
        if curvature is not None and factor is not None:
            raise ValueError("factor must be None if curvature is passed, got both; pass the one that is cheaper")
        if curvature is None and factor is None:
            raise ValueError(f"prior_curvature must be left out without curvature and factor, got {prior_curvature!r}; pass "
                             "one of the two (the prior itself is prior_gradient)")
        self.name, function = ("curvature", curvature) if factor is None else ("factor", factor)
        if not callable(function):
            raise ValueError(f"{self.name} must be callable, got {function!r}; pass a function of (indices, theta)")
        self._function = function
        self.dim = dim
        self.prior = coordinate_numbers(prior_curvature, dim, "prior_curvature")

    def of(self, indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """Return C_k of the terms at ``indices`` (n,): diagonals (n, dim) or matrices (n, dim, dim); else a ValueError."""
        n, d = len(indices), self.dim
        values: np.ndarray = np.asarray(self._function(indices, theta), dtype=np.float64)
        if self.name == "factor":
            if not (values.shape == (n, d) or (values.ndim == 3 and values.shape[::2] == (n, d))):
                raise ValueError(f"factor must return shape ({n}, {d}) or ({n}, r, {d}) for {n} indices, got "
                                 f"{values.shape}; return one row u_k per index, or r rows, summed over their u u'")
        elif values.shape not in ((n, d), (n, d, d)):
            raise ValueError(f"curvature must return shape ({n}, {d}), diagonals, or ({n}, {d}, {d}) for {n} indices, got "
                             f"{values.shape}; return a factor (n, {d}) by factor= instead")
        bad = np.argwhere(~np.isfinite(values))
        if bad.size:
            raise ValueError(f"{self.name} must be finite, got {values[tuple(bad[0])]} for index {indices[bad[0][0]]} at "
                             f"theta {np.round(theta, 3).tolist()}; check that term")
        if self.name == "factor":
            rows = values if values.ndim == 3 else values[:, None]
            return np.einsum("nri,nrj->nij", rows, rows)
        return self._positive(values, indices, theta)

    def _positive(self, values: Any, indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
        size = np.abs(values).reshape(len(values), -1).max(axis=1)
        if values.ndim == 3:
            crooked = np.abs(values - values.transpose(0, 2, 1)).max(axis=(1, 2)) > SYMMETRIC * size
            if crooked.any():
                raise ValueError(f"curvature must be symmetric, that of index {indices[crooked.argmax()]} is not; return "
                                 "(C + C')/2")
            least = np.linalg.eigvalsh(values)[:, 0]
        else:
            least = values.min(axis=1)
        bad = np.flatnonzero(least < POSITIVE * size)
        if bad.size:
            raise ValueError(f"curvature must be >= 0 in every direction, that of index {indices[bad[0]]} has "
                             f"{least[bad[0]]:.3g} at theta {np.round(theta, 3).tolist()}; pass a factor of its "
                             "Gauss-Newton part, which is never negative")
        return values


WRONG = 20.0
"""Factor by which a total curvature may be too large or too small; beyond it counts as an error, not an approximation."""


def check_curvature(problem: Problem, indices: np.ndarray, points: np.ndarray) -> tuple[str, str]:
    """Return texts of a fault ("" if there is none) and a note on the curvatures of an oracle at ``points`` (m, dim)."""
    claimed, measured = np.zeros((problem.dim, problem.dim)), np.zeros((problem.dim, problem.dim))
    name = problem.curvatures.name
    for theta in points:
        try:
            taken, again = (problem.curvatures.of(indices, theta.copy()) for _ in range(2))
        except ValueError as error:
            return str(error), ""
        except Exception as error:  # the user's code may raise anything
            return f"the {name} raises {type(error).__name__}: {error} (indices {indices.tolist()})", ""
        if not np.array_equal(taken, again):
            return f"the {name} returns other values the second time; it must depend on indices and theta only", ""
        claimed += np.diag(taken.sum(axis=0)) if taken.ndim == 2 else taken.sum(axis=0)
        for k in indices:
            measured += central_differences(lambda x, k=k: problem.gradients(np.array([k]), x)[0], theta)
    ratio = np.trace(claimed) / np.trace(measured) if np.trace(measured) > 0 else 1.0
    gap = np.abs(claimed - 0.5 * (measured + measured.T)).max() / (np.abs(measured).max() + 1e-300)
    note = (f"{name}: {ratio:.3g} times the gradient's own derivatives in trace, worst entry off by {100 * gap:.2g} % of "
            "the largest")
    if not 1.0 / WRONG <= ratio <= WRONG:
        return f"the {name} is {ratio:.3g} times the derivatives of the gradient in trace; check its units", note
    return "", note
