"""SAGA-LD's step against other people's tools and other methods, on the same data."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable

import numpy as np

from sampler import MALA, SGLD, ULA, LogisticRegression, Settings, find_mode
from sampler.algorithms.epoch_copies import standing_at
from tests.benchmarks.chains import BATCH, DIM, open_saga_at, paper_rows
from tests.benchmarks.timing import Row, race, row, skipped

SMALL, LARGE = 1_000, 1_000_000
ETA0, OFFSET = 0.1, 2.0


def signed_rows(t: int) -> np.ndarray:
    """Rows times minus their label's sign, so that each gradient is mean(score) times its row."""
    features, labels = paper_rows(t)
    return features * (1.0 - 2.0 * labels)[:, None]


def blackjax_sgld(t: int, centre: np.ndarray | None = None) -> Callable[[int], object]:
    """Function that makes n steps of blackjax's SGLD: compiled, gradient by hand, indices drawn inside the loop.

    With a ``centre``, (d,), gradients have its control variates: SGLD-CV (Baker et al. 2019).
    """
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}".strip()
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
    """Function that makes n steps of SAGA-LD in careful NumPy: all random numbers at once, no loop but the steps'."""
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
            place[batch] = order  # the last of a repeated index wins, and counts once in the sum
            total = total + np.where(place[batch] == order, change, 0.0) @ own
            cache[batch] = fresh

    return run


def against_samplers(turns: int) -> list[Row]:
    """A gradient of ours against one of blackjax's SGLD and of NumPy's SAGA-LD."""
    rows, missing = [], [name for name in ("blackjax", "jax") if importlib.util.find_spec(name) is None]
    for t, at_least in ((SMALL, 20.0), (LARGE, 12.0)):
        name = f"SAGA-LD a gradient, t = 1e{len(str(t)) - 1}, against blackjax SGLD"
        if missing:
            rows.append(skipped(name, f"needs {' and '.join(missing)}: pip install -e .[benchmarks]"))
            continue
        ours, theirs = open_saga_at(t), blackjax_sgld(t)
        seconds = race({"ours": (lambda ours=ours: ours.advance(2_000), 2_000 * BATCH),
                        "theirs": (lambda theirs=theirs: theirs(400), 400 * BATCH)}, turns)
        ns = {key: 1e9 * np.median(values) for key, values in seconds.items()}
        rows.append(row(name, seconds["theirs"] / seconds["ours"], at_least=at_least,
                        note=f"{ns['ours']:.1f} ns and {ns['theirs']:.0f} ns"))
    ours, theirs = open_saga_at(SMALL), numpy_saga(SMALL)
    seconds = race({"ours": (lambda: ours.advance(2_000), 2_000), "theirs": (lambda: theirs(200), 200)}, turns)
    rows.append(row("SAGA-LD a step, t = 1e3, against careful NumPy SAGA-LD", seconds["theirs"] / seconds["ours"],
                    at_least=30.0, note=f"{1e6 * np.median(seconds['theirs']):.1f} us a step"))
    return rows


def against_methods(turns: int, sizes: tuple[int, ...]) -> list[Row]:
    """What a step of other methods costs in steps of SAGA-LD. Cost, not effective sample size."""
    rows, note = [], "cost of a step, not effective sample size"
    for t in sizes:
        ours, power = open_saga_at(t), len(str(t)) - 1
        posterior, few = ours.posterior, 1 if t > SMALL else 20
        contestants = {"ours": (lambda ours=ours: ours.advance(2_000), 2_000),
                       "MALA step": (_mala(posterior, few), few),
                       "Laplace fit": (lambda p=posterior: p.hessian(find_mode(p)), 1)}
        if importlib.util.find_spec("polyagamma") is None:
            rows.append(skipped(f"Polya-Gamma sweep, t = 1e{power}", "needs polyagamma: pip install polyagamma"))
        else:
            contestants["Polya-Gamma sweep"] = (_polya_gamma(posterior, few), few)
        seconds = race(contestants, turns)
        rows += [row(f"{name}, t = 1e{power}, in SAGA-LD steps", seconds[name] / seconds["ours"], note=note)
                 for name in contestants if name != "ours"]
    return rows


def _ours(kind: type, posterior, n: int) -> Callable[[], object]:
    """n steps of one of the library's own compiled samplers on this posterior."""
    features, labels = posterior.features, posterior.labels
    settings = Settings(eta0=ETA0, batch_size=BATCH, offset=OFFSET, i_max=10**12, random_length=False)
    chain = standing_at(kind, LogisticRegression(DIM), (features[1:], labels[1:]), settings, 1, 0, np.zeros(DIM))
    chain.arrive(features[0], labels[0])
    return lambda: chain.advance(n)


def _mala(posterior, n: int) -> Callable[[], object]:
    """n Metropolis-adjusted Langevin steps on this posterior, by the library's own compiled sampler."""
    return _ours(MALA, posterior, n)


def blackjax_full(t: int, metropolis: bool) -> Callable[[int], object]:
    """Function that makes n steps of blackjax's MALA, or of ULA with its overdamped diffusion, on all data."""
    blackjax_sgld(t)  # sets jax up
    import blackjax
    import jax
    import jax.numpy as jnp

    rows, step = jnp.asarray(signed_rows(t)), ETA0 / (t + OFFSET)

    def log_density(theta):
        return -(0.5 * theta @ theta + jax.nn.softplus(rows @ theta).sum())

    gradient = jax.grad(log_density)
    mala = blackjax.mala(log_density, step)

    def run(theta, key, n):
        def metropolis_step(state, key):
            return mala.step(key, state)[0], None

        def plain_step(theta, key):
            noise = jax.random.normal(key, theta.shape)
            return theta + step * gradient(theta) + jnp.sqrt(2 * step) * noise, None

        keys = jax.random.split(key, n)
        return (jax.lax.scan(metropolis_step, mala.init(theta), keys)[0].position if metropolis
                else jax.lax.scan(plain_step, theta, keys)[0])

    compiled, key = jax.jit(run, static_argnums=2), jax.random.PRNGKey(0)
    return lambda n: compiled(jnp.zeros(DIM), key, n).block_until_ready()


