"""Problem defined by a user's gradient, in Python or as a compiled function."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import cfunc, typeof, types

from sampler.arguments import switch, whole_number
from sampler.kernels.python_callback import call_gradients, call_prior
from sampler.problems.base import central_differences, one_point, points, term_numbers, whole_dim
from sampler.problems.term_faults import TermCurvatures, listener

_DOUBLES, _INTS = types.CPointer(types.float64), types.CPointer(types.int64)

gradient_signature = types.void(_INTS, types.int64, _DOUBLES, types.int64, _DOUBLES, _DOUBLES)
"""``(indices, n, theta, dim, data, out)``: write the gradient of f_{k+1} at ``theta`` for each of the ``n`` indices k
(from 0) into ``out``, n rows of ``dim``; ``data`` is the array passed to GradientOracle, unchanged."""

prior_signature = types.void(_DOUBLES, types.int64, _DOUBLES)
"""``(theta, dim, out)``: write the gradient of f_0 into ``out``."""


def is_compiled(function: Callable[..., Any]) -> bool:
    """Return True if ``function`` is a numba ``cfunc``."""
    return hasattr(function, "address") and hasattr(function, "native_name")


class CompiledGradients:
    """Compiled gradients and the data they read.

    Attributes
    ----------
    function, prior : numba cfunc
    data : float64 array, C-contiguous
    """

    def __init__(self, function: Callable[..., Any], prior: Callable[..., Any] | None, data: np.ndarray | None) -> None:
        self.function = _checked("gradients", function, gradient_signature, "gradient_signature")
        self.prior = _flat() if prior is None else _checked("prior_gradient", prior, prior_signature,
                                                            "prior_signature")
        self.data = np.ascontiguousarray(np.zeros(1) if data is None else data, dtype=np.float64)


def _checked(name: str, function: Any, signature: Any, signature_name: str) -> Any:
    if not is_compiled(function):
        raise ValueError(f"{name} must be a cfunc too, got {function!r}; write it with @cfunc({signature_name})")
    if (received := typeof(function).signature) != signature:
        raise ValueError(f"{name} must have the signature {signature}, got {received}; write it with "
                         f"@cfunc({signature_name}) from sampler")
    return function


@cache
def _flat() -> Any:
    """Return the gradient of a flat prior, compiled at first use."""
    @cfunc(prior_signature)  # type: ignore[untyped-decorator]  # numba has no types
    def flat(theta: Any, dim: Any, out: Any) -> None:
        for q in range(dim):
            out[q] = 0.0

    return flat


class GradientOracle:
    """Problem defined by the gradients of its terms.

    ``gradients`` and ``prior_gradient`` may be numba ``cfunc``s of ``gradient_signature`` and ``prior_signature``: then no
    Python runs between two steps, and several threads call them concurrently. Functions in Python are called by one
    thread.

    Parameters
    ----------
    gradients : callable
        ``gradients(indices, theta) -> (len(indices), dim)``: the gradient of f_{k+1} at ``theta`` (dim,) for each
        k in ``indices`` (int64, counted from 0, may repeat). Must depend on its arguments only.
    dim : int
        Dimension of theta.
    prior_gradient : callable, optional
        ``prior_gradient(theta) -> (dim,)``, the gradient of f_0; None is a flat prior.
    data : array, optional
        Data of compiled gradients (float64, passed on unchanged).
    curvature : callable, optional
        ``curvature(indices, theta)``: f_k'' or an approximation, positive semi-definite, as diagonals (n, dim) or matrices
        (n, dim, dim). For PreconditionedSagaLD, which evaluates two per epoch and chain; any is valid, an accurate one is
        fast. With one that vanishes far from the mode, a chain may diverge from there.
    factor : callable, optional
        Instead of ``curvature``: ``factor(indices, theta)``, a row u_k with f_k'' near u_k u_k', (n, dim), or r rows with
        f_k'' near the sum of their u u', (n, r, dim): the Gauss-Newton part of a model with r outputs, never negative.
    prior_curvature : float or (dim,) array, >= 0
        Curvature of f_0 for the same sampler, or a small ridge if f_0 is flat. The prior itself is ``prior_gradient``.
    watch : bool
        If True, a sampler compares the gradients of its first 16 epochs and warns once (RuntimeWarning) if one is not
        monotone: it has a wrong sign, or its term is not convex. The run makes no additional evaluations or draws.

    Attributes
    ----------
    curvatures : TermCurvatures or None
        Curvatures of the terms; None without ``curvature``, ``factor`` and ``prior_curvature``.
    """

    kind = "oracle"
    curvature_bound = np.inf

    def __init__(self, gradients: Callable[..., Any], dim: int, prior_gradient: Callable[..., Any] | None = None,
                 data: np.ndarray | None = None, curvature: Callable[..., Any] | None = None,
                 factor: Callable[..., Any] | None = None,
                 prior_curvature: float | np.ndarray = 0.0, watch: bool = True) -> None:
        self.compiled = CompiledGradients(gradients, prior_gradient, data) if is_compiled(gradients) else None
        for name, function in (("gradients", gradients), ("prior_gradient", prior_gradient)):
            if not callable(function) and not (name == "prior_gradient" and function is None):
                raise ValueError(f"{name} must be callable, got {function!r}; pass a function of "
                                 f"{'(indices, theta)' if name == 'gradients' else 'theta'}")
        self.dim, self.watch = whole_dim(dim), switch("watch", watch)
        self._gradients, self._prior_gradient = gradients, prior_gradient
        has_curvature = curvature is not None or factor is not None or np.any(prior_curvature)
        self.curvatures = TermCurvatures(curvature, factor, prior_curvature, self.dim) if has_curvature else None

    def __repr__(self) -> str:
        return f"GradientOracle(dim={self.dim})"

    def gradients(self, indices: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """Return the gradients, (n, dim), of the terms at ``indices`` (n,), from 0, at ``theta`` (dim,), or a ValueError."""
        if self.compiled is not None:
            fresh = np.zeros((len(indices), self.dim))
            call_gradients(self.compiled.function, np.ascontiguousarray(indices, np.int64),
                           np.ascontiguousarray(theta, float), self.compiled.data, fresh)
        else:
            fresh = np.asarray(self._gradients(indices, theta), dtype=float)
        if fresh.shape != (len(indices), self.dim):
            raise ValueError(f"gradients must return shape ({len(indices)}, {self.dim}) for {len(indices)} indices, "
                             f"got {fresh.shape}; return one row per index, also for repeated ones")
        if (record := listener.get()) is not None:
            record(indices, theta, fresh)
        return fresh

    def prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of f_0 at ``theta`` (dim,); ValueError unless the user's function returns (dim,)."""
        if self.compiled is not None:
            gradient = np.zeros(self.dim)
            call_prior(self.compiled.prior, np.ascontiguousarray(theta, float), gradient)
            return gradient
        if self._prior_gradient is None:
            return np.zeros(self.dim)
        gradient = np.asarray(self._prior_gradient(theta), dtype=float)
        if gradient.shape != (self.dim,):
            raise ValueError(f"prior_gradient must return shape ({self.dim},), got {gradient.shape}")
        return gradient

    def posterior(self, t: int) -> "OraclePosterior":
        """Return F_t for the first ``t`` data."""
        return OraclePosterior(self, t)


