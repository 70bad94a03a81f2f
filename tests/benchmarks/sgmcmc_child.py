"""Runs under another environment's Python: processor seconds a step of SGMCMCJax's kernels, a JSON line for each line read.

Rows, the mode, batch, step size and the steps between two anchors are in the ``.npz`` file of the first argument. The mode
and the first anchor are not counted; SVRG's later anchors, one a pass over the data, are.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from sgmcmcjax.kernels import build_sgld_kernel, build_sgld_SVRG_kernel, build_sgldCV_kernel

jax.config.update("jax_enable_x64", True)
LEAST = 400  # steps a turn, and at least two anchors


def log_likelihood(theta, row):
    return -jax.nn.softplus(row @ theta)


def log_prior(theta):
    return -0.5 * theta @ theta


def compiled(kernel, steps, start):
    """Function that makes the steps and returns the processor seconds of one."""
    begin, step, position = kernel

    def run(key, state):
        def body(state, time_and_key):
            return step(*time_and_key, state), None

        return jax.lax.scan(body, state, (jnp.arange(steps), jax.random.split(key, steps)))[0]

    key = jax.random.PRNGKey(0)
    state = begin(key, start)
    run = jax.jit(run).lower(key, state).compile()

    def timed():
        began = time.process_time()
        jax.block_until_ready(position(run(key, state)))
        return (time.process_time() - began) / steps

    return timed


with np.load(sys.argv[1]) as file:
    rows, centre = jnp.asarray(file["rows"]), jnp.asarray(file["centre"])
    batch, step_size, anchor_every = int(file["batch"]), float(file["step"]), int(file["anchor_every"])
shared = (step_size, log_likelihood, log_prior, (rows,), batch)
kernels = {"SGLD": (build_sgld_kernel(*shared), LEAST), "SGLD-CV": (build_sgldCV_kernel(*shared, centre), LEAST),
           "SVRG-Langevin": (build_sgld_SVRG_kernel(*shared, anchor_every), max(LEAST, 2 * anchor_every))}
timers = {name: compiled(kernel, steps, centre) for name, (kernel, steps) in kernels.items()}
for _ in sys.stdin:
    print(json.dumps({name: timer() for name, timer in timers.items()}), flush=True)
