"""User-defined gradients inside a compiled loop, from a Python callback or from compiled functions.

A Python callback takes about 1 us. Calling compiled code from Python at every step instead would take 10 us, to unpack its
dozen array arguments. Both sides share arrays; the callback itself takes no arguments and returns whether it succeeded.
"""

import ctypes
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from sampler.kernels.compile import kernel


class GradientBuffers(NamedTuple):
    """Arrays shared by compiled code and a Python callback: a batch and its gradients."""

    address: int  # of the C function; 0 without a callback
    batch: np.ndarray  # indices of the terms, (b,) int64
    theta: np.ndarray  # evaluation point, (d,)
    fresh: np.ndarray  # gradients of the terms, (b, d)
    prior: np.ndarray  # gradient of the prior, (d,)


def gradient_buffers(batch_size: int, dim: int) -> GradientBuffers:
    """Return buffers without a callback."""
    return GradientBuffers(0, np.empty(batch_size, np.int64), np.zeros(dim), np.empty((batch_size, dim)), np.zeros(dim))


class GradientCallback:
    """C callback for a problem's ``gradients`` and ``prior_gradient``; keep a reference while compiled code may call it.

    Attributes
    ----------
    buffers : GradientBuffers
        Arrays for the compiled side.
    error : BaseException or None
        Exception raised by the user's function; compiled code then stops before the step.
    """

    def __init__(self, problem: Any, batch_size: int) -> None:
        _, batch, theta, fresh, prior = gradient_buffers(batch_size, problem.dim)
        gradients, prior_gradient = problem.gradients, problem.prior_gradient
        self.error: BaseException | None = None

        def answer() -> int:
            try:
                own = theta.copy()  # the user's function may keep a reference
                fresh[:] = gradients(batch, own)
                prior[:] = prior_gradient(own)
            except BaseException as error:  # noqa: B902 - KeyboardInterrupt too must not propagate through compiled code
                self.error = error
                return 0
            return 1

        self._function = ctypes.CFUNCTYPE(ctypes.c_int64)(answer)
        address = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        self.buffers = GradientBuffers(address, batch, theta, fresh, prior)


@intrinsic
def call_back(typing_context, address):
    """Call the function at ``address`` and return its int64."""
    def build(context, builder, signature, args):
        function = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), [])
    return types.int64(types.int64), build


@kernel()
def call_gradients(function, indices, theta, data, out):
    """Write the gradients of the terms at ``indices`` into ``out`` (n, d), by the user's compiled function."""
    function(indices.ctypes, indices.size, theta.ctypes, theta.size, data.ctypes, out.ctypes)


@kernel()
def call_prior(function, theta, out):
    """Write the gradient of f_0 into ``out`` (d,), by the user's compiled function."""
    function(theta.ctypes, theta.size, out.ctypes)
