"""NUTS of blackjax on one core: from scratch with Stan's window adaptation, and warm-started from the last posterior."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

WARM_UP = 300  # transitions of the window adaptation
XLA_ONE_CORE = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # into XLA_FLAGS before jax is imported


@dataclass(frozen=True)
class NutsRun:
    """What one run gave.

    Attributes
    ----------
    draws : (n, d) array
    seconds : float
        Processor seconds, compiling left out.
    step_size : float
    inverse_mass : (d,) array
    leapfrogs : float
        Gradients a transition after the adaptation, mean.
    """

    draws: np.ndarray
    seconds: float
    step_size: float
    inverse_mass: np.ndarray
    leapfrogs: float


def _log_density(rows):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    rows = jnp.asarray(rows)
    return rows, lambda theta, rows: -(0.5 * theta @ theta + jax.nn.softplus(rows @ theta).sum())


def _timed(function, *arguments):
    """Result and processor seconds of a jax function, compiled beforehand."""
    import jax

    compiled = jax.jit(function).lower(*arguments).compile()
    start = time.process_time()
    found = jax.block_until_ready(compiled(*arguments))
    return found, time.process_time() - start


def from_scratch(rows: np.ndarray, n: int, seed: int) -> NutsRun:
    """``WARM_UP`` transitions of adaptation from the origin, diagonal mass matrix, then n draws of one chain.

    Parameters
    ----------
    rows : (t, d) array
        Features times 1 - 2 label. A row of zeros changes nothing.
    """
    import blackjax
    import jax
    import jax.numpy as jnp

    rows, log_density = _log_density(rows)

    def run(key, rows):
        first, second = jax.random.split(key)
        (state, found), _ = blackjax.window_adaptation(blackjax.nuts, lambda theta: log_density(theta, rows)).run(
            first, jnp.zeros(rows.shape[1]), WARM_UP)
        step = blackjax.nuts(lambda theta: log_density(theta, rows), **found).step

        def transition(state, key):
            state, info = step(key, state)
            return state, (state.position, info.num_integration_steps)

        _, (draws, leapfrogs) = jax.lax.scan(transition, state, jax.random.split(second, n))
        return draws, leapfrogs, found["step_size"], found["inverse_mass_matrix"]

    (draws, leapfrogs, step_size, inverse_mass), seconds = _timed(run, jax.random.PRNGKey(seed), rows)
    return NutsRun(np.asarray(draws), seconds, float(step_size), np.asarray(inverse_mass), float(np.mean(leapfrogs)))


def warm_started(rows: np.ndarray, old: NutsRun, seed: int) -> NutsRun:
    """One transition from each old draw under the new posterior, with the old step size and mass matrix."""
    import blackjax
    import jax
    import jax.numpy as jnp

    rows, log_density = _log_density(rows)

    def run(key, starts, rows):
        nuts = blackjax.nuts(lambda theta: log_density(theta, rows), step_size=old.step_size,
                             inverse_mass_matrix=jnp.asarray(old.inverse_mass))

        def transition(_, start):
            key, point = start
            state, info = nuts.step(key, nuts.init(point))
            return None, (state.position, info.num_integration_steps)

        return jax.lax.scan(transition, None, (jax.random.split(key, len(starts)), starts))[1]

    (draws, leapfrogs), seconds = _timed(run, jax.random.PRNGKey(seed), jnp.asarray(old.draws), rows)
    return NutsRun(np.asarray(draws), seconds, old.step_size, old.inverse_mass, float(np.mean(leapfrogs)))
