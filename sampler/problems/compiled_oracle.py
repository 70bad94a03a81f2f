"""The user's gradients as compiled functions: their signature, and the calls to them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cfunc, types

_DOUBLES, _INTS = types.CPointer(types.float64), types.CPointer(types.int64)

gradient_signature = types.void(_INTS, types.int64, _DOUBLES, types.int64, _DOUBLES, _DOUBLES)
"""``(indices, n, theta, dim, data, out)``: write the gradient of f_{k+1} at ``theta`` for each of the ``n`` indices k
(from 0) into ``out``, n rows of ``dim``; ``data`` is the array given to GradientOracle, unchanged."""

prior_signature = types.void(_DOUBLES, types.int64, _DOUBLES)
"""``(theta, dim, out)``: write the gradient of f_0 into ``out``."""


def is_compiled(function: Callable[..., Any]) -> bool:
    """Return whether it is a numba ``cfunc``."""
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

    def gradients(self, indices: np.ndarray, theta: np.ndarray, dim: int) -> np.ndarray:
        """Gradients of the terms at ``indices``, (n,), (dim,) -> (n, dim)."""
        from sampler.kernels.user_gradient_saga import call_gradients

        out = np.zeros((len(indices), dim))
        call_gradients(self.function, np.ascontiguousarray(indices, np.int64), np.ascontiguousarray(theta, float),
                       self.data, out)
        return out

    def prior_gradient(self, theta: np.ndarray, dim: int) -> np.ndarray:
        """Gradient of f_0, (dim,) -> (dim,)."""
        from sampler.kernels.user_gradient_saga import call_prior

        out = np.zeros(dim)
        call_prior(self.prior, np.ascontiguousarray(theta, float), out)
        return out


def _checked(name: str, function: Any, signature: Any, signature_name: str) -> Any:
    if not is_compiled(function):
        raise ValueError(f"{name} must be a cfunc too, got {function!r}; write it with @cfunc({signature_name})")
    if function._sig != signature:
        raise ValueError(f"{name} must have the signature {signature}, got {function._sig}; write it with "
                         f"@cfunc({signature_name}) from sampler")
    return function


_FLAT: list[object] = []


def _flat() -> Any:
    """The gradient of a flat prior, compiled at first use."""
    if not _FLAT:
        @cfunc(prior_signature)  # type: ignore[untyped-decorator]  # numba has no types
        def flat(theta: Any, dim: Any, out: Any) -> None:
            for q in range(dim):
                out[q] = 0.0

        _FLAT.append(flat)
    return _FLAT[0]
