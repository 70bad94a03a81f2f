"""The user's gradients inside a compiled loop: a Python function, called back, or compiled functions of her own.

A call of Python takes about a microsecond. Calling compiled code once a step instead costs ten: its arguments, a dozen
arrays, are looked through at every call. The two sides share arrays; the call itself passes nothing and returns whether
it went well.
"""

import ctypes
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from sampler.kernels.compile import kernel


class Asked(NamedTuple):
    """Question of compiled code to Python, and the place of the answer."""

    address: int  # of the C function; 0: nobody to ask
    batch: np.ndarray  # indices wanted, (b,) int64
    theta: np.ndarray  # where, (d,)
    fresh: np.ndarray  # their gradients, (b, d)
    prior: np.ndarray  # the prior's gradient, (d,)


def nobody(batch_size: int, dim: int) -> Asked:
    """The shared arrays alone."""
    return Asked(0, np.empty(batch_size, np.int64), np.zeros(dim), np.empty((batch_size, dim)), np.zeros(dim))


class Asking:
    """Makes a problem's ``gradients`` and ``prior_gradient`` callable by address; keep it alive while it may be called.

    Attributes
    ----------
    asked : Asked
        For the compiled side.
    error : BaseException or None
        What the user's function raised; compiled code has then stopped before the step.
    """

    def __init__(self, problem: Any, batch_size: int) -> None:
        _, batch, theta, fresh, prior = nobody(batch_size, problem.dim)
        gradients, prior_gradient = problem.gradients, problem.prior_gradient
        self.error: BaseException | None = None

        def answer() -> int:
            try:
                own = theta.copy()  # the user may keep it
                fresh[:] = gradients(batch, own)
                prior[:] = prior_gradient(own)
            except BaseException as error:  # noqa: B902 - Ctrl-C too must leave compiled code in good order
                self.error = error
                return 0
            return 1

        self._function = ctypes.CFUNCTYPE(ctypes.c_int64)(answer)
        self.asked = Asked(ctypes.cast(self._function, ctypes.c_void_p).value or 0, batch, theta, fresh, prior)


@intrinsic
def call_back(typing_context, address):
    """Call the function at ``address``; its int64."""
    def build(context, builder, signature, args):
        function = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), [])
    return types.int64(types.int64), build


@kernel()
def call_gradients(function, indices, theta, data, out):
    """Out (n, d) <- gradients of the terms at ``indices``, by the user's compiled function."""
    function(indices.ctypes, indices.size, theta.ctypes, theta.size, data.ctypes, out.ctypes)


@kernel()
def call_prior(function, theta, out):
    """Out (d,) <- gradient of f_0, by the user's compiled function."""
    function(theta.ctypes, theta.size, out.ctypes)
