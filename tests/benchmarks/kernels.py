"""SAGA-LD's cost: against blackjax, NumPy, the machine's own limit, and itself at a thousand times the data."""

import os
from collections.abc import Iterator

import numpy as np

from sampler import ULA, GradientOracle, LogisticRegression, OnlineSagaLD, Settings
from sampler.kernels.compile import REORDER, kernel
from sampler.kernels.glm import means_inplace
from sampler.kernels.lanes import gathered_dots, gathered_sum, lanes_for
from sampler.kernels.rng import fill_normal, indices_at
from tests.benchmarks.harness import Row, at_least, at_most, paired, seconds, skipped

DIM, BATCH = 21, 64


def data(t: int) -> tuple[np.ndarray, np.ndarray]:
    """The paper's features: sparse zeros and ones with an intercept."""
    rng = np.random.default_rng(0)
    features = (rng.random((t, DIM)) < 0.25).astype(float)
    features[:, -1] = 1.0
    return features, rng.integers(0, 2, t)


def in_epoch(cls, t: int, chains: int = 1):
    """A sampler in the middle of an endless epoch t."""
    features, labels = data(t)
    sampler = cls(LogisticRegression(DIM), Settings(eta0=0.1, batch_size=BATCH, i_max=1), chains=chains)
    if t > 1:
        sampler.settings = sampler.settings.replace(eta0=1e-6) if cls is ULA else sampler.settings
        if cls is ULA:  # the full gradient of every epoch would take hours: its rows only
            sampler._rows.append(t - 1, sampler._rows.encode((features[1:], labels[1:]))[1])
            sampler.t = t - 1
        else:
            sampler.observe(features[1:], labels[1:])
    sampler.settings = Settings(eta0=0.1, batch_size=BATCH, i_max=10**12, random_length=False)
    sampler.arrive(features[0], labels[0])
    return sampler


