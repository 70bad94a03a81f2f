"""Why not NUTS? Cost on one core of keeping 512 posterior draws up to date with a stream.

The stream is the paper's (LMV-n section 5: d = 20 and an intercept, standard normal prior). At each t a method observes
datum t, and its 512 draws are scored against a long exact chain; the note has the score of exact draws. Seconds
are processor seconds of the call that observes one datum and leaves 512 draws of the new posterior:

* NUTS from scratch: adaptation and 512 transitions. Warm-started: 512 transitions, one from each old draw.
* IBIS, a particle filter, and two Gaussian fits, refitted Laplace and R-VGA: the data of the second half of the stream,
  with renewals and refits.
* SAGA-LD, plain and preconditioned, at default settings: one epoch of each of 512 chains, for ten data.
  One chain runs the stream in short epochs up to twelve data before t; its 512 copies separate during those twelve.

Rows have the mean and the range over single data; the maximum of the particle filter is a renewal. Each t has a
separate process with one thread for BLAS and XLA. Compilation is excluded.
"""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from unittest import mock

import numpy as np

from sampler import (
    LogisticRegression,
    OnlineSagaLD,
    PreconditionedSagaLD,
    Settings,
    long_chain_reference,
    synthetic_logistic,
)
from sampler.algorithms import IBIS, RecursiveVGA, WarmLaplace
from sampler.algorithms.sampler_copies import copies_of
from sampler.metrics.accuracy import uniform_accuracy
from sampler.metrics.ceiling import exact_ceiling
from sampler.problems.glm import GlmPosterior
from sampler.racing.nuts import Nuts, ScratchNuts, WarmNuts
from sampler.racing.race_setup import ONE_CORE, memories_of
from tests.benchmarks.timing import Row, missing_packages

DIM, DRAWS, REFERENCE_DRAWS, SEED = 21, 512, 8_000, 0
GROUP, EPOCHS = 64, 12  # chains at once (16 bytes per datum and chain); epochs at default settings before the draws
UNTIMED = 2  # of these epochs: kernels load, copies separate
FOLLOWERS = {"IBIS": IBIS, "refitted Laplace": WarmLaplace, "R-VGA": RecursiveVGA}
PARTICLES = 8  # per draw: walks of 50 states from 10 ancestors are too few in 21 dimensions
QUICK, USUAL, ROWS = (100, 1_000, 10_000), (100_000,), 1_000_000  # t; rows of the stream
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")}


def stream(t: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first t rows of one stream: (t, 21), (t,)."""
    features, labels, _ = synthetic_logistic(ROWS, DIM - 1, seed=SEED)
    return features[:t].copy(), labels[:t].copy()


def nuts_runs(rows: np.ndarray) -> dict[str, tuple]:
    """Return draws, seconds and a note of NUTS from scratch and warm-started from the posterior without the last row."""
    problem, none = LogisticRegression(DIM), np.zeros(len(rows))
    target = GlmPosterior(problem, rows, none, none)
    last = rows.copy()
    last[-1] = 0.0

    def drawn(run: Nuts) -> tuple:
        before, draws = run.gradients, run.more()
        return draws, [run.seconds], f"{(run.gradients - before) / DRAWS:.1f} gradients a transition"

    old = ScratchNuts(GlmPosterior(problem, last, none, none), np.zeros(DIM), DRAWS, 2)
    points = old.more()
    runs = {"NUTS from scratch": ScratchNuts(target, np.zeros(DIM), DRAWS, 1),
            "NUTS warm-started": WarmNuts(target, points, old.step_size, old.inverse_mass, 3)}
    return {name: drawn(run) for name, run in runs.items()}


def follower(kind: type, features: np.ndarray, labels: np.ndarray) -> tuple:
    """Return draws, seconds per datum of the second half of the stream, and a note."""
    each, half = PARTICLES if kind is IBIS else 1, len(labels) // 2
    sampler = kind(LogisticRegression(DIM), chains=each * DRAWS, seed=4, threads=ONE_CORE)
    sampler.observe(features[:half], labels[:half])
    begun = getattr(sampler, "renewals", 0)
    seconds = clocked(sampler.observe, list(zip(features[half:], labels[half:], strict=True)))
    words = f"{each * DRAWS:,} particles, renewed {sampler.renewals - begun} times in {len(seconds):,} data" if begun else ""
    return sampler.positions[::each], seconds, words


def clocked(observe, data: list[tuple]) -> np.ndarray:
    seconds = np.empty(len(data))
    for k, datum in enumerate(data):
        start = time.process_time()
        observe(*datum)
        seconds[k] = time.process_time() - start
    return seconds


def saga(kind: type, features: np.ndarray, labels: np.ndarray) -> tuple:
    """Return draws of 512 chains, seconds of each of the last epochs, and a note, at the class's default settings."""
    problem, t = LogisticRegression(DIM), len(labels)
    settings = PreconditionedSagaLD.default_settings(DIM) if kind is PreconditionedSagaLD else Settings()
    held = t - EPOCHS
    memory = memories_of(problem, (features[:held + 1], labels[:held + 1]), held + 1, Settings(), SEED)[0][kind]
    seconds, draws, gradients = np.zeros(EPOCHS), [], 0.0
    for group in range(DRAWS // GROUP):
        chains = copies_of(memory, GROUP, 6 + group, **settings.to_dict())
        for epoch in range(EPOCHS):
            before, start = chains.gradient_evaluations, time.process_time()
            chains.observe(features[held + epoch], labels[held + epoch])
            seconds[epoch] += time.process_time() - start
            gradients += (chains.gradient_evaluations - before) / (DRAWS * EPOCHS)
        draws.append(chains.positions.copy())
    return np.concatenate(draws), seconds[UNTIMED:], (
        f"{gradients:,.0f} gradients and {1e6 * seconds[UNTIMED:].mean() / DRAWS:.0f} us a chain's own sample")


def at(t: int) -> list[Row]:
    features, labels = stream(t)
    rows = features * (1.0 - 2.0 * labels)[:, None]
    reference = long_chain_reference(LogisticRegression(DIM).posterior(features, labels), draws=REFERENCE_DRAWS,
                                     seed=SEED, threads=ONE_CORE)
    ceiling, power, table = exact_ceiling(DRAWS, DIM, reference.ceiling_draws), len(str(t)) - 1, []
    table += missing_packages(f"t = 1e{power}: NUTS", "blackjax", "jax")
    methods = {} if table else nuts_runs(rows)
    methods |= {name: follower(kind, features, labels) for name, kind in FOLLOWERS.items()}
    methods |= {"SAGA-LD": saga(OnlineSagaLD, features, labels),
                "preconditioned SAGA-LD": saga(PreconditionedSagaLD, features, labels)}
    for name, (draws, seconds, words) in methods.items():
        score = uniform_accuracy(reference.cdf(draws))
        table.append(Row(f"t = 1e{power}: {name}, a datum", "", 1e3 * float(np.mean(seconds)), 1e3 * float(np.min(seconds)),
                         1e3 * float(np.max(seconds)), "ms", None,
                         f"accuracy {score:.3f}, ceiling {ceiling.mean:.3f} (sd {ceiling.sd:.3f}){words and '; '}{words}"))
    return table


def alone(t: int) -> list[Row]:
    with (mock.patch.dict(os.environ, ONE_THREAD),  # read when NumPy is imported: by the new process
          ProcessPoolExecutor(1, mp_context=get_context("spawn")) as one):
        return one.submit(at, t).result()


def measure(quick: bool) -> Iterator[Row]:
    for t in QUICK + (() if quick else USUAL):
        yield from alone(t)
