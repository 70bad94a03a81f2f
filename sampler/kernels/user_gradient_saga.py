"""SAGA-LD steps with gradients of the user's own compiled function: no Python between two steps."""

import numpy as np

from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.run_length import run_length
from sampler.kernels.vector_saga import next_batch, step


@kernel()
def call_gradients(function, indices, theta, data, out):
    """Out (n, d) <- gradients of the terms at ``indices``."""
    function(indices.ctypes, indices.size, theta.ctypes, theta.size, data.ctypes, out.ctypes)


@kernel()
def call_prior(function, theta, out):
    """Out (d,) <- gradient of f_0."""
    function(theta.ctypes, theta.size, out.ctypes)


@kernel(REORDER)
def _steps(function, prior_function, data, lanes, mask, chains, values, links, k, t, knobs, n, center, trace):
    """Up to n steps of chain k; returns the number made."""
    dim = values.shape[2]
    batch, fresh = np.empty(knobs.batch_size, np.int64), np.empty((knobs.batch_size, dim))
    theta, prior = np.empty(dim), np.zeros(dim)
    for i in range(n):
        next_batch(chains, k, t, batch)
        theta[:] = chains.position[k, :dim]
        call_gradients(function, batch, theta, data, fresh)
        call_prior(prior_function, theta, prior)
        row = trace[i] if trace.shape[0] else np.empty((0, 0))
        if not step(lanes, mask, chains, values, links, k, t, knobs, batch, fresh, prior, center, row):
            return i + 1
    return n


@kernel(REORDER)
def advance_foreign(function, prior_function, data, lanes, mask, chains, values, links, t, knobs, n, center, traced,
                    trace, counts):
    """Up to n steps in every unfinished chain; all done?"""
    done = True
    for k in range(chains.position.shape[0]):
        if chains.diverged_epoch[k]:
            continue
        left = run_length(chains.length_draw[k], knobs.i_max, knobs.random_length) - chains.steps_done[k]
        if left > 0:
            made = _steps(function, prior_function, data, lanes, mask, chains, values, links, k, t, knobs,
                          min(n, left), center, trace if k == traced else np.empty((0, 4, 0)))
            counts[0] += made * knobs.batch_size
            counts[3] += made
        done &= left <= n or chains.diverged_epoch[k] > 0
    return done
