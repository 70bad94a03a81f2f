"""NUTS of blackjax in a race: from scratch, and with the step size and mass matrix of the previous epoch.

blackjax and jax, both optional, are imported on first use. XLA is then limited to one core, unless the process has imported
jax before.
"""

import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from sampler.problems.glm import GlmPosterior
from sampler.racing.race_setup import RaceSetup
from sampler.racing.runners import Runner

PACKAGES = ("blackjax", "jax")
INSTALL = "blackjax, which is not installed here: pip install 'exit-time-lab[nuts]', then start again"
WARM_UP = 300  # transitions of the window adaptation
XLA_ONE_CORE = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # into XLA_FLAGS before jax is imported
PRICE = 5.0
"""Gradient evaluations of this library in the time of one of NUTS: 21 ns of a core per datum and leapfrog step at t = 1,000
and d = 21, against 5."""
BLOCKS = 20  # calls in which the one chain from scratch makes K draws
LEAPFROGS = 10.0  # initial estimate per transition


def missing() -> str:
    """Return the missing packages and how to install them; empty if they are installed."""
    return INSTALL if any(importlib.util.find_spec(name) is None for name in PACKAGES) else ""


@contextmanager
def doubles() -> Iterator[None]:
    """Use double precision on the CPU, independent of other uses of jax in the process."""
    if "jax" not in sys.modules:
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {XLA_ONE_CORE}".strip()
    import jax

    with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
        yield


def log_density(kind: str) -> Callable[..., Any]:
    """Return -F_t of a one-score model as function of theta, rows, targets, prior precision. A zero row adds a constant."""
    import jax
    import jax.numpy as jnp

    loss: Any = {"logistic": lambda scores, targets: jax.nn.softplus(scores),
                 "linear": lambda scores, targets: 0.5 * (scores - targets) ** 2,
                 "poisson": lambda scores, targets: jnp.exp(scores) - targets * scores}[kind]
    return lambda theta, rows, targets, precision: -(
        0.5 * theta @ (precision * theta) + loss(rows @ theta, targets).sum())