class OraclePosterior:
    """F_t from the oracle's gradients, without a potential; the Hessian is a central difference of gradients."""

    features = labels = None

    def __init__(self, problem: GradientOracle, t: int) -> None:
        self.problem, self.t, self.dim = problem, whole_number("t", t, 0, advice="it is the number of data"), problem.dim

    def potential(self, theta: np.ndarray) -> np.ndarray | float:
        """Raise a ValueError for every ``theta``: a GradientOracle has no potential."""
        raise ValueError("problem must have a potential here, got a GradientOracle, which has gradients only; "
                         "use a sampler without an acceptance test")

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of F_t at ``theta``, of the same shape."""
        theta, single = points(theta, self.dim)
        total = np.array([self.problem.prior_gradient(x) + self.term_gradients(x).sum(axis=0) for x in theta])
        return total[0] if single else total

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        """Return symmetrised central differences of the gradient at ``theta``: 2 dim t gradient evaluations."""
        rows = central_differences(self.gradient, one_point(theta, self.dim))
        return 0.5 * (rows + rows.T)

    def term_gradients(self, theta: np.ndarray, indices: np.ndarray | None = None) -> np.ndarray:
        """Return the gradients of f_1..f_t, or of the terms at ``indices``, at ``theta``, (dim,) -> (t, dim)."""
        return self.problem.gradients(term_numbers(indices, self.t), one_point(theta, self.dim))