def blackjax_steps(t: int, steps: int):
    """Compiled SGLD steps of blackjax with the gradient written by hand, batch drawn inside; None if not installed."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    try:
        import blackjax
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    features, labels = data(t)
    rows = jnp.asarray(-np.where(labels > 0, 1.0, -1.0)[:, None] * features)

    def gradient(theta, batch):
        u = rows[batch]
        return -(theta + (t / BATCH) * (jax.nn.sigmoid(u @ theta) @ u))

    sgld = blackjax.sgld(gradient)

    @jax.jit
    def run(theta, key):
        def step(x, key):
            draw, noise = jax.random.split(key)
            return sgld.step(noise, x, jax.random.randint(draw, (BATCH,), 0, t), 0.1 / (t + 2)), None
        return jax.lax.scan(step, theta, jax.random.split(key, steps))[0]

    theta, key = jnp.zeros(DIM), jax.random.PRNGKey(0)
    return lambda: run(theta, key).block_until_ready()


def numpy_steps(t: int, steps: int):
    """The same SAGA-LD written with care in NumPy, one chain."""
    features, labels = data(t)
    rows = -np.where(labels > 0, 1.0, -1.0)[:, None] * features
    x, cached, rng = np.zeros(DIM), np.full(t, 0.5), np.random.default_rng(0)
    state = {"x": x, "s": cached @ rows}
    eta = 0.1 / (t + 2)

    def run():
        x, s = state["x"], state["s"]
        for _ in range(steps):
            batch = rng.integers(0, t, BATCH)
            u = rows[batch]
            fresh = 1.0 / (1.0 + np.exp(-(u @ x)))
            change = fresh - cached[batch]
            g = x + s + (t / BATCH) * (change @ u)
            distinct, first = np.unique(batch, return_index=True)
            s = s + change[first] @ u[first]
            cached[distinct] = fresh[first]
            x = x - eta * g + np.sqrt(2 * eta) * rng.standard_normal(DIM)
        state["x"], state["s"] = x, s

    return run


@kernel(REORDER)
def bare_passes(lanes, rows, x, scores, total, steps):
    """Only the passes no SAGA step can do without: draw the batch, gather its rows twice, take means, draw normals."""
    batch, normals = np.empty(scores.size, np.int64), np.empty(512)
    rng = np.zeros(1, np.uint64)
    for i in range(steps):
        indices_at(np.uint64(i * 7919), rows.shape[0], batch)
        gathered_dots(lanes, rows, batch, batch.size, x, scores)
        means_inplace(0, scores)
        if i % 24 == 0:  # 21 normals a step
            fill_normal(rng, normals)
        gathered_sum(lanes, rows, batch, batch.size, scores, total)


def rows(quick: bool) -> Iterator[Row]:
    """All rows of this group."""
    repeats, big = (5, 100_000) if quick else (11, 1_000_000)
    small, large = in_epoch(OnlineSagaLD, 1000), in_epoch(OnlineSagaLD, big)
    steps = 4000
    for sampler, t, target in ((small, 1000, 20), (large, big, 12)):
        name = f"SAGA-LD a gradient, against blackjax SGLD (jit, hand gradient), t = {t:,}"
        peer = blackjax_steps(t, steps)
        yield (skipped(name, "blackjax is not installed") if peer is None else
               at_least(name, target, paired(lambda s=sampler: s.advance(steps), peer, repeats)))
    yield at_least("the same, against a careful NumPy SAGA-LD, t = 1,000", 30, paired(
        lambda: small.advance(1000), numpy_steps(1000, 1000), repeats))
    for sampler, t, target in ((small, 1000, 1.4), (large, big, 2)):
        total, scores, x = np.zeros(24), np.zeros(BATCH), np.zeros(24)
        stored = sampler._rows.rows[:t]
        yield at_most(f"a step over its bare passes (draws, rows twice, means), t = {t:,}", target, paired(
            lambda r=stored, x=x, sc=scores, to=total: bare_passes(lanes_for(DIM), r, x, sc, to, steps),
            lambda s=sampler: s.advance(steps), repeats))
    yield at_most(f"growth of one SAGA-LD step, t = 1,000 to {big:,}", 3, paired(
        lambda: small.advance(steps), lambda: large.advance(steps), repeats))
    ula_small, ula_large = in_epoch(ULA, 1000), in_epoch(ULA, big)
    found = paired(lambda: ula_small.advance(20), lambda: ula_large.advance(20), 3)
    yield Row("growth of one full-gradient step, for contrast", f"{found[0]:.3g}x", "", None)
    yield evaluations(big)
    yield oracle_overhead(repeats)
    yield memory()
    yield Row("many rows in one call stay compiled: observe((n, d)) over its bare steps", compiled_stream(), "", None)


def evaluations(big: int) -> Row:
    """Gradient evaluations an epoch, refreshes included, at t = 1,000 and at ``big``."""
    counts, n = [], 200
    for t in (1000, big):
        features, labels = data(t + n)
        saga = OnlineSagaLD(LogisticRegression(DIM), Settings(batch_size=BATCH, i_max=2), chains=1)
        saga.observe(features[:t - 2 * n], labels[:t - 2 * n])
        saga.settings = saga.settings.replace(i_max=30, random_length=False)
        saga.observe(features[t - 2 * n:t], labels[t - 2 * n:t])
        counts.append(saga.observe(features[t:t + n], labels[t:t + n]).gradient_evaluations / n)
    ratio = counts[1] / counts[0]
    return Row(f"gradient evaluations an epoch, t = {big:,} over 1,000",
               f"{ratio:.4f} ({counts[0]:.0f}, {counts[1]:.0f})", "1 +- 0.02", abs(ratio - 1) <= 0.02)


def oracle_overhead(repeats: int) -> Row:
    """A person's NumPy gradient: all of a step over the bare calls."""
    features, labels = data(1000)
    rows_ = -np.where(labels > 0, 1.0, -1.0)[:, None] * features

    def gradients(indices, theta):
        u = rows_[indices]
        return (1.0 / (1.0 + np.exp(-(u @ theta))))[:, None] * u

    oracle = GradientOracle(gradients, DIM, lambda theta: theta)
    saga = OnlineSagaLD(oracle, Settings(batch_size=BATCH, i_max=1), chains=1)
    for _ in range(999):
        saga.observe()
    saga.settings = Settings(batch_size=BATCH, i_max=10**12, random_length=False)
    saga.arrive()
    batch, theta = np.random.default_rng(0).integers(0, 1000, BATCH), np.zeros(DIM)

    def bare():
        for _ in range(1000):
            gradients(batch, theta)

    return at_most("a NumPy gradient oracle: a step over the bare call", 1.3, paired(
        bare, lambda: saga.advance(1000), repeats))


def memory() -> Row:
    """Bytes a datum and chain, from the arrays themselves."""
    features, labels = data(1000)
    chains = 4
    saga = OnlineSagaLD(LogisticRegression(DIM), Settings(i_max=1), chains=chains)
    saga.observe(features, labels)
    size = sum(a.nbytes for a in saga._memory.arrays(1000).values()) / (chains * 1000)
    return Row("memory a datum and chain, one-score models", f"{size:g} B", "16 B", size == 16)


def compiled_stream() -> str:
    """Time of observing 2,000 rows at once over the time of the same number of steps in one epoch."""
    features, labels = data(2000)
    whole = OnlineSagaLD(LogisticRegression(DIM), Settings(batch_size=BATCH, i_max=30, random_length=False), chains=1)
    whole.observe(features[:10], labels[:10])
    bare = in_epoch(OnlineSagaLD, 1000)
    bare.advance(10)
    stream = seconds(lambda: whole.observe(features[10:], labels[10:]))
    return f"{stream / seconds(lambda: bare.advance(1990 * 30)):.2f}x"