class Nuts:
    """Chains of NUTS on a target, and their cost.

    Attributes
    ----------
    gradients : int
        Evaluations of the full gradient by all chains: one each at the start, one per leapfrog step.
    seconds : float
        Processor seconds so far, without compilation.
    step_size : float
    inverse_mass : (d,) array
    """

    _states: Any

    def __init__(self, target: GlmPosterior, seed: int) -> None:
        import jax
        import jax.numpy as jnp

        self._density, self._key = log_density(target.problem.kind), jax.random.PRNGKey(seed)
        self._data = tuple(jnp.asarray(part) for part in (target.rows, target.targets, target.problem.prior_precision))
        self._compiled: dict[str, Any] = {}
        self.gradients, self.seconds = 0, 0.0
        self.step_size, self.inverse_mass = np.nan, np.empty(0)

    def _algorithm(self, step_size: Any, inverse_mass: Any, data: tuple[Any, ...]) -> Any:
        import blackjax

        return blackjax.nuts(lambda theta: self._density(theta, *data), step_size=step_size,
                             inverse_mass_matrix=inverse_mass)

    def _run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call ``function`` with the data as last argument, compiled at its first call, and time it without compilation."""
        import jax

        name, arguments = function.__name__, (*arguments, self._data)
        if name not in self._compiled:
            self._compiled[name] = jax.jit(function).lower(*arguments).compile()
        start = time.process_time()
        result = jax.block_until_ready(self._compiled[name](*arguments))
        self.seconds += time.process_time() - start
        return result

    @doubles()
    def more(self) -> np.ndarray:
        """Return more draws, (n, d), and count their leapfrog steps."""
        import jax

        self._key, key = jax.random.split(self._key)
        self._states, draws, leapfrogs = self._run(self._moved, key, self._states, self.step_size, self.inverse_mass)
        self.gradients += int(leapfrogs.sum())
        return np.asarray(draws)

    def _moved(self, key: Any, states: Any, step_size: Any, inverse_mass: Any, data: Any) -> Any:
        return self._move(self._algorithm(step_size, inverse_mass, data).step, key, states)

    def _move(self, step: Callable[..., Any], key: Any, states: Any) -> Any:
        """Return the states after calls of ``step``, the draws, and the leapfrog steps of each."""
        raise NotImplementedError


class ScratchNuts(Nuts):
    """One chain: `WARM_UP` transitions of adaptation, diagonal mass matrix, then draws in blocks.

    Parameters
    ----------
    target : GlmPosterior
    start : (d,) array
    block : int
        Draws per call of ``more``.
    seed : int
    """

    @doubles()
    def __init__(self, target: GlmPosterior, start: np.ndarray, block: int, seed: int) -> None:
        import jax
        import jax.numpy as jnp

        super().__init__(target, seed)
        self._block = block
        self._key, key = jax.random.split(self._key)
        self._states, step_size, inverse_mass, leapfrogs = self._run(self._adapt, key, jnp.asarray(start, float))
        self.step_size, self.inverse_mass, self.gradients = float(step_size), np.asarray(inverse_mass), 1 + int(leapfrogs)

    def _adapt(self, key: Any, start: Any, data: Any) -> Any:
        import blackjax

        adaptation = blackjax.window_adaptation(blackjax.nuts, lambda theta: self._density(theta, *data))
        (state, tuning), steps = adaptation.run(key, start, WARM_UP)
        return state, tuning["step_size"], tuning["inverse_mass_matrix"], steps.info.num_integration_steps.sum()

    def _move(self, step: Callable[..., Any], key: Any, states: Any) -> Any:
        import jax

        def transition(state: Any, key: Any) -> Any:
            state, info = step(key, state)
            return state, (state.position, info.num_integration_steps)

        state, (draws, leapfrogs) = jax.lax.scan(transition, states, jax.random.split(key, self._block))
        return state, draws, leapfrogs


class WarmNuts(Nuts):
    """Chains from ``points`` with fixed step size and mass matrix: ``more`` makes one transition of each, in sequence.

    Parameters
    ----------
    target : GlmPosterior
    points : (m, d) array
    step_size : float
    inverse_mass : (d,) array
    seed : int
    """

    @doubles()
    def __init__(self, target: GlmPosterior, points: np.ndarray, step_size: float, inverse_mass: np.ndarray,
                 seed: int) -> None:
        import jax.numpy as jnp

        super().__init__(target, seed)
        self.step_size, self.inverse_mass, self.gradients = step_size, inverse_mass, len(points)
        self._states = self._run(self._begin, jnp.asarray(points), step_size, inverse_mass)

    def _begin(self, points: Any, step_size: Any, inverse_mass: Any, data: Any) -> Any:
        import jax

        return jax.lax.map(self._algorithm(step_size, inverse_mass, data).init, points)

    def _move(self, step: Callable[..., Any], key: Any, states: Any) -> Any:
        import jax

        def transition(_: Any, one: Any) -> Any:
            state, info = step(*one)
            return None, (state, info.num_integration_steps)

        keys = jax.random.split(key, len(states.position))
        states, leapfrogs = jax.lax.scan(transition, None, (keys, states))[1]
        return states, states.position, leapfrogs


def warm_nuts(target: GlmPosterior, start: np.ndarray, chains: int, seed: int) -> WarmNuts:
    """Return chains at ``start``, adapted by NUTS on F_{t-1}, the target without its last row."""
    rows = target.rows.copy()
    rows[-1] = 0.0
    before = GlmPosterior(target.problem, rows, target.targets, target.labels)
    tuned = ScratchNuts(before, start, 1, seed + 1)
    return WarmNuts(target, np.tile(start, (chains, 1)), tuned.step_size, tuned.inverse_mass, seed)


class NutsRunner(Runner):
    """Runner of K draws; its evaluations per chain are the full gradients of F_t times t over K.

    Warm-started, K chains start where every sampler starts, with the step size and mass matrix that NUTS adapted on F_{t-1}
    (not counted, like other memories); a step is a transition. From scratch, one chain adapts from the origin and makes K
    draws in sequence; all is counted. Until it has K draws, the available ones are repeated.
    """

    def __init__(self, setup: RaceSetup, warm: bool) -> None:
        target, chains = setup.posterior, setup.chains
        start = np.asarray(setup.start, float)
        self.diagnosable = warm
        self._t, self._chains, self._warm, self._block = setup.t, chains, warm, -(-chains // BLOCKS)
        self._draws = np.tile(start, (chains, 1)) if warm else np.empty((0, len(start)))
        self.positions = np.resize(self._draws, (chains, len(start)))
        self.step_cost = LEAPFROGS * setup.t * (1.0 if warm else self._block / chains)
        self._begin = (partial(warm_nuts, target, start, chains, setup.seed) if warm else
                       partial(ScratchNuts, target, np.zeros_like(start), self._block, setup.seed))
        self._nuts: Any = None

    def advance(self, target: float, stop: Callable[[], bool] | None = None) -> None:
        """See Runner; ``stop`` is called between calls of blackjax, which cannot be interrupted."""
        while self.moving and not (stop is not None and stop()):
            before, draws = self.evaluations, self._more()
            self._draws = draws if self._warm else np.concatenate([self._draws, draws])
            self.evaluations, self.step_size = self._nuts.gradients * self._t / self._chains, self._nuts.step_size
            self.seconds = self._nuts.seconds / self._chains
            self.steps += len(draws) / self._chains
            if before:  # the first call includes start or adaptation
                self.step_cost = self.evaluations - before
            if not self._warm and len(self._draws) >= self._chains:
                self._draws, self.moving = self._draws[:self._chains], False
            self.positions = np.resize(self._draws, (self._chains, self._draws.shape[1]))
            if self.evaluations + self.step_cost > target:
                return

    def _more(self) -> np.ndarray:
        try:
            if self._nuts is None:
                self._nuts = self._begin()
            return self._nuts.more()
        except Exception as error:
            raise ValueError(f"NUTS failed: {type(error).__name__}: {error}") from error
