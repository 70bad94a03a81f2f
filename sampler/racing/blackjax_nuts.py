"""NUTS of blackjax: from scratch with Stan's window adaptation, and with step size and mass matrix known beforehand.

Imports blackjax and jax when it is used, both optional. For numbers of one core use it in a process of its own, started
with `XLA_ONE_CORE` in ``XLA_FLAGS`` (``nuts_process`` is one).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

WARM_UP = 300  # transitions of the window adaptation
XLA_ONE_CORE = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # into XLA_FLAGS before jax is imported


@dataclass(frozen=True)
class NutsTarget:
    """F_t of a one-score model: its encoded rows (t, d), targets (t,) and the prior's precision (d,).

    ``kind`` is the problem's. A row of zeros changes nothing.
    """

    kind: str
    rows: np.ndarray
    targets: np.ndarray
    precision: np.ndarray

    @classmethod
    def of(cls, posterior: Any) -> NutsTarget:
        """Target of a `GlmPosterior`."""
        problem = posterior.problem
        precision = np.broadcast_to(np.asarray(problem.prior_precision, float), (problem.dim,))
        return cls(problem.kind, np.array(posterior.rows), np.array(posterior.targets), np.array(precision))

    def arrays(self) -> tuple[Any, ...]:
        """Arguments that `_log_density` takes after theta, in jax's double precision."""
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        return tuple(jnp.asarray(part) for part in (self.rows, self.targets, self.precision))


def _log_density(kind: str) -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    loss: Any = {"logistic": lambda scores, targets: jax.nn.softplus(scores),
                 "linear": lambda scores, targets: 0.5 * (scores - targets) ** 2,
                 "poisson": lambda scores, targets: jnp.exp(scores) - targets * scores}[kind]
    return lambda theta, rows, targets, precision: -(0.5 * theta @ (precision * theta) + loss(rows @ theta, targets).sum())


class _Timed:
    """Compiles a function at its first call, and counts processor seconds without that."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self.seconds = function, 0.0
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        import jax

        if self._compiled is None:
            self._compiled = jax.jit(self._function).lower(*arguments).compile()
        start = time.process_time()
        found = jax.block_until_ready(self._compiled(*arguments))
        self.seconds += time.process_time() - start
        return found


class ScratchNuts:
    """One chain: `WARM_UP` transitions of adaptation, diagonal mass matrix, then draws in blocks.

    Parameters
    ----------
    target : NutsTarget
    start : (d,) array
    block : int
        Draws a call of ``more``.
    seed : int

    Attributes
    ----------
    gradients : int
        Of the whole log density so far: one at the start, one a leapfrog step.
    step_size : float
    inverse_mass : (d,) array
    """

    def __init__(self, target: NutsTarget, start: np.ndarray, block: int, seed: int) -> None:
        import blackjax
        import jax
        import jax.numpy as jnp

        density, self._block = _log_density(target.kind), block
        self._key, first = jax.random.split(jax.random.PRNGKey(seed))
        self._data = target.arrays()

        def adapt(key: Any, start: Any, *data: Any) -> Any:
            (state, found), told = blackjax.window_adaptation(
                blackjax.nuts, lambda theta: density(theta, *data)).run(key, start, WARM_UP)
            return state, found["step_size"], found["inverse_mass_matrix"], told.info.num_integration_steps.sum()

        def draw(key: Any, state: Any, step_size: Any, inverse_mass: Any, *data: Any) -> Any:
            step = blackjax.nuts(lambda theta: density(theta, *data), step_size=step_size,
                                 inverse_mass_matrix=inverse_mass).step

            def transition(state: Any, key: Any) -> Any:
                state, info = step(key, state)
                return state, (state.position, info.num_integration_steps)

            return jax.lax.scan(transition, state, jax.random.split(key, block))

        self._adapt, self._draw = _Timed(adapt), _Timed(draw)
        self._state, *self._tuning, leapfrogs = self._adapt(first, jnp.asarray(start), *self._data)
        self.gradients, self.leapfrogs = 1 + int(leapfrogs), 0
        self.step_size, self.inverse_mass = float(self._tuning[0]), np.asarray(self._tuning[1])

    @property
    def seconds(self) -> float:
        """Processor seconds so far, compiling left out."""
        return self._adapt.seconds + self._draw.seconds

    @property
    def draw_seconds(self) -> float:
        """Those of the draws."""
        return self._draw.seconds

    def more(self) -> np.ndarray:
        """``block`` more draws, (block, d)."""
        import jax

        self._key, key = jax.random.split(self._key)
        self._state, (draws, leapfrogs) = self._draw(key, self._state, *self._tuning, *self._data)
        self.leapfrogs += int(leapfrogs.sum())
        self.gradients += int(leapfrogs.sum())
        return np.asarray(draws)


class WarmNuts:
    """Chains from given points, step size and mass matrix given: ``more`` is one transition of each, one after the other.

    Parameters
    ----------
    target : NutsTarget
    points : (m, d) array
    step_size : float
    inverse_mass : (d,) array
    seed : int

    Attributes
    ----------
    gradients : int
        Of the whole log density, all chains: one each at the start, one a leapfrog step.
    """

    def __init__(self, target: NutsTarget, points: np.ndarray, step_size: float, inverse_mass: np.ndarray,
                 seed: int) -> None:
        import blackjax
        import jax
        import jax.numpy as jnp

        density, self._data = _log_density(target.kind), target.arrays()
        self._key, self._tuning = jax.random.PRNGKey(seed), (jnp.asarray(step_size), jnp.asarray(inverse_mass))

        def algorithm(step_size: Any, inverse_mass: Any, data: Any) -> Any:
            return blackjax.nuts(lambda theta: density(theta, *data), step_size=step_size, inverse_mass_matrix=inverse_mass)

        def begin(points: Any, *tuning_and_data: Any) -> Any:
            nuts = algorithm(tuning_and_data[0], tuning_and_data[1], tuning_and_data[2:])
            return jax.lax.map(nuts.init, points)

        def move(key: Any, states: Any, *tuning_and_data: Any) -> Any:
            nuts = algorithm(tuning_and_data[0], tuning_and_data[1], tuning_and_data[2:])

            def transition(_: Any, one: Any) -> Any:
                state, info = nuts.step(*one)
                return None, (state, info.num_integration_steps)

            return jax.lax.scan(transition, None, (jax.random.split(key, len(points)), states))[1]

        self._begin, self._move = _Timed(begin), _Timed(move)
        self._states = self._begin(jnp.asarray(points), *self._tuning, *self._data)
        self.gradients, self.leapfrogs = len(points), 0

    @property
    def seconds(self) -> float:
        """Processor seconds so far, compiling left out."""
        return self._begin.seconds + self._move.seconds

    @property
    def draw_seconds(self) -> float:
        """All of them: every chain is begun and moved."""
        return self.seconds

    def more(self) -> np.ndarray:
        """One transition of every chain; where they stand then, (m, d)."""
        import jax

        self._key, key = jax.random.split(self._key)
        self._states, leapfrogs = self._move(key, self._states, *self._tuning, *self._data)
        self.leapfrogs += int(leapfrogs.sum())
        self.gradients += int(leapfrogs.sum())
        return np.asarray(self._states.position)
