"""A step of SAGA-LD against other libraries and methods on the same data."""

import os
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from polyagamma import random_polyagamma

from sampler import MALA, SGLD, PolyaGamma, find_mode
from sampler.racing.nuts import XLA_ONE_CORE
from tests.benchmarks.chains import BATCH, DIM, open_saga_at, own_steps, paper_rows
from tests.benchmarks.timing import Row, missing_packages, versus

SMALL, LARGE = 1_000, 1_000_000
ETA0, OFFSET = 0.1, 2.0


def signed_rows(t: int) -> np.ndarray:
    """Return rows times the negative sign of their label, so that each gradient is mean(score) times its row."""
    features, labels = paper_rows(t)
    return features * (1.0 - 2.0 * labels)[:, None]


def blackjax_sgld(t: int, centre: np.ndarray | None = None) -> Callable[[int], object]:
    """Return a function that makes n steps of blackjax's SGLD: compiled, analytic gradient, indices drawn in the loop.

    With a ``centre``, (d,), gradients have control variates: SGLD-CV (Baker et al. 2019).
    """
    os.environ["XLA_FLAGS"] = XLA_ONE_CORE
    import blackjax
    import jax
    import jax.numpy as jnp
    from blackjax.sgmcmc.gradients import control_variates

    jax.config.update("jax_enable_x64", True)
    rows = jnp.asarray(signed_rows(t))

    def gradient(theta, chosen):
        batch = rows[chosen]
        return -(theta + (t / len(batch)) * (jax.nn.sigmoid(batch @ theta) @ batch))

    if centre is not None:
        gradient = control_variates(gradient, jnp.asarray(centre), jnp.arange(t))
    sgld = blackjax.sgld(gradient)

    def run(theta, key, n):
        def step(theta, key):
            own, other = jax.random.split(key)
            chosen = jax.random.randint(own, (BATCH,), 0, t)
            return sgld.step(other, theta, chosen, ETA0 / (t + OFFSET)), None

        return jax.lax.scan(step, theta, jax.random.split(key, n))[0]

    compiled, key = jax.jit(run, static_argnums=2), jax.random.PRNGKey(0)
    return lambda n: compiled(jnp.zeros(DIM), key, n).block_until_ready()


def numpy_saga(t: int) -> Callable[[int], object]:
    """Return a function that makes n steps of SAGA-LD in careful NumPy: random numbers at once, one loop over steps."""
    rows, rng = signed_rows(t), np.random.default_rng(0)
    theta, cache, place = np.zeros(DIM), np.full(t, 0.5), np.zeros(t, np.intp)
    total, order = cache @ rows, np.arange(BATCH)
    eta, scale = ETA0 / (t + OFFSET), t / BATCH

    def run(n):
        nonlocal theta, total
        chosen, noise = rng.integers(0, t, (n, BATCH)), np.sqrt(2 * eta) * rng.standard_normal((n, DIM))
        for batch, xi in zip(chosen, noise, strict=True):
            own = rows[batch]
            fresh = 1.0 / (1.0 + np.exp(-(own @ theta)))
            change = fresh - cache[batch]
            theta = theta - eta * (theta + total + scale * (change @ own)) + xi
            place[batch] = order  # of a repeated index only the last counts
            total = total + np.where(place[batch] == order, change, 0.0) @ own
            cache[batch] = fresh

    return run


def blackjax_mala(t: int) -> Callable[[int], object]:
    blackjax_sgld(t)  # configures jax
    import blackjax
    import jax
    import jax.numpy as jnp

    rows, step = jnp.asarray(signed_rows(t)), ETA0 / (t + OFFSET)

    def log_density(theta):
        return -(0.5 * theta @ theta + jax.nn.softplus(rows @ theta).sum())

    mala = blackjax.mala(log_density, step)

    def run(theta, key, n):
        return jax.lax.scan(lambda state, key: (mala.step(key, state)[0], None), mala.init(theta),
                            jax.random.split(key, n))[0].position

    compiled, key = jax.jit(run, static_argnums=2), jax.random.PRNGKey(0)
    return lambda n: compiled(jnp.zeros(DIM), key, n).block_until_ready()


def plain_gibbs(rows: np.ndarray, labels: np.ndarray, n: int) -> Callable[[], object]:
    """Return a function of n plain Polya-Gamma sweeps: draws of polyagamma, NumPy's linear algebra."""
    rng, pull, theta = np.random.default_rng(0), rows.T @ (labels - 0.5), np.zeros(DIM)

    def run():
        nonlocal theta
        for _ in range(n):
            omega = random_polyagamma(1.0, rows @ theta, random_state=rng)
            precision = np.eye(DIM) + rows.T @ (omega[:, None] * rows)
            covariance = np.linalg.inv(precision)
            theta = rng.multivariate_normal(covariance @ pull, covariance)

    return run


def against_blackjax(turns: int) -> Iterator[Row]:
    """Compare SAGA-LD with blackjax's SGLD and SGLD-CV, and our SGLD and MALA with blackjax's; same data and step size."""
    for t, at_least in ((SMALL, 20.0), (LARGE, 12.0)):
        yield versus(f"SAGA-LD a gradient, t = 1e{len(str(t)) - 1}, against blackjax SGLD",
                     (partial(open_saga_at(t).advance, 2_000), 2_000 * BATCH),
                     (partial(blackjax_sgld(t), 400), 400 * BATCH), turns, at_least)
    pairs = ((SGLD, blackjax_sgld(SMALL), 2_000, 400), (MALA, blackjax_mala(SMALL), 200, 200))
    for kind, theirs, n, m in pairs:
        yield versus(f"{kind.__name__} a step, t = 1e3: blackjax's over ours",
                     (own_steps(kind, *paper_rows(SMALL), n), n), (partial(theirs, m), m), turns)
    # both reduce the variance: SGLD-CV with gradients at the mode, SAGA-LD with cached ones
    saga = open_saga_at(SMALL)
    theirs = blackjax_sgld(SMALL, find_mode(saga.posterior))
    yield versus("SAGA-LD a step, t = 1e3: blackjax SGLD-CV over ours", (partial(saga.advance, 2_000), 2_000),
                 (partial(theirs, 400), 400), turns, note="; the mode is not counted")


def measure(quick: bool) -> Iterator[Row]:
    turns, missing = 7 if quick else 21, list(missing_packages("against blackjax", "blackjax", "jax"))
    yield from missing or against_blackjax(turns)
    yield versus("SAGA-LD a step, t = 1e3, against careful NumPy SAGA-LD",
                 (partial(open_saga_at(SMALL).advance, 2_000), 2_000), (partial(numpy_saga(SMALL), 200), 200), turns,
                 at_least=30.0)
    for t in (SMALL,) if quick else (SMALL, LARGE):
        rows, few = paper_rows(t), 1 if t > SMALL else 20
        yield versus(f"Polya-Gamma sweep, t = 1e{len(str(t)) - 1}: plain polyagamma loop over ours",
                     (own_steps(PolyaGamma, *rows, few), few), (plain_gibbs(*rows, few), few), 3 if quick else 7)