def against_blackjax(turns: int) -> list[Row]:
    """Our SGLD, MALA and ULA a step against blackjax's, and SAGA-LD against its SGLD-CV; the same data and step size."""
    rows, missing = [], [name for name in ("blackjax", "jax") if importlib.util.find_spec(name) is None]
    saga = open_saga_at(SMALL)
    posterior = saga.posterior
    pairs = ((SGLD, "blackjax SGLD", blackjax_sgld, 2_000, 400), (MALA, "blackjax MALA", None, 200, 200),
             (ULA, "ULA in jax", None, 200, 200))
    for kind, other, make, ours_made, theirs_made in pairs:
        name = f"{kind.__name__} a step, t = 1e3: {other} over ours"
        if missing:
            rows.append(skipped(name, f"needs {' and '.join(missing)}: pip install -e .[benchmarks]"))
            continue
        theirs = make(SMALL) if make is not None else blackjax_full(SMALL, kind is MALA)
        seconds = race({"ours": (_ours(kind, posterior, ours_made), ours_made),
                        "theirs": (lambda theirs=theirs, n=theirs_made: theirs(n), theirs_made)}, turns)
        micro = {key: 1e6 * np.median(values) for key, values in seconds.items()}
        rows.append(row(name, seconds["theirs"] / seconds["ours"],
                        note=f"{micro['ours']:.2f} us and {micro['theirs']:.1f} us"))
    if not missing:  # both reduce the variance: SGLD-CV by the gradients at the mode, SAGA-LD by those it remembers
        theirs = blackjax_sgld(SMALL, find_mode(posterior))
        seconds = race({"ours": (lambda: saga.advance(2_000), 2_000), "theirs": (lambda: theirs(400), 400)}, turns)
        micro = {key: 1e6 * np.median(values) for key, values in seconds.items()}
        rows.append(row("SAGA-LD a step, t = 1e3: blackjax SGLD-CV over ours", seconds["theirs"] / seconds["ours"],
                        note=f"{micro['ours']:.2f} us and {micro['theirs']:.1f} us; the mode is not counted"))
    return rows


def plain_gibbs(posterior, n: int) -> Callable[[], object]:
    """n Polya-Gamma sweeps written as a reader would: polyagamma's draws, NumPy's solve, no LAPACK by hand."""
    from polyagamma import random_polyagamma

    rows, rng = posterior.features, np.random.default_rng(0)
    pull, theta = rows.T @ (posterior.labels - 0.5), np.zeros(DIM)

    def run():
        nonlocal theta
        for _ in range(n):
            omega = random_polyagamma(1.0, rows @ theta, random_state=rng)
            precision = np.eye(DIM) + rows.T @ (omega[:, None] * rows)
            covariance = np.linalg.inv(precision)
            theta = rng.multivariate_normal(covariance @ pull, covariance)

    return run


def against_polyagamma(turns: int, sizes: tuple[int, ...]) -> list[Row]:
    """A plain loop round polyagamma's draws over our sweep, and our sweep over the draws alone."""
    if importlib.util.find_spec("polyagamma") is None:
        return [skipped("Polya-Gamma sweep against a plain loop", "needs polyagamma: pip install polyagamma")]
    from polyagamma import random_polyagamma

    rows = []
    for t in sizes:
        posterior, few, power = open_saga_at(t).posterior, 1 if t > SMALL else 20, len(str(t)) - 1
        scores, rng = posterior.features @ np.full(DIM, 0.01), np.random.default_rng(1)

        def draws(scores=scores, rng=rng, few=few):
            for _ in range(few):
                random_polyagamma(1.0, scores, random_state=rng, disable_checks=True)

        seconds = race({"ours": (_polya_gamma(posterior, few), few), "plain": (plain_gibbs(posterior, few), few),
                        "draws": (draws, few)}, turns)
        rows.append(row(f"Polya-Gamma sweep, t = 1e{power}: plain polyagamma loop over ours",
                        seconds["plain"] / seconds["ours"], note=f"{1e3 * np.median(seconds['ours']):.2f} ms a sweep"))
        rows.append(row(f"Polya-Gamma sweep, t = 1e{power}, over its draws alone", seconds["ours"] / seconds["draws"],
                        note="what is left to gain"))
    return rows


def _polya_gamma(posterior, n: int) -> Callable[[], object]:
    """n Polya-Gamma Gibbs sweeps on this posterior, by the library's own sampler."""
    from sampler.algorithms.polya_gamma import gibbs_pull, gibbs_sweep

    theta, rng, pull = np.zeros(DIM), np.random.default_rng(0), gibbs_pull(posterior)

    def run():
        nonlocal theta
        for _ in range(n):
            theta = gibbs_sweep(posterior, pull, theta, rng)

    return run


def measure(quick: bool) -> list[Row]:
    """All rows of this group."""
    turns = 7 if quick else 21
    few, sizes = 3 if quick else 7, (SMALL,) if quick else (SMALL, LARGE)
    return (against_samplers(turns) + against_blackjax(turns) + against_methods(few, sizes)
            + against_polyagamma(few, sizes))
